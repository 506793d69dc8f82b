"""The pages that are the same for all: start, lobby, one's own games, checks. Their scripts ask the API."""

from typing import Final

from flask import Response

from domain.rules.standard import STANDARD
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable
from service.web.examples import EXAMPLE_ROW
from service.web.frame import Page, respond_fixed

routes: Final = RouteTable()

_START: Final = Page("start.html", "/", "start.js", ("start", "new_game"), shows_cards=True)
_LOBBY: Final = Page("lobby.html", "/lobby", "lobby.js", ("lobby",))
_CHECK: Final = Page("check.html", "/check", "checkpage.js", ("check", "scoring"))
_GAME_CHECK: Final = Page("check.html", "/g", "checkpage.js", ("check", "scoring"))
_POST: Final = Page("post.html", "/post", "rulespage.js")
_GAMES: Final = Page("games.html", "/games", "games.js", ("games", "lobby", "table", "turn"))


@routes.get("/")
def show_start(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """What this is, and a new game."""
    return respond_fixed(_START, example_row=EXAMPLE_ROW, scorings=STANDARD.scoring_at)


@routes.get("/lobby")
def show_lobby(request: ApiRequest) -> Response:  # noqa: ARG001
    """The listed games, to join or to watch."""
    return respond_fixed(_LOBBY)


@routes.get("/games")
def show_games(request: ApiRequest) -> Response:  # noqa: ARG001
    """The games that this browser plays: it alone knows which."""
    return respond_fixed(_GAMES)


@routes.get("/post")
def show_post(request: ApiRequest) -> Response:  # noqa: ARG001
    """How a game is played by mail and webhook, over days."""
    return respond_fixed(_POST)


@routes.get("/check")
def show_check(request: ApiRequest) -> Response:  # noqa: ARG001
    """The browser checks a file."""
    return respond_fixed(_CHECK)


@routes.get("/g/<game>/check")
def show_game_check(request: ApiRequest) -> Response:  # noqa: ARG001
    """The browser checks a game: the script asks the API for its log."""
    return respond_fixed(_GAME_CHECK)

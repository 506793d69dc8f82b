"""Pages of a game that are the same for all games, and the one with its score sheet."""

from typing import Final

from flask import Response
from markupsafe import Markup

from domain.words.wording import label_seats, words_of
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import RouteTable
from service.api.routes.reading.scores import table_values
from service.gamelog.store.errors import NoSuchGame
from service.web.frame import Page, read_tongue, render, respond_game_page, respond_page, respond_unknown_game

routes: Final = RouteTable()

_SCORES: Final = Page("scores.html", "/g", "scorespage.js", style="scores.css")
_CHECK: Final = Page("check.html", "/g", "checkpage.js", ("check", "scoring"))
_REPLAY: Final = Page(
    *("replay.html", "/g", "replaypage.js"),
    ("replay", "table", "market", "new_game", "note", "link", "analysis", "scoring", "turn"),
    shows_cards=True,
)


@routes.get("/g/<game>/check")
def show_check_page(request: GameRequest) -> Response:
    return respond_game_page(request, _CHECK)


@routes.get("/g/<game>/replay")
def show_replay_page(request: GameRequest) -> Response:
    return respond_game_page(request, _REPLAY)


@routes.get("/g/<game>/sheet")
def show_score_page(request: GameRequest) -> Response:
    """The score sheet, which is open to all, as the API's own page of it."""
    tongue = read_tongue()
    words = words_of(tongue.language)
    try:
        game = request.load().game
    except NoSuchGame:
        return respond_unknown_game(tongue)
    names = label_seats(game.seats, words.terms)
    sheet = Markup(render("score_table.html", **table_values(game, names, words)))  # noqa: S704 - escaped by its template
    return respond_page(_SCORES, tongue, is_open=True, sheet=sheet, table=game.name, table_path=f"/g/{game.id}")

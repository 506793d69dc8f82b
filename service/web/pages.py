"""The pages that are the same for all: start, lobby, one's own games, replay, checks. Their scripts ask the API."""

from dataclasses import replace
from typing import Any, Final

from flask import Response

from domain.rules import NEWEST
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable
from service.web.examples import EXAMPLE_ROW
from service.web.frame import Page, respond_fixed

routes: Final = RouteTable()


def _serve(path: str, page: Page, **values: Any) -> None:
    routes.serve(path, lambda: respond_fixed(page, **values))


START: Final = Page("start.html", "/", "start.js", ("start", "new_game", "link"), shows_cards=True)


@routes.get("/")
def show_start(request: ApiRequest) -> Response:
    page = replace(START, offers_mail=request.services.registrar.takes_mail)
    return respond_fixed(page, example_row=EXAMPLE_ROW, scorings=NEWEST.scoring_at, variants=NEWEST.variants)


_serve("/lobby", Page("lobby.html", "/lobby", "lobby.js", ("lobby",)))
_serve("/games", Page("games.html", "/games", "games.js", ("games", "lobby", "link", "table", "turn")))
_serve("/league", Page("league.html", "/games", "league.js", ("league", "link")))
_serve("/post", Page("post.html", "/post", "rulespage.js"))
_PRIVACY: Final = Page("privacy.html", "/privacy", "rulespage.js")


@routes.get("/privacy")
def show_privacy(request: ApiRequest) -> Response:
    settings = request.services.settings
    times = {"unused": settings.unused_time, "archived": settings.quiet_time}
    shown = {name: "\u221e" if time is None else f"{time / 86400:g}" for name, time in times.items()}
    return respond_fixed(_PRIVACY, times=shown)


_serve("/check", Page("check.html", "/check", "checkpage.js", ("check", "scoring")))

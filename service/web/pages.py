"""The pages that are the same for all: start, lobby, one's own games, checks, rules. Their scripts ask the API.

So do those of a game: its check and its replay; its score sheet alone is in the page. The examples of the rules are
scored by the rules that games are played with.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from flask import Response
from markupsafe import Markup

from domain.cards import BUSINESSES, MULTITALENT, RISK, Business, Card
from domain.rules import NEWEST
from domain.scoring import score
from domain.state import Row, Seat
from domain.words.wording import label_seats, words_of
from service.api.protocol.request import ApiRequest, GameRequest
from service.api.protocol.routing import RouteTable
from service.api.routes.reading.scores import table_values
from service.bootstrap import retention_of
from service.gamelog.store.errors import NoSuchGame
from service.web.frame import (
    Page,
    read_tongue,
    render,
    respond_fixed,
    respond_game_page,
    respond_page,
    respond_unknown_game,
)

routes: Final = RouteTable()

_COSTS: Final = {
    "take": NEWEST.cost_take,
    "draw": NEWEST.cost_draw,
    "lay_businessmaker": NEWEST.cost_lay,
    "append": NEWEST.cost_append,
}
_SECOND_ROUND: Final = 2


def _row(*cards: Card) -> Row:
    """A row that begins with a business card, on a face-down card."""
    closed = RISK in cards
    business: Business = cards[0]
    return Row(MULTITALENT, shown=False, business=business, cards=cards, length=len(cards) - closed, closed=closed)


EXAMPLE_ROW: Final = _row("gold", "gold", MULTITALENT, RISK)
"""A row that shows all that a row can have."""
EXAMPLE_PLAYERS: Final = {
    "Anna": [_row("gold", "gold", "gold", MULTITALENT), _row("gambling", "gambling", "gambling"), _row("oil", RISK)],
    "Bert": [_row("gold", "gold", RISK), _row("gambling", "gambling"), _row("oil", "oil", "oil"), _row("art", RISK)],
    "Carla": [_row("gold"), _row("gambling", "gambling", MULTITALENT)],
}
"""The rows of the scoring that the rules show, by player."""


class ExampleLine(NamedTuple):
    """A line of the example: a row, and what it earns."""

    business: Business
    player: str
    row: Row
    income: int
    """In millions."""
    reason: str


def _entries() -> Iterator[ExampleLine]:
    """The lines by business, in the canonical order."""
    scored = score(NEWEST, [Seat(rows=rows) for rows in EXAMPLE_PLAYERS.values()], _SECOND_ROUND)
    for business in BUSINESSES:
        for (player, rows), seat in zip(EXAMPLE_PLAYERS.items(), scored, strict=True):
            for row in rows:
                if row.business == business:
                    result = seat["businesses"][business]
                    yield ExampleLine(business, player, row, result["income"], result["reason"])


def _values_of_rules() -> dict[str, Any]:
    entries = list(_entries())
    return {
        "businesses": BUSINESSES,
        "costs": _COSTS,
        "scorings": NEWEST.scoring_at,
        "example_row": EXAMPLE_ROW,
        "example": [(business, list(group)) for business, group in groupby(entries, attrgetter("business"))],
        "incomes": [
            (player, sum(entry.income for entry in entries if entry.player == player)) for player in EXAMPLE_PLAYERS
        ],
    }


def _serve(path: str, page: Page, **values: Any) -> None:
    routes.serve(path, lambda: respond_fixed(page, **values))


START: Final = Page("start.html", "/", "start.js", ("start", "new_game", "link"), shows_cards=True)


@routes.get("/")
def show_start(request: ApiRequest) -> Response:
    page = replace(START, offers_mail=request.services.registrar.takes_mail)
    return respond_fixed(page, example_row=EXAMPLE_ROW, scorings=NEWEST.scoring_at, variants=NEWEST.variants)


_serve("/lobby", Page("lobby.html", "/lobby", "lobby.js", ("lobby",), shows_cards=True))
_serve("/games", Page("games.html", "/games", "games.js", ("games", "lobby", "link", "table", "turn")))
_serve("/league", Page("league.html", "/games", "league.js", ("league", "link")))
_serve("/rules", Page("rules.html", "/rules", "rulespage.js", shows_cards=True), **_values_of_rules())
_serve("/post", Page("post.html", "/post", "rulespage.js"))
_PRIVACY: Final = Page("privacy.html", "/privacy", "rulespage.js")


@routes.get("/privacy")
def show_privacy(request: ApiRequest) -> Response:
    kept = retention_of(request.services.settings)
    times = {"unused": kept.unused_ms, "archived": kept.finished_ms}
    shown = {name: "\u221e" if time is None else f"{time / 86_400_000:g}" for name, time in times.items()}
    return respond_fixed(_PRIVACY, times=shown)


_serve("/check", Page("check.html", "/check", "checkpage.js", ("check", "scoring")))
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

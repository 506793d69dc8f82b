"""The score sheet: as JSON, as CSV for spreadsheets, and as a page in the rule book's layout, to be printed."""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final

from flask import Response
from jinja2 import Environment, FileSystemLoader

from domain.projections.score_sheet import ROUNDS, Line, has_doubled, lay_out
from domain.projections.standings import score_now
from domain.state import Game
from domain.view import scores_of
from domain.words.spreadsheet import escape_formula
from domain.words.wording import Words, capitalise, format_number, label_seats, words_of
from service.api.content.negotiation import CSV, HTML, JSON
from service.api.content.page_policy import page_policy
from service.api.problems.language import language_headers, preferred_language
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import AtQuery, LanguageQuery
from service.api.schemas.shapes import ref

routes: Final = RouteTable("watch")

TEMPLATES: Final = files("service.api") / "templates"
_PAGES: Final = Environment(loader=FileSystemLoader(str(TEMPLATES)), autoescape=True)
_STYLE: Final = (TEMPLATES / "score_sheet.css").read_text("utf-8")
_POLICY: Final = page_policy(_STYLE)
"""The style sheet is inline, so that the page can be saved as one file."""


@routes.get(
    "/v1/games/<game>/scores",
    Operation(
        asker=Asker.WATCHER,
        query=LanguageQuery,
        takes=("Accept-Language",),
        answers={
            200: {
                JSON: ref("Scores"),
                CSV: {
                    "type": "string",
                    "description": "A line for each business, columns for players and rounds. It begins with a byte "
                    "order mark. Fields are separated by `;` in German, Dutch and French, else by `,`.",
                },
                HTML: {"type": "string", "description": "The sheet as a page to print."},
            },
            304: None,
        },
    ),
)
def show_scores(request: GameRequest) -> Response:
    """The score sheet.

    As JSON, as CSV for spreadsheets, or as a page to print.
    """
    words = words_of(request.query.get("language") or preferred_language())
    game = request.load().game
    if request.media_type == JSON:
        return request.finish(json_response(scores_of(game)), game)
    names = label_seats(game.seats, words.terms)
    headers = language_headers(words.language)
    content_type = f"{request.media_type}; charset=utf-8"
    if request.media_type == CSV:
        headers |= {"Content-Disposition": f'inline; filename="{request.game}.csv"'}
        sheet = render_csv(game, names, words)
    else:
        headers |= {"Content-Security-Policy": _POLICY}
        sheet = render_page(game, names, words)
    return request.finish(Response(sheet, headers=headers, content_type=content_type), game)


@routes.get(
    "/v1/games/<game>/scores/now",
    Operation(
        asker=Asker.WATCHER,
        query=AtQuery,
        answers={200: "ScoresNow", 304: None},
        refusals=frozenset({"no-such-version"}),
    ),
)
def show_scores_now(request: GameRequest) -> Response:
    """Who would get what if the next scoring round came now, or at an earlier version.

    What each seat would earn by its open cards, by the scoring of the rules; hidden cards count for nothing. Penalties
    come with the third round. After it, or after the game was cancelled, `round` is null, no business is named, every
    `income` is 0, and `total` is final.
    """
    if "at" in request.query:
        head, shown = request.load_at(request.query["at"])
    else:
        head = shown = request.load()
    return request.finish(json_response(score_now(shown.game)), head.game)


def render_csv(game: Game, names: Sequence[str], words: Words) -> str:
    """The sheet by RFC 4180: for each player a column a round and one for the sum; amounts are plain numbers.

    A last line names the businesses whose amounts a risk card has doubled. Spreadsheets read the encoding off a byte
    order mark, and split lines at the separator of their country.
    """
    file = io.StringIO()
    file.write("\ufeff")
    write = csv.writer(file, delimiter=words.separator).writerow  # the rest is the RFC's: doubled quotes, CR LF
    scores = scores_of(game)
    terms = words.terms
    *businesses, losses, income = lay_out(scores)
    sums = [*map(str, ROUNDS), terms["total"]]
    write([terms["business"], *(f"{escape_formula(name)} {column}" for name in names for column in sums)])
    for line in (*businesses, losses, income):
        row: list[str | int | None] = [words.cards.get(line.name) or terms[line.name]]
        for cells, total in zip(line.seats, line.sum_seats(), strict=True):
            row += [*(None if cell is None else cell.income for cell in cells), total]
        write(row)
    blank = [None] * len(ROUNDS)
    if any(scores["bonus"]):
        write([terms["bonus"], *(cell for bonus in scores["bonus"] for cell in (*blank, bonus))])
    write([terms["total"], *(cell for total in scores["totals"] for cell in (*blank, total))])
    if has_doubled(businesses):
        write([capitalise(terms["doubled"]), *_name_doubled(businesses, words)])
    return file.getvalue()


def _name_doubled(businesses: Sequence[Line], words: Words) -> Iterator[str]:
    for seat in range(len(businesses[0].seats)):
        for cells in zip(*(line.seats[seat] for line in businesses), strict=True):
            doubled = [
                words.cards[line.name] for line, cell in zip(businesses, cells, strict=True) if cell and cell.doubled
            ]
            yield words.join(doubled) if doubled else ""
        yield ""  # the column of the sum


def render_page(game: Game, names: Sequence[str], words: Words) -> str:
    return _PAGES.get_template("score_sheet.html").render(style=_STYLE, **table_values(game, names, words))


def table_values(game: Game, names: Sequence[str], words: Words) -> dict[str, Any]:
    """The values of the template `score_table.html`, which every page with a score sheet includes."""
    from babel.dates import format_date  # here, as a start compiles it otherwise

    scores = scores_of(game)
    *businesses, losses, income = lay_out(scores)
    began = datetime.fromtimestamp(game.created // 1000, UTC).date()
    return {
        "words": words,
        "terms": words.terms,
        "number": format_number,
        "game": game.id,
        "table": game.name,
        "date": format_date(began, "long", words.locale),
        "date_iso": began.isoformat(),
        "variants": [words.variants[name] for name, on in game.variants.items() if on],
        "names": names,
        "rounds": ROUNDS,
        "businesses": businesses,
        "sums": [losses, income],
        "scores": scores,
        "winners": game.winners or [],
        "doubled": has_doubled(businesses),
    }

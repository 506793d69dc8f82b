"""The score sheet: as JSON, as CSV for spreadsheets, and as a page in the rule book's layout, to be printed."""

import base64
import csv
import io
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Final

from flask import Blueprint, Response, render_template

from domain.projections.score_sheet import ROUNDS, lines_of
from domain.state import Game
from domain.view import scores_of
from domain.words.wording import Words, labels, number
from service.api.protocol.language import headers_of, words_asked
from service.api.protocol.request import CSV, HTML, JSON, accept, game_known, viewer_of
from service.api.protocol.response import answer
from service.api.protocol.validation import query
from service.api.protocol.web import services
from service.api.schemas.requests import LanguageQuery

score_sheet = Blueprint("score_sheet", __name__, template_folder="../templates")

_LANGUAGE = LanguageQuery()
_STYLE: Final = (files("service.api") / "templates" / "score_sheet.css").read_text("utf-8")
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)
"""The page loads nothing and runs nothing; the one style sheet it has in itself, so that it can be kept as a file."""
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the beginning of a formula, in both widths."""


@score_sheet.get("/v1/games/<game>/scores")
def show_scores(game: str) -> Response:
    """The score sheet."""
    viewer_of(game)
    game_known(game)
    form = accept(JSON, CSV, HTML)
    words = words_asked(query(_LANGUAGE))
    now = services().games.load(game).game
    if form == JSON:
        return answer(scores_of(now))
    names = labels([seat.name for seat in now.seats], words.terms["open seat"])
    headers = headers_of(words)
    if form == CSV:
        disposition = {"Content-Disposition": f'inline; filename="{game}.csv"'}
        return Response(csv_of(now, names, words), headers=headers | disposition, content_type=f"{CSV}; charset=utf-8")
    page = page_of(now, names, words)
    return Response(page, headers=headers | {"Content-Security-Policy": _POLICY}, content_type=f"{HTML}; charset=utf-8")


def csv_of(game: Game, names: Sequence[str], words: Words) -> str:
    """The sheet by RFC 4180: for each player a column a round and one for the sum; amounts are plain numbers."""
    file = io.StringIO()
    write = csv.writer(file).writerow  # its defaults are the RFC's: commas, doubled quotes, CR LF
    scores = scores_of(game)
    terms = words.terms
    sums = [*map(str, ROUNDS), terms["total"]]
    write([terms["business"], *(_harmless(f"{name} {column}") for name in names for column in sums)])
    for line in lines_of(scores):
        row: list[str | int | None] = [words.cards.get(line.name) or terms[line.name]]
        for cells, total in zip(line.seats, line.sums(), strict=True):
            row += [*(None if cell is None else cell.income for cell in cells), total]
        write(row)
    blank = [None] * len(ROUNDS)
    if any(scores["bonus"]):
        write([terms["bonus"], *(cell for bonus in scores["bonus"] for cell in (*blank, bonus))])
    write([terms["total"], *(cell for total in scores["totals"] for cell in (*blank, total))])
    return file.getvalue()


def _harmless(text: str) -> str:
    """The text as a spreadsheet must take it: as text."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def page_of(game: Game, names: Sequence[str], words: Words) -> str:
    """The sheet as a whole page."""
    scores = scores_of(game)
    *businesses, losses, income = lines_of(scores)
    return render_template(
        "score_sheet.html",
        style=_STYLE,
        words=words,
        terms=words.terms,
        number=number,
        names=names,
        rounds=ROUNDS,
        businesses=businesses,
        sums=[losses, income],
        scores=scores,
        winners=game.winners or [],
        doubled=any(cell and cell.doubled for line in businesses for cells in line.seats for cell in cells),
    )

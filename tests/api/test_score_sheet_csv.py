"""The score sheet as CSV, as spreadsheets of four languages read it."""

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from itertools import product

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.cards import BUSINESSES
from domain.projections.table import TableSeat
from domain.state import Game
from domain.view import scores_of
from domain.words.catalogue import LANGUAGES
from domain.words.spreadsheet import escape_formula
from domain.words.wording import label_seats, words_of
from service.api.routes.reading.scores import render_csv
from tests.support.cases import cases
from tests.support.client import Api
from tests.support.play import play_until

CSV = {"Accept": "text/csv"}
ATTACKS = cases(__file__, "attacks")
TEXTS = st.text(st.sampled_from("a1 =+-@;,|\t'\"\u00a0\u200b\ufeff\uff1d\uff0d\u3164\u2212\u0301"), max_size=12)
GAMES = [play_until(2, "sheet", 10_000)[0], play_until(4, "sheet", 10_000, ("staggered_start",))[0]]
GAMES.append(play_until(3, "sheet", 75)[0])


def read(text: str, separator: str) -> list[list[str]]:
    """The cells that a spreadsheet makes of a file, which splits at `separator`."""
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=separator))


def is_formula(cell: str) -> bool:
    """Whether a cell is anything but a number or text, whatever can't be seen at its beginning."""
    seen = [one for one in cell if unicodedata.category(one)[0] not in "ZCM" and one not in '"\u3164']
    return bool(seen) and seen[0] in "=+-@\uff1d\uff0b\uff0d\uff20\u2212" and not re.fullmatch(r"-?\d+", cell)


def sheet(names: Sequence[str], language: str, game: Game = GAMES[1]) -> str:
    words = words_of(language)
    return render_csv(game, label_seats([TableSeat(name) for name in names], words.terms), words)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_figure(game: Game, language: str) -> None:
    """A line for each business, losses, rounds, head start and total; columns add up, and so do rows."""
    names = [seat.name or "" for seat in game.seats]
    scores, words, seats = scores_of(game), words_of(language), len(names)
    text = sheet(names, language, game)
    assert text.count("\r\n") == text.count("\n")
    header, *lines = read(text, words_of(language).separator)
    assert header[0] == words.terms["business"]
    assert header[1:5] == [f"player 0 {column}" for column in (1, 2, 3, words.terms["total"])]
    assert {len(line) for line in (header, *lines)} == {1 + 4 * seats}
    labels = [words.cards[business] for business in BUSINESSES]
    sums = ("losses", "income", *["bonus"] * any(scores["bonus"]), "total")
    labels += [words.terms[name] for name in sums]
    figures = lines[: len(labels)]
    assert [line[0] for line in figures] == [
        one for one in labels if one != words.terms["bonus"] or any(scores["bonus"])
    ]
    for seat, total in enumerate(scores["totals"]):
        columns = [[line[1 + 4 * seat + column] for line in figures] for column in range(4)]
        for column, number in zip(columns, (1, 2, 3), strict=False):
            scored = [done["seats"][seat] for done in scores["rounds"] if done["round"] == number]
            amounts = [int(cell or 0) for cell in column]
            assert sum(amounts[:11]) == amounts[11] == sum(one["income"] for one in scored)
        assert int(columns[3][-1]) == total
        assert int(columns[3][11]) + scores["bonus"][seat] == total


@pytest.mark.parametrize("language", LANGUAGES)
def test_doubled_amounts_are_named(language: str) -> None:
    """After the figures, in the column of each round: the businesses that a risk card has doubled."""
    words, found = words_of(language), 0
    for game in GAMES:
        *_, last = read(sheet(["a"] * len(game.seats), language, game), words_of(language).separator)
        doubled = {
            (done.round, seat): [words.cards[name] for name in BUSINESSES if name in one and one[name]["doubled"]]
            for done in game.rounds
            for seat, one in enumerate(score["businesses"] for score in done.seats)
        }
        if not any(doubled.values()):
            assert last[0] == words.terms["total"]
            continue
        found += 1
        assert last[0].casefold() == words.terms["doubled"].casefold()
        for number, seat in product((1, 2, 3), range(len(game.seats))):
            names = doubled.get((number, seat), [])
            assert last[4 * seat + number] == (words.join(names) if names else "")
    assert found


@given(names=st.lists(TEXTS, min_size=4, max_size=4))
@example(names=ATTACKS[:4])
@example(names=ATTACKS[6:10])
@example(names=ATTACKS[9:13])
@example(names=ATTACKS[13:])
def test_no_cell_is_a_formula(names: list[str]) -> None:
    """Whatever the names are, and wherever the spreadsheet splits the lines, with quotes or without."""
    for language in ("de", "en"):
        text = sheet(names, language)
        assert list(read(text, words_of(language).separator)[0][1::4]) == [
            f"{escape_formula(label)} 1"
            for label in label_seats([TableSeat(name) for name in names], words_of(language).terms)
        ]
        for separator in ";,|\t":
            cells = [cell for line in read(text, separator) for cell in line]
            cells += [cell for line in text[1:].splitlines() for cell in line.split(separator)]
            assert not [cell for cell in cells if is_formula(cell)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_would_be_formulas(attack: str) -> None:
    """Without the apostrophe each of them makes one for some spreadsheet, and with it none."""

    def parts(text: str) -> list[str]:
        return re.split("[;,|]", f"{text} 1")

    assert any(is_formula(part) for part in parts(attack))
    assert not any(is_formula(part) for part in parts(escape_formula(attack)))
    assert escape_formula("Jean-Pierre, a=b; C+D") == "Jean-Pierre, a=b; C+D"


def test_over_http(api: Api) -> None:
    """The separator follows the language, asked for or preferred; the byte order mark comes first."""
    names = ["Änne; =1", "B"]
    table = api.create([{"name": name} for name in names])

    def ask(query: str = "", preferred: str = "") -> httpx.Response:
        return api.get(f"{table.path}/scores{query}", headers={**CSV, "Accept-Language": preferred})

    for answer, separator in (
        (ask(), ","),
        (ask("?language=en", "de"), ","),
        (ask("?language=de"), ";"),
        (ask(preferred="nl-BE, en;q=0.5"), ";"),
        (ask("?language=fr", "en"), ";"),
    ):
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert answer.content.startswith(b"\xef\xbb\xbf")
        header, *_ = read(answer.content.decode(), separator)
        assert header[1::4] == ["Änne;' =1 1", "B 1"]

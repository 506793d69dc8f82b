"""The score sheet in its three forms."""

import base64
import csv
import io
import re
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from domain.cards import BUSINESSES
from domain.projections.score_sheet import lay_out
from domain.words import LANGUAGES, WORDS
from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World
from tests.support.client import Api, Table, refused
from tests.support.play import play_until

NAMES = ["=1+1", '@"x", <b>&amp;</b>', "محمد عبد الله", "W" * 40, "\u202e{{ 7*7 }}"]
DOUBLED = "\u00d72"
CSV, HTML = {"Accept": "text/csv"}, {"Accept": "text/html"}
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.in_cell = False

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[-1][-1] += data.strip()


@pytest.fixture(scope="module")
def table(api: Api) -> Table:
    """A game at its start; the five names try to inject markup or formulas."""
    return api.create([{"name": name} for name in NAMES], variants={"staggered_start": True}, starting_seat=1)


@pytest.fixture(scope="module", params=[(2, 10_000, ()), (4, 10_000, ("staggered_start",)), (3, 75, ())])
def played(request: pytest.FixtureRequest) -> Iterator[World]:
    """A finished game of two and of four, and one that has had its first round."""
    seats, commands, variants = request.param
    _, events = play_until(seats, "sheet", commands, variants)
    world = World(Deployment.new(SHARDS))
    world.tell(events, dict.fromkeys(variants, True), 0)
    assert world.game.rounds
    yield world
    world.hub.close()


def _read(world: World, accept: dict[str, str], language: str = "en") -> Any:
    return world.ask("GET", f"{world.path}/scores?language={language}", headers=accept)


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json, text/html;q=0.9", "application/json"),
        ("text/csv", "text/csv; charset=utf-8"),
        ("text/html", "text/html; charset=utf-8"),
        (BROWSER["Accept"], "text/html; charset=utf-8"),
        ("text/csv;q=0.5, text/html;q=0.4", "text/csv; charset=utf-8"),
    ],
)
def test_negotiation(api: Api, table: Table, accept: str | None, form: str) -> None:
    """JSON unless Accept names another media type."""
    headers = {} if accept is None else {"Accept": accept}
    answer = api.get(f"{table.path}/scores", headers=headers)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, form)
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_other_media_types_are_refused(api: Api, table: Table) -> None:
    """An unavailable media type is 406, an unknown language 422."""
    refused(api.get(f"{table.path}/scores", headers={"Accept": "image/png"}), 406, "not-acceptable")
    for accept in (CSV, HTML, {}):
        problem = refused(api.get(f"{table.path}/scores?language=la", headers=accept), 422, "invalid-request")
        assert problem["errors"].keys() == {"language"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_csv_has_every_figure(played: World, language: str) -> None:
    """A line for each business, losses, rounds, head start and total; columns add up, and so do rows."""
    answer = _read(played, CSV, language)
    assert answer.data.count(b"\r\n") == answer.data.count(b"\n")
    scores = played.ask("GET", f"{played.path}/scores").get_json()
    header, *lines = csv.reader(io.StringIO(answer.text, newline=""))
    words, seats = WORDS[language], len(scores["totals"])
    assert header[0] == words.terms["business"]
    assert header[1:5] == [f"player 0 {column}" for column in (1, 2, 3, words.terms["total"])]
    assert {len(line) for line in (header, *lines)} == {1 + 4 * seats}
    labels = [words.cards[business] for business in BUSINESSES]
    labels += [words.terms[name] for name in ("losses", "income", "bonus", "total")]
    assert [line[0] for line in lines] == [one for one in labels if one != words.terms["bonus"] or any(scores["bonus"])]
    for seat, total in enumerate(scores["totals"]):
        columns = [[line[1 + 4 * seat + column] for line in lines] for column in range(4)]
        for column, number in zip(columns, (1, 2, 3), strict=False):
            scored = [done["seats"][seat] for done in scores["rounds"] if done["round"] == number]
            amounts = [int(cell or 0) for cell in column]
            assert sum(amounts[:11]) == amounts[11] == sum(one["income"] for one in scored)
        assert int(columns[3][-1]) == total
        assert int(columns[3][11]) + scores["bonus"][seat] == total


def test_csv_cells_are_never_formulas(api: Api, table: Table) -> None:
    """Every cell is text or a number to a spreadsheet; commas and quotes stay within their cells."""
    answer = api.get(f"{table.path}/scores", headers=CSV)
    header, *lines = csv.reader(io.StringIO(answer.text, newline=""))
    assert [header[1 + 4 * seat] for seat in range(5)] == [
        "'=1+1 1",
        '\'@"x", <b>&amp;</b> 1',
        "محمد عبد الله 1",
        "W" * 40 + " 1",
        "{{ 7*7 }} 1",
    ]
    for cell in (cell for line in (header, *lines) for cell in line):
        assert re.fullmatch(r"-?\d+", cell) or not re.match(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]", cell), cell


@pytest.mark.parametrize("name", ["+1", "-1", " =1", "\u00a0@x", "\uff1dx", "\u200e=1"])
def test_csv_guards_every_start_of_a_formula(api: Api, name: str) -> None:
    """Spaces, wide forms and marks that can't be seen make no difference."""
    table = api.create([{"name": name}, {}])
    header = next(csv.reader(io.StringIO(api.get(f"{table.path}/scores", headers=CSV).text)))
    assert header[1].startswith("'")
    assert header[1].endswith(" 1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_has_every_figure(played: World, language: str) -> None:
    """Businesses down, players and rounds across, as the rule book has it."""
    answer = _read(played, HTML, language)
    assert answer.headers["Content-Language"] == language
    page = Page(answer.text)
    assert ("lang", language) in page.attributes
    scores = played.ask("GET", f"{played.path}/scores").get_json()
    seats, words = len(scores["totals"]), WORDS[language]
    names, rounds, *lines = page.rows
    assert names[1:] == [f"player {seat}" for seat in range(seats)]
    assert rounds[1:] == ["1", "2", "3"] * seats
    for line, cells in zip(lay_out(scores), lines, strict=False):
        assert cells[0] == (words.cards.get(line.name) or words.terms[line.name])
        assert cells[1:] == [
            f"\u2212{-cell.income}" if cell and cell.income < 0
            else f"{cell.income}{DOUBLED * cell.doubled}" if cell
            else ""
            for places in line.seats
            for cell in places
        ]  # fmt: skip
    assert lines[-1] == [words.terms["total"], *(str(total).replace("-", "\u2212") for total in scores["totals"])]
    assert (words.terms["no round yet"] in answer.text) == (not scores["rounds"])


def test_page_runs_and_loads_nothing(api: Api, table: Table) -> None:
    """The page has no scripts and loads no files; its policy allows only its own style sheet, and names are text."""
    answer = api.get(f"{table.path}/scores?language=fr", headers=BROWSER)
    policy, page = answer.headers["Content-Security-Policy"], Page(answer.text)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    style = answer.text.partition("<style>")[2].partition("</style>")[0]
    assert f"'sha256-{base64.b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert not {"script", "b", "img", "link", "a", "iframe"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name == "style" or name.startswith("on") or name == "src"]
    assert page.rows[0][1:] == [*NAMES[:4], "{{ 7*7 }}"]
    assert page.tags.count("bdi") == 5
    assert WORDS["fr"].terms["no round yet"] in answer.text.replace("&#39;", "'")


def test_open_seats_and_doubles(api: Api) -> None:
    """An open seat is named as such, and two bots of one kind have distinct names."""
    table = api.create([{"bot": "greedy"}, {}, {"bot": "greedy"}])
    page = Page(api.get(f"{table.path}/scores?language=nl", headers=HTML).text)
    assert page.rows[0] == ["Naam", "greedy (1)", "vrije plaats", "greedy (2)"]


@pytest.mark.parametrize("accept", [CSV, HTML])
def test_language_follows_the_browser(api: Api, table: Table, accept: dict[str, str]) -> None:
    """Accept-Language counts where the query names no language, and Vary says so to caches."""

    def asked(path: str) -> httpx.Response:
        return api.get(f"{table.path}{path}", headers={**accept, "Accept-Language": "nl-BE, fr;q=0.5"})

    assert "Vastgoed" in asked("/scores").text
    assert "Immobilien" in asked("/scores?language=de").text
    assert "Accept-Language" in asked("/scores").headers["Vary"]

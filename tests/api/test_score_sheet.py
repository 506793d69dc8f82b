"""The score sheet as JSON and as a page, and what the next round would bring; CSV is in `test_score_sheet_csv.py`."""

import base64
import re
from datetime import UTC, datetime
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from babel.dates import format_date

from domain.projections.score_sheet import lay_out
from domain.words.catalogue import LANGUAGES
from domain.words.wording import words_of
from tests.api.worlds import World, told
from tests.support.cases import cases
from tests.support.client import Api, Table, refused
from tests.support.samples import with_nightly

NAMES = ["=1+1", '@"x", <b>&amp;</b>', "محمد عبد الله", "W" * 40, "\u202e{{ 7*7 }}"]
DOUBLED = "\u00d72"
CSV, HTML = {"Accept": "text/csv"}, {"Accept": "text/html"}
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


class Page(HTMLParser):
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


PLAYED = [
    (2, 10_000, ()),
    (4, 10_000, ("staggered_start",)),
    (3, 75, ()),
    (3, 150, ("expensive_specials", "staggered_start")),
]


@pytest.fixture(scope="module", params=PLAYED, ids=str)
def played(request: pytest.FixtureRequest) -> World:
    """Finished games of two and of four, and two that have had a round."""
    seats, commands, variants = request.param
    world = told(seats, "sheet", commands, variants)
    assert world.game.rounds
    return world


def _read(world: World, accept: dict[str, str], language: str = "en") -> Any:
    return world.ask("GET", f"{world.path}/scores?language={language}", headers=accept)


@pytest.mark.parametrize(("accept", "form"), [*cases(__file__, "negotiation"), (None, "application/json")])
def test_negotiation(api: Api, table: Table, accept: str | None, form: str) -> None:
    """JSON unless Accept names another media type."""
    headers = {} if accept is None else {"Accept": accept}
    answer = api.get(f"{table.path}/scores", headers=headers)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, form)
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_other_media_types_are_refused(api: Api, table: Table) -> None:
    refused(api.get(f"{table.path}/scores", headers={"Accept": "image/png"}), 406, "not-acceptable")
    for accept in (CSV, HTML, {}):
        problem = refused(api.get(f"{table.path}/scores?language=la", headers=accept), 422, "invalid-request")
        assert problem["errors"].keys() == {"language"}


@pytest.mark.parametrize("language", with_nightly(LANGUAGES))
def test_page_has_every_figure(played: World, language: str) -> None:
    """Businesses down, players and rounds across, as the rule book has it."""
    answer = _read(played, HTML, language)
    assert answer.headers["Content-Language"] == language
    page = Page(answer.text)
    assert ("lang", language) in page.attributes
    scores = played.ask("GET", f"{played.path}/scores").get_json()
    seats, words = len(scores["totals"]), words_of(language)
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
    assert (words.terms["losses for"] in answer.text) == (len(scores["rounds"]) == 3)


@pytest.mark.parametrize("language", with_nightly(LANGUAGES, 2))
def test_a_page_says_which_game_it_shows(played: World, language: str) -> None:
    text, game, words = _read(played, HTML, language).text, played.game, words_of(language)
    about = re.findall(r"<span>([^<]*)</span>", text.partition('<p class="about">')[2].partition("</p>")[0])
    assert about[-1] == game.id
    variants = [name for name, on in game.variants.items() if on]
    assert about[:-1] == [words.variants[name] for name in variants]
    shown = re.search(r'<time datetime="([^"]*)">([^<]*)</time>', text)
    assert shown is not None
    began = datetime.fromtimestamp(game.created / 1000, UTC)
    assert (shown[1], shown[2]) == (began.date().isoformat(), format_date(began, "long", words.locale))


def test_the_winner_is_marked(played: World) -> None:
    """In a line of words, in the head of the column and at the total; what is marked has a style."""
    text = _read(played, HTML, "nl").text
    winners = played.game.winners or []
    marked = re.findall(r'<(th|td)[^>]*class="([^"]*)"', text)
    tags = [tag for tag, classes in marked if "winner" in classes.split()]
    assert tags == ["th"] * len(winners) + ["td"] * len(winners)
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert {".player.winner", ".total .winner"} <= set(re.findall(r"^(\S[^{\n]*?) \{", style, re.MULTILINE))
    label = "Winnaar" if len(winners) == 1 else "Gedeelde overwinning"
    shown = ", ".join(f"<bdi>player {seat}</bdi>" for seat in winners)
    assert (f"{label}: {shown}" in text) == bool(winners)


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
    assert words_of("fr").terms["no round yet"] in answer.text.replace("&#39;", "'")


def test_open_seats_and_doubles(api: Api) -> None:
    """An open seat is named as such, and two bots of one kind have names of their own."""
    table = api.create([{"bot": "greedy"}, {}, {"bot": "greedy"}])
    page = Page(api.get(f"{table.path}/scores?language=nl", headers=HTML).text)
    assert page.rows[0] == ["Naam", "Berta (bot)", "vrije plaats", "Emil (bot)"]


@pytest.mark.parametrize("accept", [CSV, HTML])
def test_language_follows_the_browser(api: Api, table: Table, accept: dict[str, str]) -> None:
    """Accept-Language counts where the query names no language, and Vary says so to caches."""

    def asked(path: str) -> httpx.Response:
        return api.get(f"{table.path}{path}", headers={**accept, "Accept-Language": "nl-BE, fr;q=0.5"})

    assert "Vastgoed" in asked("/scores").text
    assert "Immobilien" in asked("/scores?language=de").text
    assert "Accept-Language" in asked("/scores").headers["Vary"]


# `…/scores/now`: what the next scoring round would bring if it came now.


def ask(world: World, query: str = "", seat: int | None = None) -> dict[str, Any]:
    answer = world.ask("GET", f"{world.path}/scores/now{query}", seat)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.get_json()
    return content


def test_all_are_told_the_same(played: World) -> None:
    """Seats and spectators, now and at the present version; it belongs to the view of that version."""
    now = ask(played)
    view = played.ask("GET", played.path).get_json()
    assert now["version"] == view["version"]
    assert [seat["total"] - seat["income"] for seat in now["seats"]] == [seat["total"] for seat in view["seats"]]
    assert (now["round"] is None) == (view["status"] == "over")
    assert ask(played, f"?at={now['version']}") == now
    for seat in played.tokens:
        assert ask(played, seat=seat) == now


def test_an_open_game_has_no_race_yet(api: Api) -> None:
    """The first round comes next, and nobody gets anything; a version that isn't there is refused."""
    table = api.create([{"name": "Anna"}, {}], variants={"staggered_start": True})
    now = api.get(f"{table.path}/scores/now").json()
    assert (now["round"], now["businesses"]) == (1, [])
    totals = [seat["total"] for seat in api.view(table)["seats"]]
    assert [(seat["income"], seat["total"]) for seat in now["seats"]] == [(0, total) for total in totals]
    version = api.version(table)
    refused(api.get(f"{table.path}/scores/now?at={version + 1}"), 404, "no-such-version", version)
    refused(api.get(f"{table.path}/scores/now?at=x"), 422, "invalid-request")

"""Every page of the service, in German, is fit for all widths and for screen readers, light and dark."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import TYPE_CHECKING, Final

import pytest

from domain.words.mail import MAIL
from domain.words.pages import LINK_PAGES
from service.app import all_routes
from service.web.frame import Page as Template
from service.web.frame import Tongue, render_page
from service.web.words import PAGE_WORDS
from tests.browser.checks import WIDTHS
from tests.browser.measures import layout_shift
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Look, Windows
from tests.support.client import Table

if TYPE_CHECKING:
    from playwright.sync_api import Page

GERMAN: Final = Look(language="de-DE")
VISITED: Final = {
    "/lobby": "/lobby",
    "/games": "/games",
    "/rules": "/rules",
    "/check": "/check",
    "/post": "/post",
    "/g/<game>/check": "/g/{game}/check",
    "/g/<game>/sheet": "/g/{game}/sheet",
    "/protocol": "/protocol",
    "/problems/<code>": "/problems/stale-version",
    "/v1/games/<game>/scores": "/v1/games/{game}/scores",
}
"""By the route: the address that is visited here."""
VOID: Final = {"/confirm/<token>", "/unsubscribe/<token>", "/token/<token>"}
"""Routes of links in mails, which all answer with pages of one template."""
ELSEWHERE: Final = {
    "/": "test_start.py",
    "/g/<game>": "test_table.py",
    "/g/<game>/replay": "test_replay.py",
    "/api": "test_documents.py",
    "/by-post": "test_documents.py",
    "/docs": "test_documents.py",
}
"""By the route: the tests that look at its page, in states that take some play."""
NO_PAGES: Final = {
    "/healthz",
    "/readyz",
    "/metrics",
    "/docs/<name>",
    "/protocol/vectors.json",
    "/favicon.ico",
    "/robots.txt",
    "/static/<digest>/<name>",
    "/manifest.webmanifest",
    "/service-worker.js",
}
"""What the service has for programs, besides `/v1/`."""


@pytest.fixture(scope="module")
def finished(tables: Tables) -> Table:
    """A game of long names that was played to its end."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian")
    tables.play_to_end(table)
    return table


def test_each_route_is_visited() -> None:
    """A new page can't be forgotten here."""
    routes = {route.path for route in all_routes() if route.method == "GET"}
    pages = {path for path in routes if not path.startswith("/v1/")} - NO_PAGES
    assert pages | (VISITED.keys() & routes) == VISITED.keys() | VOID | ELSEWHERE.keys()


def load(route: str, width: int, windows: Windows, game: Table) -> "Page":
    """The page of a route in a window of this width, and whatever it loads; nothing has moved meanwhile."""
    look = replace(GERMAN, width=width, height=WIDTHS[width])
    page = windows.open(VISITED[route].format(game=game.id), look)
    if route == "/g/<game>/check":
        page.locator("#verdict[data-state=ok]").wait_for()
    page.locator(".loading").first.wait_for(state="detached")
    assert layout_shift(page) < 0.02
    return page


@pytest.mark.nightly
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("route", VISITED)
def test_a_page_is_still_while_it_loads(route: str, width: int, windows: Windows, finished: Table) -> None:
    """At each width; every run looks at one for each page."""
    load(route, width, windows, finished)


@pytest.mark.parametrize(("route", "width"), list(zip(VISITED, cycle((min(WIDTHS), max(WIDTHS))))))
def test_a_page_suits_all_windows(
    route: str, width: int, windows: Windows, finished: Table, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """As it is loaded, on a phone or in a wide window, by turns."""
    page = load(route, width, windows, finished)
    inspect_page(page, route.strip("/").replace("/", "-").replace("<", "").replace(">", ""))
    if route == "/games":  # nothing to scroll where there are none
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_an_open_table_suits_all_windows(
    windows: Windows, tables: Tables, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """As one who may sit down sees it."""
    table = tables.api.create([{"name": "Konstantin-Maximilian"}, {}, {}])
    page = windows.open(f"/g/{table.id}", GERMAN)
    page.locator("#table[data-version]").wait_for()
    inspect_page(page, "table-open")


@pytest.mark.nightly
def test_a_table_says_what_it_needs_scripts_for(
    windows: Windows, finished: Table, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """Without them, at its address: a button for a table, and the ways by post and by programs."""
    page = windows.open(f"/g/{finished.id}", replace(GERMAN, scripts=False))
    common = PAGE_WORDS["de"].common
    assert not page.locator("#game").is_visible()
    assert page.locator("main").get_by_role("link", name=common.by_post).is_visible()
    inspect_page(page, "plain-shell")
    page.get_by_role("button", name=common.plain_table).click()
    page.locator("#seat-token").wait_for()


@pytest.mark.nightly
@pytest.mark.parametrize("viewer", ["watcher", "seat"])
def test_a_plain_table_suits_all_windows(
    viewer: str, windows: Windows, tables: Tables, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """The table of forms, in a browser with scripts, which judge it."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian", pace={"turn_seconds": 259_200})
    tables.play(table, 60)
    page = windows.open("/robots.txt", GERMAN)
    form = f'<form method="post" action="/g/{table.id}"><input name="token"></form>'
    page.evaluate("(form) => { document.body.innerHTML = form; }", form)
    page.locator("input").fill(table.tokens[0] if viewer == "seat" else "")
    with page.expect_navigation():
        page.evaluate("document.forms[0].submit()")
    assert page.get_by_role("heading", name=MAIL["de"].headings["hand"]).count() == (viewer == "seat")
    inspect_page(page, f"plain-{viewer}")


@pytest.mark.nightly
@pytest.mark.parametrize("status", [404, 429, 503])
def test_an_error_suits_all_windows(status: int, windows: Windows, inspect_page: "Callable[[Page, str], None]") -> None:
    """Rendered here: the service has these faults at no test's wish."""
    words = PAGE_WORDS["de"].common
    title = {404: words.no_page, 429: words.too_many, 503: words.unavailable}[status]
    hint = words.no_page_hint if status == 404 else words.again_hint
    values = {"title": title, "lines": [hint], "button": "", "code": ""}
    html = render_page(Template("page.html"), Tongue("de", is_asked_for=False), **values)
    windows.expect(f"status of {status}")
    page = windows.open("/robots.txt", GERMAN)
    page.route(
        "**/lobby", lambda route: route.fulfill(status=status, body=html, content_type="text/html; charset=utf-8")
    )
    page.goto(f"{windows.home}/lobby")
    inspect_page(page, f"error-{status}")


_CUT: Final = """() => {
  const right = (one) => one.getBoundingClientRect().right;
  const facts = [...document.querySelectorAll(".rival-facts span, #own-total")];
  return facts.filter((one) => right(one) > right(one.parentElement) + 1).map((one) => one.innerText);
}"""


@pytest.mark.nightly
@pytest.mark.parametrize("seat", [0, 1])
def test_a_vacation_suits_all_windows(
    seat: int, windows: Windows, tables: Tables, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """As the player sees it, and as another does: the longest of all that is said of a seat is cut nowhere."""
    table = tables.open("Anna", "Konstantin-Maximilian", pace={"turn_seconds": 86_400, "bank_seconds": 86_400})
    until = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    assert tables.api.post(f"{table.path}/vacation", table.tokens[0], json={"until": until}).status_code == 201
    page = windows.open(seat_link(table, seat), GERMAN)
    page.locator("#table[data-version]").wait_for()
    back = PAGE_WORDS["de"].table.on_vacation.partition("{")[0]
    page.locator(".rival-facts" if seat else "#own-total", has_text=back).wait_for()
    inspect_page(page, f"vacation-{seat}")
    page.set_viewport_size({"width": 345, "height": 740})
    assert page.evaluate(_CUT) == []


def test_a_void_link_suits_all_windows(windows: Windows, inspect_page: "Callable[[Page, str], None]") -> None:
    """Of a mail; the page is the same for all of them."""
    windows.expect("status of 404")
    page = windows.open("/unsubscribe/void", GERMAN)
    assert page.locator("h1").inner_text() == LINK_PAGES["de"].void_title
    inspect_page(page, "link-void")


def test_the_page_of_a_link_suits_all_windows(windows: Windows, inspect_page: "Callable[[Page, str], None]") -> None:
    """Rendered here, with all that such a page can have: this service sends no mails, so it has no valid link."""
    words = LINK_PAGES["de"].token
    values = {"title": words.title, "lines": [words.question, words.done], "button": words.button, "code": "x" * 60}
    html = render_page(Template("page.html"), Tongue("de", is_asked_for=False), **values)
    page = windows.open("/robots.txt", GERMAN)
    page.route("**/token/valid", lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
    page.goto(f"{windows.home}/token/valid")
    assert page.locator("form button").inner_text() == words.button
    inspect_page(page, "link-valid")

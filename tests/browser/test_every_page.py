"""Every page of the service, in German, is fit for all widths and for screen readers, light and dark."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Final

import pytest

from domain.words.catalogue import read
from service.app import all_routes
from service.web.frame import NOTICE_PARTS, Tongue, render_page
from service.web.frame import Page as Template
from service.web.words import page_words
from tests.browser.checks import SCHEMES, WIDTHS, check_accessibility, check_width
from tests.browser.measures import layout_shift, measured
from tests.browser.players import open_table
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Inspect, Look, Page, Windows, script
from tests.support.cases import cases
from tests.support.client import Table
from tests.support.samples import with_nightly

GERMAN: Final = Look(language="de-DE")
VISITED: Final = cases(__file__, "visited")
"""By the route: the address that is visited here."""
VOID: Final = {"/confirm/<token>", "/unsubscribe/<token>", "/token/<token>"}
"""Routes of links in mails, which all answer with pages of one template."""
NO_PAGES: Final = {*cases(__file__, "no_pages")}
OTHERS: Final = {*cases(__file__, "elsewhere"), *NO_PAGES}


@pytest.fixture(scope="module")
def finished(tables: Tables) -> Table:
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian")
    tables.play_to_end(table)
    return table


def test_each_route_is_visited() -> None:
    routes = {route.path for route in all_routes() if route.method == "GET"}
    pages = {path for path in routes if not path.startswith("/v1/")}
    assert pages | (VISITED.keys() & routes) == VISITED.keys() | VOID | OTHERS


def load(route: str, width: int, windows: Windows, game: Table) -> Page:
    """The page of a route in a window of this width, and whatever it loads; nothing has moved meanwhile."""
    look = replace(GERMAN, width=width, height=WIDTHS[width])
    page = windows.open(VISITED[route].format(game=game.id), look)
    if route == "/g/<game>/check":
        page.locator("#verdict[data-state=ok]").wait_for()
    page.locator(".loading").first.wait_for(state="detached")
    assert layout_shift(page) < 0.02
    return page


@pytest.mark.parametrize(("route", "width"), with_nightly(zip(VISITED, cycle((min(WIDTHS), max(WIDTHS)))), 6))
def test_a_page_suits_all_windows(
    route: str, width: int, windows: Windows, finished: Table, inspect_page: Inspect
) -> None:
    """As it is loaded, on a phone or in a wide window, by turns: nothing moves meanwhile."""
    page = load(route, width, windows, finished)
    inspect_page(page, route.strip("/").replace("/", "-").replace("<", "").replace(">", ""))
    if route == "/games":  # nothing to scroll where there are none
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.nightly
def test_a_table_says_what_it_needs_scripts_for(windows: Windows, finished: Table, inspect_page: Inspect) -> None:
    """Without them, at its address: a button for a table, and the ways by post and by programs."""
    page = windows.open(f"/g/{finished.id}", replace(GERMAN, scripts=False))
    common = page_words("de").common
    assert not page.locator("#game").is_visible()
    assert page.locator("main").get_by_role("link", name=common.by_post).is_visible()
    inspect_page(page, "plain-shell")
    page.get_by_role("button", name=common.plain_table).click()
    page.locator("#seat-token").wait_for()


@pytest.mark.nightly
@pytest.mark.parametrize("viewer", ["watcher", "seat"])
def test_a_plain_table_suits_all_windows(viewer: str, windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """The table of forms, in a browser with scripts, which judge it."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian", pace={"turn_seconds": 259_200})
    tables.play(table, 60)
    page = windows.open("/robots.txt", GERMAN)
    form = f'<form method="post" action="/g/{table.id}"><input name="token"></form>'
    page.evaluate("(form) => { document.body.innerHTML = form; }", form)
    page.locator("input").fill(table.tokens[0] if viewer == "seat" else "")
    with page.expect_navigation():
        page.evaluate("document.forms[0].submit()")
    assert page.get_by_role("heading", name=read("de", "mail").headings["hand"]).count() == (viewer == "seat")
    inspect_page(page, f"plain-{viewer}")


@pytest.mark.nightly
@pytest.mark.parametrize("status", [404, 429, 503])
def test_an_error_suits_all_windows(status: int, windows: Windows, inspect_page: Inspect) -> None:
    """Rendered here: the service has these faults at no test's wish."""
    words = page_words("de").common
    title = {404: words.no_page, 429: words.too_many, 503: words.unavailable}[status]
    hint = words.no_page_hint if status == 404 else words.again_hint
    values = {**NOTICE_PARTS, "title": title, "lines": [hint]}
    html = render_page(Template("page.html", shows_cards=True), Tongue("de", is_asked_for=False), **values)
    windows.expect(f"status of {status}")
    inspect_page(windows.show(html, GERMAN, status=status), f"error-{status}")


@pytest.mark.nightly
@pytest.mark.parametrize("seat", [0, 1])
def test_a_vacation_suits_all_windows(seat: int, windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """As the player sees it, and as another does: the longest of all that is said of a seat is cut nowhere."""
    table = tables.open("Anna", "Konstantin-Maximilian", pace={"turn_seconds": 86_400, "bank_seconds": 86_400})
    until = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    assert tables.api.post(f"{table.path}/vacation", table.tokens[0], json={"until": until}).status_code == 201
    page = open_table(windows, seat_link(table, seat), GERMAN)
    back = page_words("de").table.on_vacation.partition("{")[0]
    page.locator("[data-line='0'] .line-facts", has_text=back).wait_for()
    inspect_page(page, f"vacation-{seat}")
    page.set_viewport_size({"width": 345, "height": 740})
    assert page.evaluate(script("find_cut_facts")) == []


@pytest.mark.nightly
def test_pages_with_nothing_to_play_suit_all_windows(windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """A table that waits for players, and a link that leads nowhere."""
    table = tables.api.create([{"name": "Konstantin-Maximilian"}, {}, {}])
    inspect_page(open_table(windows, f"/g/{table.id}", GERMAN), "table-open")
    windows.expect("status of 404")
    page = windows.open("/unsubscribe/void", GERMAN)
    assert page.locator("h1").inner_text() == read("de", "mail_links").void_title
    inspect_page(page, "link-void")


@pytest.mark.nightly
def test_the_page_of_a_link_suits_all_windows(windows: Windows, inspect_page: Inspect) -> None:
    """Rendered here, with all that such a page can have: this service sends no mails, so it has no valid link."""
    words = read("de", "mail_links").token
    long = "Stammtisch Nr. 4 (Anna, Bert, Konstantin-Maximilian): " + "W" * 40
    more = {"choices": [("a", long, True), ("b", "B", False)], "seats": [(long, "/g/x")], "code": "x" * 60}
    more |= {"title": words.title, "lines": [words.question, words.done], "button": words.button}
    html = render_page(Template("page.html", shows_cards=True), Tongue("de", is_asked_for=False), **NOTICE_PARTS | more)
    page = windows.show(html, GERMAN)
    assert page.locator("form button").inner_text() == words.button
    inspect_page(page, "link-valid")


# The pages that are documents.


@pytest.mark.nightly
@pytest.mark.parametrize("path", with_nightly(["/docs/operating", "/docs/by-post"]))
def test_a_document_suits_all_windows(path: str, windows: Windows, inspect_page: Inspect) -> None:
    """The page and its icon are all that it loads, and nothing moves; it is fit for all widths and screen readers."""
    page = windows.open("about:blank")
    with measured(page) as traffic:
        page.goto(windows.home + path)
    assert len(traffic.requests) <= 2, traffic.requests
    assert traffic.size < 10_000
    assert layout_shift(page) < 0.02
    inspect_page(page, path.strip("/").replace("/", "-"))


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_api_is_shown(scheme: str, windows: Windows) -> None:
    """Below the documents, whose parts one finds; it breaks no policy, and axe-core finds nothing, light and dark."""
    page = windows.open("/docs", PHONE)
    page.locator("[id$=-createGame]").wait_for()
    page.get_by_role("searchbox").fill("player WRITES")
    links = page.locator("main li > a:visible")
    assert links.all_inner_texts()[-2:] == ["Backup, upgrade, deletion", "When a player writes to you"]
    assert page.get_by_role("status").inner_text() == "1 found"
    assert page.get_by_role("heading", name="Programmers").is_hidden()
    check_width(page)
    page.emulate_media(color_scheme=scheme)
    check_accessibility(page)


# The table without scripts.


def test_a_seat_plays_without_scripts(windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """A token opens the game for its seat, in the middle of a game; a button takes an action."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian")
    tables.play(table, 40)
    seat = tables.api.view(table)["turn"]["seat"]
    page = windows.open(f"/g/{table.id}", Look(scripts=False))
    page.locator("#late form button").click()
    page.locator("input[type=password]").fill(table.tokens[seat])
    page.locator(".plain-table form:has(input[type=password]) button").click()
    before = tables.api.view(table, seat)
    page.locator("button[name=action]").first.click()
    page.get_by_role("status").get_by_text(read("en", "plain_table").done).wait_for()
    assert tables.api.view(table, seat)["version"] > before["version"]
    inspect_page(windows.show(page.content()), "table-without-scripts")  # axe-core is a script

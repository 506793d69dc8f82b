"""A page whose script is blocked, broken, late or too new for the browser says so, and offers what works without."""

import time
from collections.abc import Callable
from typing import Final

import pytest

from service.web.words import page_words
from tests.browser.checks import check_width
from tests.browser.players import open_table
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Inspect, Page, Route, Windows
from tests.support.client import Table
from tests.support.samples import with_nightly

COMMON: Final = page_words("en").common
PAGES: Final = ("/g/{game}", "/g/{game}/replay", "/g/{game}/check", "/", "/lobby", "/games", "/league", "/check")
"""Those that show nothing without their script; all others show all that they have."""
SCRIPTS: Final = "**/static/*/*.js"
FAULTS: Final[dict[str, Callable[[Route], None]]] = {
    "net::ERR_FAILED": lambda route: route.abort(),
    "Invalid or unexpected token": lambda route: route.fulfill(body="const #", content_type="text/javascript"),
    "x is not a function": lambda route: route.fulfill(body="({}).x()", content_type="text/javascript"),
}
"""By the complaint of it: a script that is blocked, that the browser can't parse, or that fails at its start."""


def check_note(page: Page, *, is_table: bool) -> None:
    """The page says that its script isn't running, and offers the plain table where it has one."""
    page.evaluate("document.getAnimations().forEach((one) => one.finish())")
    note = page.locator("#late")
    note.get_by_text(COMMON.not_running).wait_for()
    hint = COMMON.plain_hint if is_table else COMMON.runs_without
    assert note.get_by_text(hint).is_visible()
    assert note.get_by_role("button").all_inner_texts() == [COMMON.plain_table] * is_table
    check_width(page)


@pytest.mark.parametrize(("path", "fault"), with_nightly([(path, fault) for path in PAGES for fault in FAULTS], 7))
def test_a_page_without_its_script_says_so(path: str, fault: str, windows: Windows, table: Table) -> None:
    windows.expect(fault)
    page = windows.open("about:blank", PHONE)
    page.route(SCRIPTS, FAULTS[fault])
    page.goto(windows.home + path.format(game=table.id))
    check_note(page, is_table=path == "/g/{game}")
    if path == "/g/{game}":
        page.get_by_role("button", name=COMMON.plain_table).click()
        page.locator("#seat-token").wait_for()


@pytest.mark.nightly
def test_a_late_script_is_awaited(windows: Windows, table: Table, inspect_page: Inspect) -> None:
    """For eight seconds: then a note stands above the page until the script comes."""
    waiting: list[Route] = []
    page = windows.open("about:blank", PHONE)
    page.route(SCRIPTS, lambda route: waiting.insert(0, route))
    page.goto(windows.home + seat_link(table, 0), wait_until="commit")
    began = time.monotonic()
    page.locator("#status-text").wait_for()
    assert not page.locator("#late").is_visible()
    page.locator("#late").wait_for()
    assert time.monotonic() - began > 7
    inspect_page(page, "late-script")
    for route in waiting:
        route.continue_()
    page.locator("#table[data-version]").wait_for()
    assert not page.locator("#late").is_visible()


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "missing"), [("/games", "Object.fromEntries"), ("/g/{game}", "Array.prototype.at")])
def test_a_script_that_the_browser_lacks_a_function_for(
    path: str, missing: str, windows: Windows, table: Table
) -> None:
    """It starts, and fails before it has shown anything: the page doesn't say for ever that it loads."""
    page = open_table(windows, seat_link(table, 0))
    windows.expect("is not a function")
    page.add_init_script(f"delete {missing}")
    page.goto("about:blank")
    page.goto(windows.home + path.format(game=table.id))
    check_note(page, is_table=path == "/g/{game}")


@pytest.mark.nightly
def test_a_running_page_says_nothing(windows: Windows, tables: Tables) -> None:
    """Whatever its script says of the service, which may be slow."""
    table = tables.open("Anna", "Bert")
    for path in PAGES:
        page = windows.open(path.format(game=table.id))
        page.evaluate("document.getAnimations().forEach((one) => one.finish())")
        assert not page.locator("#late").is_visible()

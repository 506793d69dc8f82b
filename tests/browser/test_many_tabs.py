"""Many tables in tabs of one browser, which opens six connections to a host by HTTP/1.1: none waits for another."""

from typing import Final

import pytest

from service.web.words import page_words
from tests.browser.players import await_turn, open_turn, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Page, Windows, script
from tests.support.client import Table

TABLES: Final = 7
SHOW: Final = script("show_or_hide")
"""Let a page be hidden, or seen again."""


def open_tabs(windows: Windows, tables: list[Table], without: str = "") -> list[Page]:
    """Tabs of one browser, each with a table and Anna's seat; `without`: a script for what the browser lacks."""
    first = windows.open("about:blank")
    first.context.add_init_script(without)
    pages = [first, *(windows.open("about:blank", beside=first) for _ in tables[1:])]
    for page, table in zip(pages, tables, strict=True):
        page.goto(windows.home + seat_link(table, 0))
        page.locator("#table[data-version]").wait_for()
        if without:
            page.evaluate(SHOW, page is pages[-1])
    return pages


def act(page: Page) -> None:
    before = version_of(page)
    for key in ("1", "Enter"):
        page.keyboard.press(key)
    await_turn(page, before)


@pytest.mark.nightly
@pytest.mark.parametrize("without", ["", "delete Navigator.prototype.locks"], ids=["in-sight", "hidden"])
def test_any_number_of_tables_in_one_browser(windows: Windows, tables: Tables, without: str) -> None:
    """Windows in sight agree on who keeps a connection; where the browser lets none agree, hidden tabs keep none."""
    games = [tables.open("Anna", "Bert") for _ in range(TABLES)]
    pages = open_tabs(windows, games, without)
    replays = [windows.open(f"/g/{game.id}/replay", beside=pages[0]) for game in games[:2]]
    for page in pages:
        act(page)
    for replay in replays:
        replay.reload()
    assert all(page.locator("#slow").is_hidden() for page in pages)


def test_a_tab_without_a_stream_shows_what_happens(windows: Windows, tables: Tables, table: Table) -> None:
    """At once where another tab of the browser has heard of it, or when it is seen again; else at its next look."""
    page = open_turn(windows, table)
    beside = windows.open(seat_link(table, 1), beside=page)
    beside.locator("#table[data-version]").wait_for()
    with page.expect_request("**/events"):
        page.reload()
    tables.play(table, 1)
    for tab in (page, beside):
        tables.await_version(table, tab)
    page.clock.install()
    for tab in (page, beside):
        tab.evaluate(SHOW, False)
    tables.play(table, 1)
    page.clock.fast_forward(10_000)
    tables.await_version(table, page)
    tables.await_version(table, beside)  # the first one has told it
    tables.play(table, 1)
    page.evaluate(SHOW, True)
    tables.await_version(table, page)


def test_a_request_that_waits_says_so(windows: Windows, table: Table) -> None:
    page = open_turn(windows, table)
    page.context.route("**/actions", lambda _route: None)
    page.clock.install()
    for key in ("1", "Enter"):
        page.keyboard.press(key)
    page.locator("#turn[aria-busy=true]").wait_for()
    assert page.locator("#slow").is_hidden()
    page.clock.fast_forward(5000)
    page.locator("#slow", has_text=page_words("en").common.slow).wait_for()

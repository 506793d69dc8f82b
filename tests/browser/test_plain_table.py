"""A game's page in a browser that runs no scripts: its forms play."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from domain.words.plain_table import PLAIN_TABLE
from tests.browser.tables import Tables
from tests.browser.windows import Look, Windows

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_seat_plays_without_scripts(
    windows: Windows, tables: Tables, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """A token opens the game for its seat, in the middle of a game; a button takes an action."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian")
    tables.play(table, 40)
    seat = tables.api.view(table)["turn"]["seat"]
    page = windows.open(f"/g/{table.id}", Look(scripts=False))
    page.locator("noscript form button").click()
    page.locator("input[type=password]").fill(table.tokens[seat])
    page.locator(".plain-table form:has(input[type=password]) button").click()
    before = tables.api.view(table, seat)
    page.locator("button[name=action]").first.click()
    page.get_by_role("status").get_by_text(PLAIN_TABLE["en"].done).wait_for()
    assert tables.api.view(table, seat)["version"] > before["version"]
    copy = windows.open("/robots.txt")  # axe-core is a script
    copy.route("**/copy", lambda route: route.fulfill(body=page.content(), content_type="text/html; charset=utf-8"))
    copy.goto(f"{windows.home}/copy")
    inspect_page(copy, "table-without-scripts")

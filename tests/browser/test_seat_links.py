"""Links to seats as mails and chats damage them: what a page makes of them, and what the browser keeps."""

import json
from typing import Final
from urllib.parse import quote

import pytest

from service.web.words import page_words
from tests.browser.players import await_turn, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Page, Windows
from tests.support.cases import cases
from tests.support.client import Table
from tests.support.samples import with_nightly

WORDS: Final = page_words("en")
COMMON: Final = WORDS.common
NO_STORE: Final = cases(__file__, "no_store")
"""The answer of a service whose store can't be reached, as Playwright fulfils it."""


def kept_tokens(page: Page, game: str) -> list[str]:
    """The tokens that the browser keeps for a game, the one that it plays first."""
    seat = json.loads(page.evaluate("localStorage.getItem('reibach.seats')") or "{}").get(game)
    return [] if seat is None else [seat["token"], *(other["token"] for other in seat.get("others", []))]


@pytest.mark.parametrize(
    "added", with_nightly(["%20Viel%20Spa%C3%9F", "\u201c", ".", ")", ">", "_", "%00%zz", quote("\u2026")])
)
def test_what_is_added_to_a_link_is_cut_off(added: str, windows: Windows, table: Table) -> None:
    """The seat opens as if nothing came after its token."""
    page = windows.open(seat_link(table, 0) + added)
    await_turn(page)
    assert kept_tokens(page, table.id) == [table.tokens[0]]
    assert not page.locator("#notice").is_visible()
    assert "#" not in page.url


@pytest.mark.parametrize("token", with_nightly(["%00%zz", "", "half", "a" * 5000, f"{'a' * 400}.{'b' * 27}"]))
def test_a_damaged_link_says_so_and_is_not_kept(token: str, windows: Windows, table: Table) -> None:
    """No request is sent with it; the seat that the browser has stays, else the page watches."""
    stranger = windows.open(f"/g/{table.id}#token={token}")
    stranger.locator("#notice", has_text=COMMON.damaged_link).wait_for()
    stranger.locator("#table[data-version]").wait_for()
    assert kept_tokens(stranger, table.id) == []
    page = open_turn(windows, table)
    page.goto(f"{windows.home}/g/{table.id}#token={token}")
    page.locator("#notice", has_text=COMMON.damaged_link).wait_for()
    await_turn(page)
    assert kept_tokens(page, table.id) == [table.tokens[0]]
    assert not page.locator("#other-seats").is_visible()


@pytest.mark.parametrize("fault", with_nightly(["changed", "foreign", "void"]))
@pytest.mark.parametrize("shown", with_nightly(["table", "replay"]))
def test_a_refused_link_takes_no_seat(fault: str, shown: str, windows: Windows, tables: Tables) -> None:
    """Nor is it kept beside the working one; the API's words for clients are not shown."""
    table, other = tables.open("Anna", "Bert"), tables.open("Cleo", "Dora")
    tokens = {"changed": f"{table.tokens[1][:-27]}{'x' * 27}", "foreign": other.tokens[0], "void": table.tokens[1]}
    if fault == "void":
        tables.hand_over(table, 1)
    path = f"/g/{table.id}" + ("/replay" if shown == "replay" else "")
    page = open_turn(windows, table)
    windows.expect("status of 40[13]")
    page.goto(f"{windows.home}{path}#token={tokens[fault]}")
    page.locator("#notice", has_text=COMMON.void_link).wait_for()
    if shown == "table":
        await_turn(page)
    assert "Bearer" not in page.locator("#main").inner_text()
    assert kept_tokens(page, table.id) == [table.tokens[0]]
    page.goto(f"{windows.home}/g/{table.id}")
    await_turn(page)
    assert not page.locator("#other-seats").is_visible()
    assert not page.locator("#notice").is_visible()


@pytest.mark.nightly
def test_a_void_seat_makes_room_for_the_one_beside_it(windows: Windows, tables: Tables, table: Table) -> None:
    """Its token is forgotten, and its button goes; without another seat the page says at each visit why it watches."""
    page = open_turn(windows, table)
    page.goto(windows.home + seat_link(table, 1))
    page.locator("#other-seats button").wait_for()
    page.goto("about:blank")  # an open table would load itself again, and say it then
    tables.hand_over(table, 1)
    windows.expect("status of 401")
    page.goto(f"{windows.home}/g/{table.id}")
    await_turn(page)
    assert kept_tokens(page, table.id) == [table.tokens[0]]
    page.locator("#notice", has_text=COMMON.void_link).wait_for()
    page.goto("about:blank")
    tables.hand_over(table, 0)
    for _ in range(2):
        page.goto(f"{windows.home}/g/{table.id}")
        page.locator("#notice", has_text=COMMON.void_seat).wait_for()


@pytest.mark.nightly
@pytest.mark.parametrize("fault", with_nightly(["no-store", "no-answer"]))
@pytest.mark.parametrize("shown", with_nightly(["table", "replay"]))
def test_a_link_waits_for_the_service(fault: str, shown: str, windows: Windows, table: Table) -> None:
    """Where nothing answers it stays in the address for a reload, and the page tries it again by itself.

    The API's words for clients are not shown.
    """
    page = windows.open("about:blank")
    failed, said = ("ERR_FAILED", COMMON.offline) if fault == "no-answer" else ("status of 503", COMMON.unavailable)
    windows.expect(failed)
    page.context.route("**/v1/**", lambda route: route.abort() if fault == "no-answer" else route.fulfill(**NO_STORE))
    page.goto(windows.home + seat_link(table, 0).replace("#", "/replay#" if shown == "replay" else "#"))
    page.locator("#status-text", has_text=said).wait_for()
    assert kept_tokens(page, table.id) == []
    assert table.tokens[0] in page.url
    page.context.unroute("**/v1/**")
    if shown == "table":
        await_turn(page)
        assert page.locator("#game-menu").is_visible()
    else:
        page.locator("#play:enabled").wait_for()
    assert kept_tokens(page, table.id) == [table.tokens[0]]
    assert "#" not in page.url

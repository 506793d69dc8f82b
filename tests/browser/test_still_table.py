"""The table keeps still while others play: nothing that is there moves, whatever comes from elsewhere."""

from itertools import product
from typing import Any, Final

import pytest

from service.web.words import page_words
from tests.browser.measures import layout_shift
from tests.browser.players import SHORT_GAME, await_turn, keyboard_player, open_table, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Look, Page, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly

LARGEST: Final = 0.02
"""Of all shifts of the layout that no input has caused."""
NAMES: Final = ("Anna", "Konstantin-Maximilian", "Bert")
GERMAN_PHONE: Final = Look(width=360, height=740, language="de-DE", touch=True)
TABLET: Final = Look(width=768, height=1024, language="de-DE")
DESKTOP: Final = Look(language="de-DE")
_PLACES: Final = script("places_of_parts")
"""Where each part of the table lies on the page that can be told again after it was drawn anew."""


def places_of(page: Page) -> dict[str, list[int]]:
    return page.evaluate(_PLACES)


def check_still(page: Page, before: dict[str, list[int]]) -> None:
    """Nothing lies elsewhere than before. Raises AssertionError with what has moved, and how."""
    after = places_of(page)
    moved = {name: (before[name], after[name]) for name in before.keys() & after.keys() if before[name] != after[name]}
    assert moved == {}


def own_parts(name: str) -> bool:
    return name.startswith("hand ")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("viewer", "look"), with_nightly(list(product(["seat", "watcher"], [GERMAN_PHONE, TABLET, DESKTOP])))
)
def test_nothing_moves_while_others_play(viewer: str, look: Look, windows: Windows, tables: Tables) -> None:
    """All moves up to the first scoring round, some of them by another device of the player, and a message."""
    table = tables.open(*NAMES, seed=SHORT_GAME, pace={"turn_seconds": 259_200, "bank_seconds": 86_400})
    page = open_table(windows, seat_link(table, 0) if viewer == "seat" else f"/g/{table.id}", look)
    before = {name: place for name, place in places_of(page).items() if not own_parts(name)}
    while tables.api.view(table)["reibach"]["rounds_scored"] == 0:
        tables.play(table, 3)
        tables.await_version(table, page)
        check_still(page, before)
    page.locator("#round").wait_for()
    tables.write(table, "to all " * 20, seat=1)
    page.locator("#recap .recap-messages").wait_for()
    check_still(page, before)
    assert layout_shift(page) < LARGEST
    page.locator("#round-close").click()


@pytest.mark.parametrize("look", with_nightly([GERMAN_PHONE, DESKTOP]))
@pytest.mark.parametrize("viewer", with_nightly(["seat", "watcher"]))
def test_nothing_moves_when_a_game_begins(viewer: str, look: Look, windows: Windows, tables: Tables) -> None:
    """The last player sits down, and all get their cards."""
    table = tables.api.create([{"name": "Anna"}, {}])
    page = open_table(windows, seat_link(table, 0) if viewer == "seat" else f"/g/{table.id}", look)
    before = places_of(page)
    assert tables.api.post(f"{table.path}/seats", json={"name": "Konstantin-Maximilian"}).status_code == 201
    page.locator("#table[data-status=playing]").wait_for()
    page.locator("#recap li").first.wait_for()
    check_still(page, before)
    assert layout_shift(page) < LARGEST


def refuse_take(page: Page, tables: Tables, table: Table) -> None:
    """Ask for a card in a turn that another device has ended meanwhile."""
    page.locator("#display button.card").first.click()
    page.locator("[data-focus=now]").wait_for()
    tables.end_turn(table)


@pytest.mark.nightly
@pytest.mark.parametrize("look", with_nightly([GERMAN_PHONE, DESKTOP]))
def test_a_late_refusal_moves_nothing(look: Look, windows: Windows, tables: Tables, table: Table) -> None:
    """It comes longer after the click than browsers count as its effect, and lies over the page.

    The reason stands below the display, by the card.
    """
    page = windows.open("about:blank", look)
    windows.expect("ERR_FAILED", "status of 412")
    page.context.route("**/events", lambda route: route.abort())  # the page learns of it by the refusal alone
    page.context.route("**wait=25", lambda route: route.abort())
    held: list[Any] = []
    page.context.route("**/actions", lambda route: held.append(route))  # noqa: PLW0108 - it must be a function of Python
    page.goto(windows.home + seat_link(table, 0))
    await_turn(page)
    refuse_take(page, tables, table)
    with page.expect_request("**/actions"):
        page.locator("[data-focus=now]").click()
    page.wait_for_function("(now) => performance.now() - now > 600", arg=page.evaluate("performance.now()"))
    before = {name: place for name, place in places_of(page).items() if not own_parts(name)}
    held.pop().continue_()
    page.locator("#display-problem").wait_for()
    assert page.locator("#display-problem").inner_text() == page_words("de").turn.changed
    assert page.locator("#display .card.refused").get_attribute("aria-describedby") == "display-problem"
    check_still(page, before)
    assert layout_shift(page) < LARGEST


@pytest.mark.nightly
@pytest.mark.parametrize("look", with_nightly([GERMAN_PHONE, DESKTOP]))
def test_own_turns_move_nothing_unasked(look: Look, windows: Windows, tables: Tables) -> None:
    """However late their answers come: what an input has caused within half a second doesn't count."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    page = windows.open(seat_link(table, 0), look)
    for _ in range(4):
        await_turn(page)
        player = keyboard_player(page)
        while tables.api.view(table)["turn"]["seat"] == 0:
            before = version_of(page)
            player.act()
            page.locator(f"#table[data-version='{before}']").wait_for(state="detached")
        tables.play(table, 3)
    assert layout_shift(page) < LARGEST

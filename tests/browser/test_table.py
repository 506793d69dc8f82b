"""The table in the middle of a game: what others see, what is kept, what is refused, and what a page costs."""

from typing import TYPE_CHECKING, Final

import pytest

from service.web.words import PAGE_WORDS
from tests.browser.checks import check_accessibility
from tests.browser.measures import layout_shift, measured
from tests.browser.players import await_turn, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Look, Windows
from tests.support.client import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

EVIL: Final = "<script>alert(1)</script>"
MOST_REQUESTS: Final = 6
MOST_BYTES: Final = 100_000
TURN = PAGE_WORDS["en"].turn


def compose(page: "Page") -> str:
    """Compose a step: the first hand card as a businessmaker. The card's code."""
    card = page.locator("#hand button.card").first
    code = card.get_attribute("data-card") or ""
    card.click()
    page.locator("#own-rows .row-new").click()
    page.locator("#turn .step").last.wait_for(state="attached")  # a phone shows their number
    return code


def laid(tables: Tables, table: Table) -> list[str]:
    """The types of the actions in the log."""
    return [event["type"] for event in tables.api.events(table) if event["type"] in ("BusinessmakerLaid", "CardTaken")]


@pytest.mark.nightly
def test_a_move_is_seen_by_all(windows: Windows, tables: Tables) -> None:
    """By a rival in another window, and by one who watches, who can do nothing; a text of a player is text."""
    table = tables.open("Anna", EVIL)
    anna, rival, watcher = (
        windows.open(seat_link(table, 0)),
        windows.open(seat_link(table, 1)),
        windows.open(f"/g/{table.id}"),
    )
    for page in (anna, rival, watcher):
        page.locator("#table[data-version]").wait_for()
    assert EVIL in anna.locator("#rivals").inner_text()
    compose(anna)
    before = version_of(anna)
    anna.locator("[data-focus=send]").click()
    await_turn(anna, before)
    for page in (rival, watcher):
        page.locator(f"#table[data-version='{version_of(anna)}']").wait_for()
        assert page.locator(".rival[data-seat='0'] .row").count() == 1
        page.locator("#announcements", has_text="Anna").wait_for(state="attached")  # words follow the picture
    assert watcher.locator("#table button").count() == watcher.locator("#messages button").count()
    rival.locator("#messages summary").click()
    rival.locator("#message-text").fill(EVIL)
    rival.locator("#message-form button").click()
    anna.locator("#messages summary").click()
    anna.locator(".message-text", has_text=EVIL).wait_for()
    watcher.locator("#recap", has_text=EVIL).wait_for()


def test_a_composed_turn_is_kept_and_sent_once(windows: Windows, tables: Tables) -> None:
    """Over a reload, and over a lost connection; nothing is sent before it is told to be."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0), PHONE)
    await_turn(page)
    height = page.locator("#dock").evaluate("one => one.clientHeight")
    cards = [compose(page), compose(page), compose(page)]
    page.get_by_role("button", name=TURN.change_steps.format("en", 3)).click()
    assert page.locator("#dock").evaluate("one => one.clientHeight") == height  # the hand stays where it was
    check_accessibility(page)
    page.get_by_role("button", name=TURN.remove.format(step="").strip()).last.click()
    page.get_by_role("button", name=TURN.earlier.format(step="").strip()).click()
    page.keyboard.press("Escape")
    page.locator(".step-panel-open").wait_for(state="detached")
    page.reload()
    page.locator("#turn .step").nth(1).wait_for(state="attached")
    codes = [page.locator("#turn .step .card").nth(index).get_attribute("data-card") for index in (0, 1)]
    assert codes == [cards[1], cards[0]]
    assert laid(tables, table) == []
    page.context.set_offline(offline=True)
    page.locator("[data-focus=send]").click()
    page.get_by_text(TURN.unsent).wait_for()
    assert laid(tables, table) == []
    before = version_of(page)
    page.context.set_offline(offline=False)
    await_turn(page, before)
    assert laid(tables, table) == ["BusinessmakerLaid"] * 2
    page.reload()
    await_turn(page)
    assert page.locator("#turn .step").count() == 0
    assert laid(tables, table) == ["BusinessmakerLaid"] * 2


def test_a_refusal_is_told_at_its_card(windows: Windows, tables: Tables) -> None:
    """In the service's own words; what another device has done meanwhile makes a composed step impossible."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0), Look(language="de-DE"))
    await_turn(page)
    card = compose(page)
    hand = tables.api.view(table, 0)["you"]["hand"]
    before = version_of(page)
    for _ in range(hand.count(card)):
        assert tables.api.act(table, 0, {"type": "lay_businessmaker", "card": card}).status_code == 201
    page.locator(f"#table[data-version='{before + hand.count(card)}']").wait_for()
    windows.expect("status of 409")
    page.locator("[data-focus=send]").click()
    problem = page.locator("#hand-problem")
    problem.wait_for()
    said = tables.api.post(
        f"{table.path}/actions",
        table.tokens[0],
        json={"type": "lay_businessmaker", "card": card},
        headers={"Accept-Language": "de"},
    ).json()["detail"]
    assert problem.inner_text() == said
    assert page.locator("#turn .step.refused").count() == 1
    page.keyboard.press("Backspace")
    assert page.locator("#turn .step").count() == 0
    assert not problem.is_visible()


def test_taking_asks_once(windows: Windows, tables: Tables) -> None:
    """A link's prepared action waits for a yes, too; whoever doesn't want to be asked isn't."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0, {"type": "take", "slot": 1}))
    page.locator("[data-focus=now]").wait_for()
    assert "token" not in page.url
    assert laid(tables, table) == []
    page.locator(".ask-not input").check()
    before = version_of(page)
    page.locator("[data-focus=now]").click()
    await_turn(page, before)
    before = version_of(page)
    page.keyboard.press("2")
    await_turn(page, before)
    assert laid(tables, table) == ["CardTaken"] * 2


def test_the_first_view_is_small(windows: Windows, tables: Tables) -> None:
    """A running game at the player's turn: requests, bytes, and nothing that moves."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, 60)
    seat = tables.api.view(table)["turn"]["seat"]
    page = windows.open("about:blank", PHONE)
    with measured(page) as traffic:
        page.goto(windows.home + seat_link(table, seat))
        await_turn(page)
    print(*traffic.requests, traffic.size, sep="\n")
    assert len(traffic.requests) <= MOST_REQUESTS, traffic.requests
    assert traffic.size <= MOST_BYTES
    assert layout_shift(page) < 0.02


@pytest.mark.parametrize("status", ["playing", "over"])
def test_the_table_suits_all_windows(
    status: str, windows: Windows, tables: Tables, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """In German, for a seat's player, with a turn that is composed, and with the sheet of the last scoring round."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian", pace={"turn_seconds": 259_200})
    tables.play(table, 60 if status == "playing" else 10_000)
    seat = (tables.api.view(table)["turn"] or {"seat": 0})["seat"]
    page = windows.open(seat_link(table, seat), Look(language="de-DE"))
    page.locator("#table[data-version]").wait_for()
    if status == "playing":
        page.locator("#hand button.card").first.click()
    inspect_page(page, f"table-{status}")
    page.locator("#game-menu").click()
    page.locator(".menu-item").first.click()
    page.locator("#sheet .totals").wait_for()
    check_accessibility(page)
    if status == "over":
        page.locator("#sheet-body .buttons .button").last.click()
        page.locator("#sheet .race").wait_for()
        inspect_page(page, "table-scoring")

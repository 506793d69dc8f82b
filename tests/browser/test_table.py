"""The table in the middle of a game: what others see, what is kept, what is refused, and what a page costs."""

from typing import Final

import pytest

from service.web.words import fill_plural, page_words
from tests.browser.checks import check_accessibility
from tests.browser.measures import layout_shift, measured
from tests.browser.players import SHORT_GAME, await_turn, open_table, open_turn, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Inspect, Look, Page, Route, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly

EVIL: Final = "<script>alert(1)</script>"
MOST_REQUESTS: Final = 6
MOST_BYTES: Final = 76_000
TURN = page_words("en").turn


def compose(page: Page) -> str:
    """Compose a step: the first hand card as a businessmaker. The card's code."""
    card = page.locator("#hand button.card").first
    code = card.get_attribute("data-card") or ""
    card.click()
    page.locator(".row-new").click()
    page.locator("#turn .step").last.wait_for(state="attached")  # a phone shows their number
    return code


def laid(tables: Tables, table: Table) -> list[str]:
    return [event["type"] for event in tables.api.events(table) if event["type"] in ("BusinessmakerLaid", "CardTaken")]


@pytest.mark.nightly
def test_a_move_is_seen_by_all(windows: Windows, tables: Tables) -> None:
    """By a rival in another window, and by one who watches, who can do nothing; a text of a player is text."""
    table = tables.open("Anna", EVIL)
    anna, rival, watcher = map(windows.open, (seat_link(table, 0), seat_link(table, 1), f"/g/{table.id}"))
    for page in (anna, rival, watcher):
        page.locator("#table[data-version]").wait_for()
    assert EVIL in anna.locator("#market").inner_text()
    compose(anna)
    before = version_of(anna)
    anna.locator("[data-focus=send]").click()
    await_turn(anna, before)
    for page in (rival, watcher):
        page.locator(f"#table[data-version='{version_of(anna)}']").wait_for()
        assert page.locator("[data-line='0'] .maker").count() == 1
        page.locator("#announcements", has_text="Anna").wait_for(state="attached")  # words follow the picture
    assert not watcher.locator("#market button, #display button, #turn button").count()
    rival.locator("#messages summary").click()
    rival.locator("#message-text").fill(EVIL)
    rival.locator("#message-form button").click()
    anna.locator("#messages summary").click()
    anna.locator(".message-text", has_text=EVIL).wait_for()
    watcher.locator("#recap .recap-messages").wait_for()


def test_a_composed_turn_is_kept_and_sent_once(windows: Windows, tables: Tables, table: Table) -> None:
    """Over a reload, and over a lost connection; nothing is sent before it is told to be."""
    page = open_turn(windows, table, PHONE)
    height = page.locator("#dock").evaluate("one => one.clientHeight")
    cards = [compose(page), compose(page), compose(page)]
    page.get_by_role("button", name=fill_plural("en", TURN.change_steps, 3)).click()
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


def test_a_refusal_is_told_at_its_card(windows: Windows, tables: Tables, table: Table) -> None:
    """In the service's own words. What the page knows of the rules lets none come about: this is another seat's."""
    page = open_turn(windows, table, Look(language="de-DE"))
    lay, german = {"type": "lay_businessmaker", "card": compose(page)}, {"Accept-Language": "de"}
    said = tables.api.post(f"{table.path}/actions", table.tokens[1], json=lay, headers=german).json()
    windows.expect("status of 409")
    page.route("**/actions", lambda route: route.fulfill(status=409, json=said), times=1)
    page.locator("[data-focus=send]").click()
    problem = page.locator("#hand-problem")
    problem.wait_for()
    assert problem.inner_text() == said["detail"]
    assert page.locator("#turn .step.refused").count() == 1
    page.keyboard.press("Backspace")
    assert page.locator("#turn .step").count() == 0
    assert not problem.is_visible()


def test_taking_asks_once(windows: Windows, tables: Tables, table: Table) -> None:
    """A link's prepared action waits for a yes, too; whoever doesn't want to be asked isn't."""
    page = windows.open(seat_link(table, 0, {"type": "take", "slot": 1}))
    page.locator("[data-focus=now]").wait_for()
    assert "token" not in page.url
    assert laid(tables, table) == []
    before = version_of(page)
    page.locator("[data-focus=now]").click()
    await_turn(page, before)
    before = version_of(page)
    page.keyboard.press("2")
    await_turn(page, before)
    assert laid(tables, table) == ["CardTaken"] * 2


def test_the_first_view_is_small(windows: Windows, tables: Tables) -> None:
    """A running game at the player's turn: requests, bytes, and nothing that moves. The rest is loaded when needed."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, 60)
    seat = tables.api.view(table)["turn"]["seat"]
    page = windows.open("about:blank", PHONE)
    with measured(page) as traffic:
        page.goto(windows.home + seat_link(table, seat))
        await_turn(page)
    print(*traffic.requests, traffic.size, sep="\n")
    assert len(traffic.requests) <= MOST_REQUESTS, traffic.requests
    assert "late-" not in " ".join(traffic.requests)
    assert traffic.size <= MOST_BYTES
    assert layout_shift(page) < 0.02


@pytest.mark.parametrize("status", with_nightly(["playing", "over"]))
def test_the_table_suits_all_windows(status: str, windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """In German, for a seat's player, with a turn that is composed."""
    table = tables.open("Anna", "Bert", "Konstantin-Maximilian", pace={"turn_seconds": 259_200})
    tables.play(table, 60 if status == "playing" else 10_000)
    seat = (tables.api.view(table)["turn"] or {"seat": 0})["seat"]
    page = open_table(windows, seat_link(table, seat), Look(language="de-DE"))
    if status == "playing":
        page.locator("#hand button.card").first.click()
    inspect_page(page, f"table-{status}")


# What the table says of itself: its symbols, its keys, where the focus is, and the ways on when a game is over.


WORDS = page_words("de")
GERMAN: Final = Look(language="de-DE")


@pytest.mark.nightly
def test_symbols_have_words(windows: Windows, tables: Tables, table: Table) -> None:
    """The scorings, costs and points, new cards and rows, and rows without a business.

    The chosen card is marked, in sight and to screen readers; choosing it again lets go of it. All are large.
    """
    page = open_turn(windows, table, GERMAN)
    until = fill_plural("de", WORDS.table.until_scoring, 4, round=1).replace("4 ", "4\u00a0")
    assert page.locator(".track-hint").inner_text() == until
    assert page.locator("#display .cost").all_inner_texts() == ["kostet 1"] * 3 + ["kostet 2"]
    assert page.locator(".points-word").inner_text() == "3\u00a0Punkte"
    sizes = page.locator("#hand .card, #display .card").evaluate_all("(all) => all.map((one) => one.offsetWidth)")
    assert min(sizes) >= 92
    cards = page.locator("#hand button.card")
    cards.first.click()
    pressed = [card.get_attribute("aria-pressed") for card in cards.all()]
    assert pressed == ["true", *["false"] * (cards.count() - 1)]
    outlines = [card.evaluate("one => getComputedStyle(one).outlineStyle") for card in cards.all()]
    assert (outlines[0], outlines[-1]) == ("solid", "none")
    check_accessibility(page)
    cards.first.click()
    assert {card.get_attribute("aria-pressed") for card in cards.all()} == {"false"}
    cards.first.click()
    page.locator(".row-new").click()
    waiting = fill_plural("de", WORDS.market.waiting, 1, amount="\u22122").replace("1 ", "1\u00a0")
    assert page.locator(".line-own .maker-text").inner_text() == waiting
    assert tables.api.act(table, 0, {"type": "take", "slot": 1}).status_code == 201
    new = page.locator("#display .slot").nth(1).locator(".card")
    new.locator(".new-mark", has_text=WORDS.table.changed).wait_for()
    assert (new.get_attribute("aria-label") or "").endswith(f", {WORDS.table.changed}")
    assert page.locator("#display .new-mark").count() == 1
    mark, letters = new.locator(".new-mark").bounding_box(), new.locator(".card-letters").bounding_box()
    assert mark is not None
    assert letters is not None
    assert mark["y"] + mark["height"] <= letters["y"]


def test_an_empty_place_says_so(windows: Windows, tables: Tables) -> None:
    """The tenth Reibach card ends a game before the display is filled again."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    tables.play_to_end(table)
    empty = tables.api.view(table)["display"].count(None)
    page = windows.open(f"/g/{table.id}", GERMAN)
    page.locator("#ending:visible").evaluate(script("keep_first_round"), table.id)
    page.reload()
    page.locator("#ending").wait_for()  # no sheet lies over the result
    assert (empty, page.locator("#sheet").is_visible()) == (1, False)
    assert page.locator("#display .card-empty").all_inner_texts() == [WORDS.table.empty_slot]


def test_the_focus_stays_when_a_turn_ends(windows: Windows, tables: Tables, table: Table) -> None:
    """By a take, whose button is gone: at the status; arrows leave no table. The keys stand there, for all devices."""
    page = open_turn(windows, table, GERMAN)
    assert page.locator(".keys-line").is_visible()
    assert WORDS.turn.hint_first in page.locator("#turn").inner_text()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
        assert page.locator("#table :focus").count() == 1  # no link elsewhere on the page
    for _ in range(3):
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.locator("#turn[aria-busy=false]").wait_for()
        assert page.evaluate("document.activeElement !== document.body")
    assert tables.api.view(table)["turn"]["seat"] == 1
    assert page.evaluate("document.activeElement.id") == "status-text"
    page.keyboard.press("?")
    page.locator("#sheet .keys").wait_for()


def test_without_hand_cards_none_is_asked_for(windows: Windows, tables: Tables, table: Table) -> None:
    takes = [{"type": "take", "slot": slot} for slot in (0, 1, 2)]
    for actions in ([], [], [], takes, []):
        assert tables.api.act(table, 1, *actions).status_code == 201 if actions else tables.lay(table)
    page = open_turn(windows, table, GERMAN)
    assert WORDS.turn.hint_take in page.locator("#turn").inner_text()


def test_time_that_is_over_has_words(windows: Windows, tables: Tables) -> None:
    """That of a turn whose player is waited for, and that of an empty time bank."""
    table = tables.open("Anna", "Bert", pace={"turn_seconds": 259_200, "on_timeout": "wait", "bank_seconds": 86_400})

    def answer(route: Route) -> None:
        view = route.fetch().json()
        view["turn"]["deadline"] = "2026-01-01T00:00:00Z"
        for seat in view["seats"]:
            seat["bank_seconds"] = 0
        route.fulfill(json=view)

    page = windows.open("about:blank", GERMAN)
    page.route(f"**{table.path}", answer)
    page.goto(f"{windows.home}/g/{table.id}")
    page.locator("#status-clock", has_text=WORDS.table.late).wait_for()
    assert WORDS.table.bank.format(time="0 Sekunden") in page.locator(".line-facts").first.inner_text()

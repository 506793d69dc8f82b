"""What the table says of itself: its symbols, its keys, where the focus is, and the ways on when a game is over."""

from typing import TYPE_CHECKING, Final

from service.web.words import PAGE_WORDS
from tests.browser.checks import check_accessibility, check_width
from tests.browser.measures import layout_shift
from tests.browser.players import SHORT_GAME, await_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Look, Windows

if TYPE_CHECKING:
    from playwright.sync_api import Route

WORDS = PAGE_WORDS["de"]
GERMAN: Final = Look(language="de-DE")


def test_symbols_have_words(windows: Windows, tables: Tables) -> None:
    """The scorings, costs and points, new cards and rows, and rows without a business."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0), GERMAN)
    await_turn(page)
    assert page.locator(".track-hint").inner_text() == WORDS.table.scorings.format(marks="4, 7 und 10")
    assert page.locator("#display .cost").all_inner_texts() == ["kostet 1"] * 3 + ["kostet 2"]
    assert page.locator(".points-word").inner_text() == "3\u00a0Punkte"
    page.locator("#hand button.card").first.click()
    page.locator("#own-rows .row-new").click()
    assert page.locator("#own-rows .row-name").inner_text() == WORDS.table.no_business
    assert page.locator("#own-rows .row-length").count() == 0
    assert tables.api.act(table, 0, {"type": "take", "slot": 1}).status_code == 201
    new = page.locator("#display .slot").nth(1).locator(".card")
    new.locator(".new-mark", has_text=WORDS.table.changed).wait_for()
    assert (new.get_attribute("aria-label") or "").endswith(f", {WORDS.table.changed}")
    assert page.locator("#display .new-mark").count() == 1
    mark, letters = new.locator(".new-mark").bounding_box(), new.locator(".card-letters").bounding_box()
    assert mark is not None
    assert letters is not None
    assert mark["y"] + mark["height"] <= letters["y"]


def test_the_chosen_card_is_marked(windows: Windows, tables: Tables) -> None:
    """In sight and to screen readers, and no other one; choosing it again lets go of it."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0), GERMAN)
    await_turn(page)
    cards = page.locator("#hand button.card")
    chosen = ["true", *["false"] * (cards.count() - 1)]
    cards.first.click()
    assert [card.get_attribute("aria-pressed") for card in cards.all()] == chosen
    outlines = [card.evaluate("one => getComputedStyle(one).outlineStyle") for card in cards.all()]
    assert (outlines[0], outlines[-1]) == ("solid", "none")
    check_accessibility(page)
    cards.first.click()
    assert {card.get_attribute("aria-pressed") for card in cards.all()} == {"false"}


def test_rows_of_others_are_read_on_a_phone(windows: Windows, tables: Tables) -> None:
    """The letters of the business and the length, in one line."""
    table = tables.open("Anna", "Bert")
    tables.play(table, 60)
    page = windows.open(seat_link(table, 0), PHONE)
    page.locator("#table[data-version]").wait_for()
    rows = tables.api.view(table)["seats"][1]["rows"]
    chips = page.locator(".rival .row-chip")
    shown = [(chip.get_attribute("data-card"), chip.locator("b").inner_text()) for chip in chips.all()]
    assert shown == [(row["business"], str(row["length"] or "")) for row in rows]
    for chip in page.locator(".rival .row-chip[data-card]").all():
        assert chip.locator(".row-chip-letters").inner_text()


def test_an_empty_place_says_so(windows: Windows, tables: Tables) -> None:
    """The tenth Reibach card ends a game before the display is filled again."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    tables.play_to_end(table)
    empty = tables.api.view(table)["display"].count(None)
    page = windows.open(f"/g/{table.id}", GERMAN)
    page.locator("#ending").wait_for()
    assert empty == 1
    assert page.locator("#display .card-empty").all_inner_texts() == [WORDS.table.empty_slot]


def test_a_finished_game_leads_on(windows: Windows, tables: Tables) -> None:
    """Behind the sheets of its last rounds: the final standing is at the top, with links."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    page = windows.open(seat_link(table, 0), PHONE)
    await_turn(page)
    tables.play_to_end(table)
    page.locator("#table[data-status=over]").wait_for()
    page.evaluate("scrollTo(0, 300)")
    shift = layout_shift(page)
    ending = page.locator("#ending")
    for _ in range(3):
        assert not ending.is_visible()
        page.locator("#sheet[open]").wait_for()
        page.locator("#sheet-close").tap()
    ending.wait_for()
    page.wait_for_function("scrollY === 0")
    view = tables.api.view(table)
    names = [seat["name"] for seat in sorted(view["seats"], key=lambda seat: -seat["total"])]
    own = f"Anna ({PAGE_WORDS['en'].scoring.you})"
    assert ending.locator(".standing bdi").all_inner_texts() == [own if name == "Anna" else name for name in names]
    assert names[0] in ending.locator(".winners").inner_text()
    assert page.locator("#turn").inner_text() == ""
    paths = [link.get_attribute("href") for link in ending.locator("a.button").all()]
    rest = ["sheet", "check"]
    assert paths == [f"/g/{table.id}/replay", f"/?again={table.id}", *(f"/g/{table.id}/{one}" for one in rest), "/"]
    assert layout_shift(page) - shift < 0.02
    check_width(page)
    check_accessibility(page)


def test_the_focus_stays_when_a_turn_ends(windows: Windows, tables: Tables) -> None:
    """By a take, whose button is gone: at the status. The keys stand at the table, and the hint is for all devices."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0), GERMAN)
    await_turn(page)
    assert page.locator(".keys-line").is_visible()
    assert WORDS.turn.hint_pick in page.locator("#turn").inner_text()
    for _ in range(3):
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.locator("#turn[aria-busy=false]").wait_for()
        assert page.evaluate("document.activeElement !== document.body")
    assert tables.api.view(table)["turn"]["seat"] == 1
    assert page.evaluate("document.activeElement.id") == "status-text"
    page.keyboard.press("?")
    page.locator("#sheet .keys").wait_for()


def test_time_that_is_over_has_words(windows: Windows, tables: Tables) -> None:
    """That of a turn whose player is waited for, and that of an empty time bank."""
    table = tables.open("Anna", "Bert", pace={"turn_seconds": 259_200, "on_timeout": "wait", "bank_seconds": 86_400})

    def answer(route: "Route") -> None:
        view = route.fetch().json()
        view["turn"]["deadline"] = "2026-01-01T00:00:00Z"
        for seat in view["seats"]:
            seat["bank_seconds"] = 0
        route.fulfill(json=view)

    page = windows.open("about:blank", GERMAN)
    page.route(f"**{table.path}", answer)
    page.goto(f"{windows.home}/g/{table.id}")
    page.locator("#status-clock", has_text=WORDS.table.late).wait_for()
    assert WORDS.table.bank.format(time="0 Sekunden") in page.locator(".rival-facts").first.inner_text()


def test_the_recap_is_a_tab_stop_where_it_scrolls(windows: Windows, tables: Tables) -> None:
    """Not in a high window, in which it shows all that it tells."""
    table = tables.open("Anna", "Bert")
    page = windows.open(f"/g/{table.id}")
    page.locator("#recap li").first.wait_for()
    assert page.locator("#recap").get_attribute("tabindex") is None
    page.set_viewport_size({"width": PHONE.width, "height": PHONE.height})
    tables.play(table, 9)
    page.locator("#recap[tabindex='0'] li").first.wait_for()
    assert not page.locator(".keys-line").is_visible()

"""The menu of a game: what a player can do besides playing cards."""

from dataclasses import replace

import pytest

from domain.words.wording import words_of
from service.web.words import page_words
from tests.browser.checks import check_accessibility
from tests.browser.players import await_turn, open_table, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import DESKTOP, PHONE, Locator, Look, Page, Windows
from tests.support.client import Table
from tests.support.samples import with_nightly

WORDS = page_words("en")
CARDS = words_of("en").cards


def open_panel(page: Page, title: str) -> Locator:
    if page.locator("#sheet").is_visible():
        page.locator("#sheet-close").click()
    page.locator("#game-menu").click()
    page.locator(".menu-item", has_text=title).click()
    page.locator("#sheet-body .back").wait_for()
    return page.locator("#sheet")


def open_judged(page: Page, title: str) -> Locator:
    panel = open_panel(page, title)
    check_accessibility(page)
    return panel


@pytest.mark.nightly
def test_the_menu_offers_what_the_api_does(windows: Windows, tables: Tables) -> None:
    """Orders, notifications, vacation, consents, links to the seat, resigning; each is shown as it is kept."""
    windows.expect("status of 404")  # neither orders nor notifications yet
    table = tables.open("Anna", "Bert", pace={"turn_seconds": 259_200})
    page, rival = open_turn(windows, table, PHONE), open_table(windows, seat_link(table, 1))
    token = table.tokens[0]

    open_judged(page, WORDS.orders.title)

    panel = open_judged(page, WORDS.notices.title)
    assert panel.get_by_label(WORDS.notices.email).count() == 0  # this service sends none
    panel.get_by_label(WORDS.notices.url).fill(f"{windows.home}/hook")
    panel.get_by_label(WORDS.notices.on["message"]).check()
    panel.get_by_label(WORDS.notices.quiet_from).fill("22:00")
    panel.get_by_label(WORDS.notices.quiet_to, exact=True).fill("08:00")
    panel.get_by_role("button", name=WORDS.notices.save).click()
    panel.get_by_text(WORDS.notices.secret).wait_for()
    kept = tables.api.get(f"{table.path}/notifications", token).json()
    assert (kept["webhook"]["url"], kept["while_watching"]) == (f"{windows.home}/hook", False)
    assert (kept["quiet"], kept["receipts"]) == ({"from": "22:00", "to": "08:00"}, True)
    assert "message" in kept["on"]

    panel = open_judged(page, WORDS.clock.title)
    panel.get_by_role("button", name=WORDS.clock.take_vacation).click()
    panel.get_by_role("button", name=WORDS.clock.end_vacation).wait_for()
    panel.get_by_role("button", name=WORDS.clock.agree_cancel).click()
    panel.get_by_role("button", name=WORDS.clock.withdraw).wait_for()
    view = tables.api.view(table)
    assert view["consents"] == {"cancel": [0]}
    assert len(view["seats"][0]["vacations"]) == 1
    panel.get_by_role("button", name=WORDS.clock.withdraw).click()
    panel.get_by_role("button", name=WORDS.clock.agree_cancel).wait_for()

    guests = [{"seat": 0, "status": "refused", "until": None, "error": "x"}, {"seat": 1, "status": "taken"}]
    page.route("**/invitations", lambda route: route.fulfill(json={"invitations": guests}))
    page.route("**/invitations/0", lambda route: route.fulfill(json={}))
    panel = open_judged(page, WORDS.menu.seat)
    panel.get_by_text(WORDS.seat.guest.refused).wait_for()
    panel.get_by_label(WORDS.seat.mail).fill("bert@example.org")
    with page.expect_request(lambda request: request.method == "PUT") as sent:
        panel.get_by_role("button", name=WORDS.seat.invite_again).click()
    assert sent.value.post_data_json == {"email": "bert@example.org"}
    panel.get_by_text(WORDS.seat.invited_again).wait_for()
    assert panel.locator(".link input").input_value() == windows.home + seat_link(table, 0)
    open_judged(page, WORDS.menu.help)

    panel = open_panel(page, WORDS.clock.title)
    panel.get_by_label(WORDS.clock.sure).check()
    panel.get_by_role("button", name=WORDS.clock.resign, exact=True).click()
    page.locator("#turn", has_text=WORDS.clock.resign_hint).wait_for()
    assert not panel.is_visible()
    page.locator("#status-text:focus").wait_for()
    assert tables.api.view(table)["seats"][0]["away"] == "resigned"
    rival.locator("[data-line='0'] .line-facts").get_by_text(WORDS.table.resigned).wait_for()
    await_turn(rival)
    assert page.locator("#display button, #hand button").count() == 0


@pytest.mark.nightly
@pytest.mark.parametrize("size", with_nightly([PHONE, DESKTOP]), ids=["phone", "desktop"])
def test_orders_are_given_by_touching_cards(
    windows: Windows, tables: Tables, table: Table, request: pytest.FixtureRequest, size: Look
) -> None:
    """A display card, then an alternative, a hand card with its row; each time what they would do, nothing hidden."""
    windows.expect("status of 404")  # no orders yet
    page = open_turn(windows, table, size)
    view = tables.api.view(table, 0)
    panel, words = open_panel(page, WORDS.orders.title), WORDS.orders
    card, hand = view["display"][0], view["you"]["hand"][0]
    name = CARDS[card]

    def touch(label: str) -> None:
        panel.locator(".palette").get_by_role("button", name=label, exact=True).click()

    touch(words.wishes["take"].format(card=name))
    panel.get_by_text(words.would.format(actions=words.wishes["take"].format(card=name))).wait_for()
    panel.locator(".orders li", has_text=name).get_by_label(words.repeat).check()
    panel.get_by_label(words.if_none).select_option("keep")
    panel.get_by_role("button", name=words.add_alternative).click()
    page.locator(".palette button:focus").wait_for()
    page.locator("[data-focus='order:draw']").focus()
    page.keyboard.press("Enter")
    touch(words.lay_card.format(card=CARDS[hand]))
    page.locator(".palette-where button:focus").wait_for()
    touch(words.on_new_row)
    lay = words.wishes["lay_businessmaker"].format(card=CARDS[hand])
    panel.get_by_text(f"{name}, {lay}").wait_for()
    touch(words.wishes["draw"])
    panel.get_by_text(words.would_drop).wait_for()
    check_accessibility(page)
    panel.locator(".orders li").first.scroll_into_view_if_needed()
    if folder := request.config.getoption("--pictures"):
        page.screenshot(path=f"{folder}/orders-{size.width}.png", full_page=True)
    panel.get_by_role("button", name=words.remove_alternative.format(alternative=words.wishes["draw"])).last.click()
    panel.get_by_role("button", name=words.save).click()
    panel.get_by_text(WORDS.common.saved).wait_for()
    badge = page.locator("#orders-waiting")
    assert badge.is_visible()
    do = [{"type": "take", "card": card}, {"type": "draw"}]
    steps = [{"do": do, "repeat": True, "if_none": "keep"}, [{"type": "lay_businessmaker", "card": hand}]]
    assert tables.api.get(f"{table.path}/orders", table.tokens[0]).json()["steps"] == steps
    assert panel.get_by_label(words.repeat).first.is_checked()
    assert panel.locator(".wish-text").all_inner_texts()[1] == words.wishes["draw"]
    panel.get_by_text(f" / {words.wishes['draw']}; 2. {lay}").wait_for()
    touch(words.lay_card.format(card=CARDS[hand]))
    touch(words.on_laid_row.format(number=1))
    panel.get_by_role("button", name=words.save).click()
    panel.get_by_text(f"3. {words.wishes['append'].format(card=CARDS[hand], number=1)}").wait_for()
    panel.get_by_role("button", name=words.remove).click()
    panel.get_by_text(words.none).wait_for()
    assert not badge.is_visible()
    assert tables.api.get(f"{table.path}/orders", table.tokens[0]).status_code == 404


@pytest.mark.nightly
def test_waiting_orders_are_seen(windows: Windows, tables: Tables) -> None:
    """Given in four taps; a badge until they have run; the recap says by whose order. Who waits is offered a mail."""
    windows.expect("status of 404")  # no orders yet
    table = tables.open("Bert", "Anna")
    page = open_table(windows, seat_link(table, 1), PHONE)
    orders = f".menu-item:text-is('{WORDS.orders.title}')"
    for part in ("#game-menu", orders, "[data-focus='order:draw']", "#sheet .button-main"):
        page.locator(part).first.tap()
    page.locator("#orders-waiting").wait_for()
    page.reload()
    page.locator("#orders-waiting").wait_for()
    page.evaluate("document.getElementById('game').dataset.mail = ''")  # as where the service has a mail server
    takes = [{"type": "take", "slot": 0}] * 2
    assert tables.api.act(table, 0, takes[0]).status_code == 201
    offer = page.get_by_role("button", name=WORDS.notices.offer)
    offer.tap()
    page.locator("#sheet [name=email]").wait_for()
    page.locator("#sheet-close").tap()
    assert offer.count() == 0
    assert tables.api.act(table, 0, *takes).status_code == 201
    page.locator("#recap", has_text="By your order").wait_for()
    page.locator("#orders-waiting").wait_for(state="hidden")


def test_what_became_of_notices_is_translated(windows: Windows, table: Table) -> None:
    """The service's words of them, and the form of webhooks, which keeps its mention; later words stay as they are."""
    words = page_words("nl").notices
    page = windows.open("/robots.txt", replace(PHONE, language="nl-NL"))
    known = {"channel": "webhook", "type": "turn.started", "status": "retry", "error": "status 503"}
    unknown = {"channel": "pigeon", "type": "turn.dreamt", "status": "lost", "error": "hawk: 2"}
    deliveries = [{"at": "2026-01-01T00:00:00Z", "version": 9, "attempt": 1, **one} for one in (known, unknown)]
    page.route("**/deliveries", lambda route: route.fulfill(json={"deliveries": deliveries}))
    hook = {"url": "https://discord.example/x", "format": "discord", "mention": "1" * 18}
    kept = {"email": None, "webhook": hook, "on": ["turn"], "language": "nl", "while_watching": True, "receipts": True}
    page.route("**/notifications", lambda route: route.fulfill(json=kept))
    page.goto(windows.home + seat_link(table, 0))
    await_turn(page)
    panel = open_panel(page, words.title)
    lines = [line.split(" \u00b7 ")[1:] for line in panel.locator(".plain li").all_inner_texts()]
    error = f"{words.errors['status']} (503)"
    assert lines == [
        [words.channels["webhook"], words.on["turn"], words.statuses["retry"], error],
        ["pigeon", "turn.dreamt", "lost", "hawk: 2"],
    ]
    assert panel.locator("[name=format] option").all_inner_texts() == [*words.formats.values()]
    with page.expect_request(lambda request: request.method == "PUT") as sent:
        panel.get_by_role("button", name=words.save).click()
    assert sent.value.post_data_json["webhook"] == hook

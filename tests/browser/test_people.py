"""Players who leave, come back, lose their link, stop the clock or end the game, as their pages show it."""

import time
from typing import Final

import pytest

from domain.clock.deadline import SILENT_MS
from domain.commands import GiveConsent
from domain.words.catalogue import LANGUAGES, read
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.post.subscriptions import Subscriptions
from service.signing.deployment import find_deployment
from service.signing.links import Links
from service.web.words import page_words
from tests.browser.checks import check_accessibility
from tests.browser.players import await_turn, open_table, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.test_menu import open_judged, open_panel
from tests.browser.windows import PHONE, Look, Page, Windows, script
from tests.post.processes import by_mail
from tests.support.absence import abandon, pass_hour
from tests.support.client import Table

WORDS = page_words("en")
PACE: Final = {"turn_seconds": 3600, "on_timeout": "bot"}


def leave(tables: Tables, table: Table, games: GameLog) -> None:
    """Seat 0 lets two turns time out."""
    abandon(games, table.id)
    assert tables.api.view(table)["seats"][0]["away"] == "abandoned"


def test_an_abandoned_seat_is_taken_back(windows: Windows, tables: Tables, service_log: GameLog) -> None:
    """The page says at once that a bot plays, and its button ends that."""
    table = tables.open("Anna", "Bert", pace=PACE)
    page = open_turn(windows, table, PHONE)
    leave(tables, table, service_log)
    page.locator("#absence").get_by_role("button", name=WORDS.clock.reclaim).tap()
    page.locator("#absence").wait_for(state="hidden")
    assert tables.api.view(table)["seats"][0]["away"] is None


@pytest.mark.nightly
def test_an_abandoned_seat_gets_a_new_person(windows: Windows, tables: Tables, service_log: GameLog) -> None:
    """One who watches sits down, with the hand that was left; the former player's link is invalid."""
    table = tables.open("Anna", "Bert", pace=PACE, replaceable=True)
    former = open_turn(windows, table)
    page = windows.open(f"/g/{table.id}", PHONE)
    leave(tables, table, service_log)
    pass_hour(service_log, table.id)
    panel = open_judged(page, WORDS.menu.take_seat)
    panel.get_by_text(WORDS.seat.take_over_hint.partition("{time}")[2]).wait_for()
    panel.get_by_label(WORDS.lobby.your_name).fill("Cleo")
    panel.get_by_role("button", name=WORDS.seat.sit_down).last.click()
    page.locator("#hand .card").first.wait_for()
    view = tables.api.view(table)
    assert (view["seats"][0]["name"], view["seats"][0]["away"]) == ("Cleo", None)
    windows.expect("status of 401")
    former.get_by_text(WORDS.common.void_seat).wait_for()
    assert not former.locator("#dock").is_visible()


@pytest.mark.nightly
def test_a_lost_link_is_replaced_by_mail(windows: Windows, tables: Tables, table: Table, service_log: GameLog) -> None:
    """The table asks for one where mails are sent; the page of its link shows a token for the table."""
    former = open_turn(windows, table)
    subscription = by_mail(nonce="of-this-address")
    Subscriptions(service_log.store).save(table.id, 0, subscription)
    page = windows.open(f"/g/{table.id}", PHONE)
    assert open_panel(page, WORDS.menu.take_seat).get_by_label(WORDS.seat.mail).count() == 0
    page.evaluate("document.getElementById('game').dataset.mail = ''")  # as where the service has a mail server
    panel = open_panel(page, WORDS.menu.take_seat)
    panel.get_by_label(WORDS.seat.mail).fill("anna@example.org")
    panel.get_by_role("button", name=WORDS.seat.ask_mail).click()
    refused = tables.api.post(f"{table.path}/lost-token", json={"email": subscription.email}).json()
    panel.get_by_text(refused["errors"]["email"][0]).wait_for()  # this service has no mail server
    links = Links(find_deployment(service_log.store.client, "").token_secrets)
    until = int((time.time() + 3600) * 1000)
    mail = windows.open(f"/token/{links.token(table.id, 0, subscription.nonce, 0, until)}", beside=page)
    mail.get_by_role("button", name=read("en", "mail_links").token.button).click()
    token = mail.locator("pre code").inner_text()
    panel.get_by_label(WORDS.seat.paste).fill(token)
    panel.get_by_role("button", name=WORDS.seat.sit_down).click()
    await_turn(page)
    windows.expect("status of 401", "status of 422")
    former.get_by_text(WORDS.common.void_seat).wait_for()


def press_in_clock_panel(page: Page, name: str) -> None:
    open_panel(page, WORDS.clock.title).get_by_role("button", name=name, exact=True).click()


@pytest.mark.nightly
def test_what_is_asked_for_is_agreed_to_at_the_table(windows: Windows, tables: Tables) -> None:
    """A strip with a button, for whoever has not agreed; one alone goes on. Time and reserve are shown whole."""
    table = tables.open("Anna", "Bert", pace=PACE | {"turn_seconds": 777_600, "bank_seconds": 172_800}, name="Club")
    for language in LANGUAGES:
        page = open_table(windows, seat_link(table, 0), Look(width=360, language=language))
        assert page.locator("#status-clock, .line-own .line-facts").evaluate_all(script("are_whole"))
    page = open_turn(windows, table, PHONE)
    assert tables.api.post(f"{table.path}/pause", table.tokens[1]).status_code == 201
    tables.await_version(table, page)
    assert page.locator("#status time").count() == 1  # nobody alone stops the clock
    page.locator("#status-text").click()  # nothing moves unasked
    asked = page.locator(".asked-line", has_text=WORDS.clock.asked.pause.one.format(names="Bert"))
    asked.wait_for()
    check_accessibility(page)
    asked.get_by_role("button", name=WORDS.clock.agree).press("Enter")
    page.locator("#status-clock", has_text=WORDS.table.paused).wait_for()
    asked.wait_for(state="detached")
    press_in_clock_panel(page, WORDS.clock.resume)
    page.locator("#status time").wait_for()
    assert WORDS.table.paused not in page.locator("#status-clock").inner_text()


def test_a_silent_player_is_released(windows: Windows, tables: Tables, service_log: GameLog) -> None:
    """By all others, once the game has waited for 14 days; earlier the table says why not."""
    table = tables.open("Anna", "Bert", pace=PACE | {"turn_seconds": 30 * 86_400, "bank_seconds": 86_400})
    page = windows.open(seat_link(table, 1), PHONE)
    page.locator("#status time", has_text=WORDS.table.of_reserve.format(time="1 day")).wait_for()
    windows.expect("status of 409")
    press_in_clock_panel(page, WORDS.clock.agree_release)
    page.get_by_text("has not waited 14 days").wait_for()
    later = service_log.load(table.id).game.at + SILENT_MS
    late = GameLog(service_log.store, Reactions(lambda *_: None, 0.0), clock=lambda: later)
    late.handle(table.id, GiveConsent(seat=1, to="release", about=0))
    page.locator("[data-line='0'] .line-facts").get_by_text(WORDS.table.abandoned).wait_for()


@pytest.mark.nightly
def test_a_copy_is_tried(windows: Windows, tables: Tables, table: Table) -> None:
    """From the menu: a game of its own against bots, and the first one continues."""
    page = open_turn(windows, table)
    before = tables.api.version(table)
    open_panel(page, WORDS.menu.seat).get_by_role("button", name=WORDS.seat.try_out).click()
    page.wait_for_url(lambda url: table.id not in url)
    await_turn(page)
    assert page.locator("#hand .card").count() == len(tables.api.view(table, 0)["you"]["hand"])
    page.get_by_text("Berta (bot)").first.wait_for()
    assert tables.api.version(table) == before

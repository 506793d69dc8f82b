"""What players press twice is sent once; what is not answered keeps its key; offline nothing is sent."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import pytest

from service.web.words import page_words
from tests.browser.players import await_turn, open_turn, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.test_menu import open_panel
from tests.browser.test_seat_links import NO_STORE
from tests.browser.test_table import compose
from tests.browser.windows import Locator, Page, Route, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly

WORDS: Final = page_words("en")
RECORD: Final = script("record_keys")
"""Each request: its method, its path, and its key."""


def posts(page: Page) -> list[tuple[str, str]]:
    return [(path, key) for method, path, key in page.evaluate("window.sent") if method == "POST"]


def messages(tables: Tables, table: Table) -> list[str]:
    return [one["data"]["text"] for one in tables.api.events(table) if one["type"] == "MessagePosted"]


def open_messages(windows: Windows, table: Table) -> Page:
    page = open_turn(windows, table)
    page.locator("#messages summary").click()
    page.locator("#message-text").wait_for()
    page.evaluate(RECORD)
    return page


def test_a_double_click_posts_one_message(windows: Windows, tables: Tables, table: Table) -> None:
    """As Ctrl and Enter after a click do; the same text can be posted again afterwards."""
    page = open_messages(windows, table)
    page.locator("#message-text").fill("twice?")
    page.locator("#message-form button").dblclick()
    page.locator(".message-text", has_text="twice?").wait_for()
    page.locator("#message-text").fill("and now?")
    page.evaluate(script("press_enter_thrice"))
    page.locator(".message-text", has_text="and now?").wait_for()
    page.wait_for_function("() => document.getElementById('message-text').value === ''")
    page.locator("#message-text").fill("twice?")
    page.locator("#message-form button").click()
    page.locator(".message-text", has_text="twice?").nth(1).wait_for()
    assert messages(tables, table) == ["twice?", "and now?", "twice?"]
    assert len({key for _, key in posts(page)}) == len(posts(page)) == 3


def lose(route: Route) -> None:
    """Let the service have a request, and lose its answer."""
    route.fetch()
    route.abort()


@pytest.mark.nightly
def test_a_message_keeps_its_key_until_it_is_answered(windows: Windows, tables: Tables, table: Table) -> None:
    """The service has it, but all answers are lost: pressed again it is the same message."""
    page = open_messages(windows, table)
    windows.expect("ERR_FAILED")
    page.context.route("**/messages", lose)
    page.locator("#message-text").fill("is it there?")
    page.locator("#message-form button").click()
    page.locator("#message-problem", has_text=WORDS.common.offline).wait_for()
    page.context.unroute("**/messages")
    page.locator("#message-form button").click()
    page.wait_for_function("() => document.getElementById('message-text').value === ''")
    assert messages(tables, table) == ["is it there?"]
    assert len({key for _, key in posts(page)}) == 1


def test_a_step_whose_answer_is_lost_is_shown_once(windows: Windows, tables: Tables, table: Table) -> None:
    """The stream brings what it has done; later the answer does."""
    page = open_turn(windows, table)
    windows.expect("ERR_FAILED")
    page.route("**/actions", lose)
    compose(page)
    cards = page.locator("#hand .card").count()
    page.locator("[data-focus=send]").click()
    page.locator("[data-focus=retry]").wait_for()
    tables.await_version(table, page)
    assert (page.locator(".line-own .maker").count(), page.locator("#hand .card").count()) == (1, cards)
    page.unroute("**/actions")
    page.locator("[data-focus=retry]").evaluate_all("found => found[0]?.click()")  # unless its time came meanwhile
    page.locator("[data-focus=retry]").wait_for(state="detached")
    await_turn(page)
    assert (page.locator(".line-own .maker").count(), page.locator("#hand .card").count()) == (1, cards)


def test_a_busy_service_is_given_the_time_that_it_asks_for(windows: Windows, table: Table) -> None:
    """The page says why, in the service's words if they are for players, and sends it then."""
    page = windows.open("about:blank")
    page.clock.install()
    page.goto(windows.home + seat_link(table, 0))
    await_turn(page)
    compose(page)
    page.evaluate(RECORD)
    windows.expect("status of 503", "status of 429")
    page.route("**/actions", lambda route: route.fulfill(**NO_STORE, headers={"Retry-After": "15"}))
    page.locator("[data-focus=send]").click()
    page.locator("#turn .hint", has_text=WORDS.common.unavailable).wait_for()
    busy = {"status": 429, "headers": {"Retry-After": "15"}, "json": {"detail": "Too many at once."}}
    page.route("**/actions", lambda route: route.fulfill(**busy))
    page.locator("[data-focus=retry]").click()
    page.locator("#turn .hint", has_text="Too many at once.").wait_for()
    page.unroute("**/actions")
    page.clock.fast_forward(10_000)
    assert len(posts(page)) == 2
    before = version_of(page)
    page.clock.fast_forward(5_000)
    await_turn(page, before)
    assert len({key for _, key in posts(page)}) == 1


@pytest.mark.nightly
def test_a_late_action_takes_no_other_card(windows: Windows, tables: Tables, table: Table) -> None:
    """What waits for a connection names a place: a message changes nothing of it, but another card there does."""
    page = open_turn(windows, table)
    page.evaluate("localStorage.setItem('reibach.settings', '{\"ask\": true}')")
    windows.expect("status of 412")

    def take_late(*meanwhile: Callable[[], object]) -> None:
        page.context.set_offline(offline=True)
        page.locator("#display button.card").first.click()
        page.locator("[data-focus=now]").click()
        page.locator("[data-focus=retry]").wait_for()
        for happen in meanwhile:
            happen()
        page.context.set_offline(offline=False)
        page.locator("[data-focus=retry]").wait_for(state="detached")

    def taken() -> list[str]:
        return [one["data"]["card"] for one in tables.api.events(table) if one["type"] == "CardTaken"]

    shown = tables.api.view(table)["display"][0]
    take_late(lambda: tables.api.post(f"{table.path}/messages", table.tokens[1], json={"text": "Well?"}))
    await_turn(page)
    assert taken() == [shown]
    other = tables.api.view(table)["display"][0]
    take_late(lambda: tables.api.act(table, 0, {"type": "take", "slot": 0}))
    page.locator("#display-problem", has_text=WORDS.turn.changed).wait_for()
    assert taken() == [shown, other]
    rest = [{"type": "draw"}], [{"type": "take", "slot": 0}]

    def play_on() -> None:
        for seat in (0, 1):
            while (turn := tables.api.view(table)["turn"])["seat"] == seat:
                tables.api.act(table, seat, *rest[turn["action_points"] < 2])

    before = version_of(page)
    take_late(play_on)
    page.locator("#display-problem", has_text=WORDS.turn.changed).wait_for()
    assert version_of(page) > before
    assert tables.api.view(table)["turn"]["action_points"] == 3


@pytest.mark.parametrize("counted", with_nightly([1, 2]))  # some browsers count the second click as one, too
def test_one_press_plays_once(counted: int, windows: Windows, table: Table) -> None:
    """A held Enter chooses a card, and neither lays nor sends it; a held digit or a double click takes one card."""
    page = open_turn(windows, table)
    page.keyboard.press("ArrowLeft")
    for _ in range(6):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    assert page.locator("#hand [aria-pressed=true]").count() == 1
    assert page.locator("#turn .step").count() == 0
    page.evaluate("localStorage.setItem('reibach.settings', '{\"ask\": false}')")
    page.evaluate(RECORD)
    before = version_of(page)
    page.keyboard.down("1")
    await_turn(page, before)
    page.keyboard.down("1")
    page.keyboard.up("1")
    assert len(posts(page)) == 1
    page.locator("#display button.card").first.hover()
    page.clock.set_fixed_time(datetime.now(UTC))
    before = version_of(page)
    page.mouse.down()
    page.mouse.up()
    await_turn(page, before)
    page.locator("#display button.card").first.hover()
    page.mouse.down(click_count=counted)
    page.mouse.up(click_count=counted)
    page.locator("[data-focus=now]").wait_for()
    assert len(posts(page)) == 2


def submit(form: Locator) -> None:
    form.evaluate("(form) => { for (const _ of [1, 2, 3]) form.requestSubmit(); }")


@pytest.mark.nightly
def test_every_form_sends_once(windows: Windows, tables: Tables) -> None:
    """A consent, a vacation, a hand-over, a seat, a game: submitted three times at once, each is one request."""
    table = tables.open("Anna", "Bert", pace={"turn_seconds": 259_200})
    page = open_turn(windows, table)
    page.evaluate(RECORD)
    for name in (WORDS.clock.take_vacation, WORDS.clock.agree_pause, WORDS.clock.agree_cancel):
        panel = open_panel(page, WORDS.clock.title)
        submit(panel.locator("form", has=page.get_by_role("button", name=name, exact=True)))
        panel.get_by_role("button", name=name, exact=True).wait_for(state="detached")
    assert [path.rsplit("/", 1)[1] for path, _ in posts(page)] == ["vacation", "pause", "cancel"]

    waiting = tables.api.post("/v1/games", json={"seats": [{"name": "Anna"}, {}, {}], "listed": False}).json()
    page = windows.open(f"/g/{waiting['game']['id']}")
    page.locator("#join form").wait_for()
    page.locator("#join input").fill("Bert")
    submit(page.locator("#join form"))
    page.locator("#join").wait_for(state="hidden")
    seats = tables.api.get(f"/v1/games/{waiting['game']['id']}").json()["seats"]
    assert [seat["name"] for seat in seats] == ["Anna", "Bert", None]

    page = windows.open("/")
    page.evaluate(RECORD)
    for field in page.locator("#seat-rows input:visible").all():
        field.fill("Anna")
    submit(page.locator("#new-game-form"))
    page.locator("#created .links").wait_for()
    assert [path for path, _ in posts(page)] == ["/v1/games"]


@pytest.mark.nightly
def test_offline_nothing_is_sent_and_what_was_shown_stays(windows: Windows, tables: Tables, table: Table) -> None:
    """Actions and messages ask one guard; back online all of it is caught up."""
    page = open_turn(windows, table)
    page.locator("#messages summary").click()
    compose(page)
    page.evaluate(RECORD)
    page.evaluate("() => { const now = Date.now(); Date.now = () => now; }")  # after a while one request is tried
    page.context.set_offline(offline=True)
    page.locator("#status .lost").wait_for()
    page.locator("[data-focus=send]").click()
    page.locator("[data-focus=retry]").click()
    page.locator("#message-text").fill("hello?")
    page.locator("#message-form button").click()
    page.locator("#message-problem", has_text=WORDS.common.offline).wait_for()
    assert page.evaluate("window.sent") == []
    page.context.set_offline(offline=False)
    page.locator(".line-own .maker").first.wait_for()
    page.locator("[data-focus=retry]").wait_for(state="detached")
    page.locator("#message-form button").click()
    page.locator(".message-text", has_text="hello?").wait_for()
    assert messages(tables, table) == ["hello?"]

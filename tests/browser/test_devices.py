"""Several tabs and devices of a player, and what a browser may lack: storage, time, a connection, notifications."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from service.web.words import page_words
from tests.browser.checks import check_accessibility
from tests.browser.players import await_turn, open_table, open_turn, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.test_menu import open_panel
from tests.browser.test_table import compose, laid
from tests.browser.windows import PHONE, Look, Route, Windows, script
from tests.post.test_push import Phone
from tests.support.client import Table
from tests.support.receivers import answer, receiver
from tests.support.waiting import wait_until

WORDS: Final = page_words("en")
WITH_WORKER: Final = Look(worker=True)
TWO_EQUAL: Final = f"{4:064x}"
"""A seed by which seat 0 of two has two cards of shares."""


@pytest.mark.nightly
def test_two_tabs_lay_a_card_once(windows: Windows, tables: Tables) -> None:
    """What one tab sends leaves the other, which says so; what is composed in one is composed in both."""
    table = tables.open("Anna", "Bert", seed=TWO_EQUAL)
    page = open_turn(windows, table)
    page.locator("#hand [data-card=shares]").first.click()
    page.locator(".row-new").click()
    other = windows.open(f"/g/{table.id}", beside=page)
    other.locator("#turn [data-step]").wait_for()
    page.locator("[data-focus=send]").click()
    other.locator("#turn", has_text=WORDS.turn.elsewhere).wait_for()
    tables.await_version(table, other)
    assert other.locator("#turn [data-step], [data-focus=send]").count() == 0
    assert other.locator("#hand [data-card=shares]").count() == 1
    compose(other)
    page.locator("#turn [data-step]").wait_for()
    other.locator(".empty-in-panel").click()
    page.locator("#turn [data-step]").wait_for(state="detached")
    assert laid(tables, table) == ["BusinessmakerLaid"]


@pytest.mark.nightly
def test_what_another_device_has_sent_is_composed_no_more(windows: Windows, tables: Tables) -> None:
    """Also where the page was closed meanwhile, or hears of it when it sends: then nothing is sent."""
    table = tables.open("Anna", "Bert", seed=TWO_EQUAL)
    page = open_turn(windows, table)
    first = compose(page)
    page.goto("about:blank")
    assert tables.api.act(table, 0, {"type": "lay_businessmaker", "card": first}).status_code == 201
    page.goto(f"{windows.home}/g/{table.id}")
    page.locator("#turn", has_text=WORDS.turn.elsewhere).wait_for()
    assert page.locator("#turn [data-step]").count() == 0
    second, third = compose(page), compose(page)
    windows.expect("status of 412")

    def send_late(route: Route) -> None:
        assert tables.api.act(table, 0, {"type": "lay_businessmaker", "card": second}).status_code == 201
        route.continue_()

    page.route("**/actions", send_late, times=1)
    page.locator("[data-focus=send]").click()
    page.locator("#hand-problem", has_text=WORDS.turn.elsewhere).wait_for()
    assert [one.get_attribute("data-card") for one in page.locator("#turn [data-step] .card").all()] == [third]
    assert laid(tables, table) == ["BusinessmakerLaid"] * 2


@pytest.mark.nightly
def test_without_storage_the_game_goes_on(windows: Windows) -> None:
    """With the seat's token after the # of the address, after a reload too; a line says what that needs."""
    page = windows.open("about:blank")
    page.context.add_init_script(script("block_storage"))
    page.goto(windows.home)
    page.get_by_role("button", name=WORDS.start.demo).click()
    for _ in range(2):
        await_turn(page)
        page.locator("#notice", has_text=WORDS.common.not_kept).wait_for()
        before = version_of(page)
        page.locator("#display button.card").first.click()
        page.locator("[data-focus=now]").click()
        await_turn(page, before)
        assert "#token=" in page.url
        page.reload()


@pytest.mark.nightly
def test_clocks_follow_the_service(windows: Windows, tables: Tables) -> None:
    """A device whose clock is two days ahead counts the same hours."""
    table = tables.open("Anna", "Bert", pace={"turn_seconds": 100_000})
    page = windows.open("about:blank")
    page.clock.install(time=datetime.now(UTC) + timedelta(days=2))
    page.goto(windows.home + seat_link(table, 0))
    await_turn(page)
    assert "1 day 3 hours" in page.locator("#status-clock").inner_text()
    page.goto(f"{windows.home}/games")
    page.get_by_text("1 day 3 hours").wait_for()


def test_a_table_opens_without_a_connection(windows: Windows, tables: Tables, table: Table) -> None:
    """With what is composed, and its menu, as rules do; the worker has kept the page of all tables, and no answer to
    a token.
    """
    page = open_turn(windows, table, replace(PHONE, worker=True))
    card = compose(page)
    page.wait_for_function("() => navigator.serviceWorker.controller")
    page.context.set_offline(offline=True)
    page.keyboard.press("?")
    page.locator("#sheet .keys").wait_for()
    page.goto(f"{windows.home}/rules")
    page.get_by_role("heading", level=1, name=WORDS.rules.title).wait_for()
    page.go_back()
    page.reload()
    page.locator("#status-text", has_text=WORDS.common.offline).wait_for()
    assert page.locator("#turn [data-step] .card").get_attribute("data-card") == card
    check_accessibility(page)
    urls = page.evaluate("caches.open('reibach-1').then((one) => one.keys()).then((all) => all.map(({ url }) => url))")
    assert f"{windows.home}/g/?lang=en" in urls
    assert not [url for url in urls if table.id in url or "/v1/" in url or "token" in url]
    page.context.set_offline(offline=False)
    await_turn(page)
    assert page.locator("#turn .step").count() == 1


@pytest.mark.nightly
def test_one_without_a_seat_is_told(windows: Windows, tables: Tables) -> None:
    """That they watch; or whose seat the link names, and how its player gets there."""
    table = tables.open("Anna", "<b>Bert")
    whose = {1: WORDS.seat.whose.format(name="<b>Bert"), 0: WORDS.seat.whose_turn.format(name="Anna")}
    for fragment, text in {"": WORDS.table.watching, "#seat=1": whose[1], "#seat=0": whose[0]}.items():
        page = open_table(windows, f"/g/{table.id}{fragment}")
        page.locator("#notice", has_text=text).wait_for()
    check_accessibility(page)
    assert page.locator("#display .card").count() == 4
    assert not page.locator(".cost").count()
    assert not page.locator("#market button, #display button, #turn button").count()  # who watches does nothing
    for pasted in (table.tokens[0][:-9], f"<{windows.home}{seat_link(table, 0)}>"):
        page.get_by_label(WORDS.seat.paste).fill(pasted)
        page.locator("#notice").get_by_role("button", name=WORDS.seat.sit_down).click()
        page.get_by_text(WORDS.common.damaged_link).or_(page.locator("#dock")).first.wait_for()
    await_turn(page)
    assert not page.locator("#notice").is_visible()
    page.goto(windows.home + seat_link(table, 1))
    page.locator("#other-seats button").wait_for()
    page.goto("about:blank")
    page.goto(f"{windows.home}/g/{table.id}#seat=0")  # of the two seats it plays the one that is named
    await_turn(page)


@pytest.mark.nightly
def test_a_device_is_offered_to_be_told(windows: Windows, tables: Tables) -> None:
    """Once, after the first sending among people, for all games of the browser, later ones too; the menu ends it."""
    first, table, later = games = [tables.open("Anna", name) for name in ("Carla", "Bert", "Dora")]

    def told() -> list[int]:
        answers = [tables.api.get(f"{game.path}/notifications", game.tokens[0]).json() for game in games]
        return [len(one.get("push", ())) for one in answers]

    page = windows.open("about:blank", WITH_WORKER)
    page.context.add_init_script(script("allow_push"))
    for game in (first, table):
        page.goto(windows.home + seat_link(game, 0))
        await_turn(page)
    assert page.locator("#push-offer").count() == 0
    for key in ("1", "Enter"):
        page.keyboard.press(key)
    page.locator("#push-offer").wait_for()
    check_accessibility(page)
    page.locator("#push-offer").get_by_role("button", name=WORDS.notices.push_on).click()
    page.locator("#push-offer").wait_for(state="detached")
    assert told() == [1, 1, 0]
    page.goto(windows.home + seat_link(later, 0))
    await_turn(page)
    wait_until(lambda: told() == [1, 1, 1], 5)
    made, lost = (
        "() => JSON.parse(localStorage['test.device']).key",
        '{"endpoint": "http://127.0.0.1:9/1", "key": "AAAA"}',
    )
    key = page.evaluate(made)
    page.evaluate("(device) => { localStorage['test.device'] = device; }", lost)  # for another store's key
    page.reload()
    page.wait_for_function(f"(key) => ({made})() === key", arg=key)
    await_turn(page)
    before = version_of(page)
    for key in ("1", "Enter"):
        page.keyboard.press(key)
    await_turn(page, before)
    assert page.locator("#push-offer").count() == 0
    panel = open_panel(page, WORDS.notices.title)
    panel.get_by_role("button", name=WORDS.notices.push_off).click()
    panel.get_by_role("button", name=WORDS.notices.push_on).wait_for()
    assert told() == [0, 0, 0]
    windows.expect("status of 404")  # no notifications any more
    page.evaluate("window.refusesPush = true")
    panel.get_by_role("button", name=WORDS.notices.push_on).click()
    panel.get_by_text(WORDS.notices.push_blocked).wait_for()
    page.evaluate("delete document.getElementById('game').dataset.push")  # as where the service sends none
    page.keyboard.press("Escape")
    panel = open_panel(page, WORDS.notices.title)
    assert panel.get_by_role("button", name=WORDS.notices.push_on).count() == 0


@pytest.mark.nightly
def test_a_notification_opens_its_game(windows: Windows, tables: Tables) -> None:
    """As the service sends it, silently while the table is in sight; an open tab is used again."""
    table, phone = tables.open("Anna", "Bert"), Phone()
    with receiver(answer("201 Created")) as found:
        one = phone.device(found.port, "en")
        body = {"endpoint": one.endpoint, "keys": {"p256dh": one.p256dh, "auth": one.auth}, "language": one.language}
        assert tables.api.post(f"{table.path}/notifications/push", table.tokens[0], json=body).status_code == 201
        wait_until(lambda: bool(found.requests), 10)
    data = phone.read(found.requests[0][2])
    page = open_turn(windows, table, WITH_WORKER)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    (worker,) = page.context.service_workers
    worker.evaluate(script("record_notifications"))
    session = page.context.new_cdp_session(page)
    ids: list[dict[str, str]] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: ids.append(told["registrations"][0]))
    session.send("ServiceWorker.enable")
    windows.open(f"/g/{table.id}/replay", beside=page)
    push = {"origin": windows.home, "registrationId": ids[0]["registrationId"], "data": json.dumps(data)}
    page.bring_to_front()
    session.send("ServiceWorker.deliverPushMessage", push)
    wait_until(lambda: worker.evaluate("shown.length") == 1, 5)
    worker.evaluate("(url) => click(url)", data["url"])
    page.goto(f"{windows.home}/lobby")
    session.send("ServiceWorker.deliverPushMessage", push)
    wait_until(lambda: worker.evaluate("shown.length") == 4, 5)
    worker.evaluate("(url) => click(url)", data["url"])
    told = ["It\u2019s your turn", "Reibach & Co. with Bert", table.id, url := f"/g/{table.id}#seat=0"]
    shown = [[*told, True], "closed", ["focused", f"/g/{table.id}"], [*told, False], "closed", ["opened", url]]
    assert worker.evaluate("shown") == shown

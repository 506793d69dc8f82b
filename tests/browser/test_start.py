"""From the start page to a table: a new game, its links, the lobby, one's own games, and no connection."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from domain.words.wording import words_of
from service.web.words import page_words
from tests.browser.checks import check_accessibility, check_width, read_code
from tests.browser.measures import layout_shift
from tests.browser.players import SHORT_GAME, open_table
from tests.browser.tables import Tables, seat_link
from tests.browser.test_menu import open_panel
from tests.browser.test_seat_links import NO_STORE
from tests.browser.windows import PHONE, Browser, Dialog, Inspect, Look, Page, Windows, script
from tests.conftest import Service
from tests.faults.served import served
from tests.support.client import Api, Table
from tests.support.shell import COMMAND, ROOT

WORDS = page_words("en")
CHOSEN: Final = {"turn_seconds": 259_200, "reminder_seconds": 86_400, "bank_seconds": 172_800, "on_timeout": "bot"}
GERMAN = Look(width=360, height=740, language="de-DE", touch=True)


def seats_of(page: Page) -> dict[str, Any]:
    return json.loads(page.evaluate("localStorage['reibach.seats'] ?? '{}'"))


def fill_in_all(page: Page, form: Any) -> None:
    """Anna's table of four, with a friend, a stranger and a bot, and a choice in every part of the form."""
    page.get_by_label(form.your_name).fill("Berta")
    page.get_by_label(form.name.format(number=2)).fill("Bert <b>")
    page.get_by_label(form.kind.format(number=3)).select_option("open")
    page.get_by_text(form.add).click()
    page.get_by_label(form.kind.format(number=4)).select_option("greedy")
    page.locator(".seat-bot:visible", has_text="Emil (Bot)").wait_for()  # for a player is called Berta
    page.get_by_label(form.your_name).fill("Anna")
    page.locator(".seat-bot:visible", has_text="Berta (Bot)").wait_for()
    assert page.get_by_label(form.pace_three_days).is_checked()
    page.get_by_text(form.options).click()
    page.get_by_label(form.table_name).fill("Stammtisch <4>")
    page.get_by_label(form.replaceable).check()
    for name, value in (("timeouts", "3"), ("bank", "2"), ("hours_from", "08:00"), ("hours_to", "22:00")):
        page.get_by_label(form[name]).fill(value)
    page.get_by_label(form.starts).select_option(label="Bert <b>")
    page.get_by_label(form.listed).check()


def test_a_game_is_opened_joined_and_found_again(windows: Windows, inspect_page: Inspect) -> None:
    """A form opens it, a link seats the friend, the lobby a stranger; each browser keeps its own seat alone."""
    anna = windows.open("/", GERMAN)
    form, links = page_words("de").new_game, anna.locator("#created .link input")
    fill_in_all(anna, form)
    assert anna.locator("#days-hint").inner_text() == form.days_hint.format(time="3 Tage", real="5 Tage")
    inspect_page(anna, "start")
    anna.get_by_text(form.create).click()
    links.first.wait_for()
    check_width(anna)
    check_accessibility(anna)
    to_bert, to_table = (link.input_value() for link in links.all())
    (game,) = seats_of(anna)
    view = anna.evaluate("(path) => fetch(path).then((answer) => answer.json())", f"/v1/games/{game}")
    assert view["pace"].pop("hours").pop("zone") == anna.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert (view["pace"], view["replaceable"]) == (CHOSEN | {"timeouts": 3}, True)

    bert = windows.open(to_bert)
    bert.locator("#market .line").nth(3).wait_for()
    assert bert.url == to_table == f"{windows.home}/g/{game}"
    assert seats_of(bert)[game]["seat"] == 1
    assert bert.title().endswith(" \u2013 Stammtisch <4>")
    bert.locator("#status-clock").get_by_text("Stammtisch <4>").wait_for()

    carla = windows.open("/lobby", PHONE)
    entry = carla.locator(".game-card", has=carla.locator(f"[href='/g/{game}']"))
    entry.get_by_text(re.compile(r"^Stammtisch <4>\u00a0\u00b7 Anna, Bert <b>,? and Berta \(bot\)$")).wait_for()
    assert layout_shift(carla) < 0.02
    check_width(carla)
    check_accessibility(carla)
    entry.get_by_role("button", name=WORDS.lobby.join).click()
    entry.get_by_label(WORDS.lobby.your_name).press_sequentially("Carla\n")
    carla.locator("#hand .card").nth(3).wait_for()
    carla.goto(windows.home)
    assert carla.locator("#seat-rows input").first.input_value() == "Carla"
    bert.goto(windows.home)
    bert.locator("#demo-hint").get_by_role("link", name=WORDS.common.games).click()
    own = bert.get_by_role("heading", name=WORDS.games.own_turn).locator("..")
    own.get_by_role("link", name="Stammtisch <4>").wait_for()
    own.get_by_text(re.compile(r"^with Anna, Carla,? and Berta \(bot\)$")).wait_for()
    assert layout_shift(bert) < 0.02
    for answer in (WORDS.games.remove_no, WORDS.games.remove_yes):
        assert game in seats_of(bert)
        own.get_by_role("button", name=WORDS.games.more.format(game="Stammtisch <4>")).click()
        own.get_by_role("button", name=answer).click()
    bert.get_by_text(WORDS.games.none).wait_for()
    assert seats_of(bert) == {}


@pytest.mark.parametrize("zone", ["Etc/Unknown", "Mars/Base"])
def test_a_zone_that_nobody_knows_is_none(zone: str, windows: Windows) -> None:
    """A browser that doesn't know its own, and one whose zone is newer than the service's list: it is UTC then."""
    page = windows.open("about:blank")
    page.context.add_init_script(
        f"Intl.DateTimeFormat.prototype.resolvedOptions = () => ({{ timeZone: '{zone}', locale: 'en' }})"
    )
    if zone == "Mars/Base":
        windows.expect("status of 422")
    page.goto(windows.home)
    form, nameless = page_words("en").new_game, page.locator("#seat-rows input:invalid")
    while nameless.count():
        nameless.first.fill(f"Player {nameless.count()}")
    page.get_by_text(form.options).click()
    for name, value in (("hours_from", "08:00"), ("hours_to", "22:00")):
        page.get_by_label(form[name]).fill(value)
    page.get_by_text(form.create).click()
    page.locator("#created .link input").first.wait_for()
    (game,) = seats_of(page)
    view = page.evaluate("(path) => fetch(path).then((answer) => answer.json())", f"/v1/games/{game}")
    assert view["pace"]["hours"]["zone"] == "UTC"


def test_days_are_told_as_the_calendar_counts_them(windows: Windows) -> None:
    """Almost three days are three, and not the day before yesterday's two."""
    page = windows.open("/robots.txt")
    page.clock.set_fixed_time("2026-01-05T12:00:00Z")
    times = ["2026-01-02T12:30:00Z", "2026-01-03T11:00:00Z", "2026-01-05T09:02:00Z"]
    games = [{"id": at, "name": None, "status": "playing", "seats": ["Anna"], "updated_at": at} for at in times]
    page.route("**/v1/games?*", lambda route: route.fulfill(json={"games": games, "next": None}))
    page.goto(f"{windows.home}/lobby")
    for text in ("3 days ago", "2 days ago", "3 hours ago"):
        page.get_by_text(WORDS.lobby.changed.format(time=text)).first.wait_for()
    page.get_by_title(re.compile("^Friday, 2 January 2026")).first.wait_for()  # in British order


def test_a_first_game_takes_one_click(windows: Windows) -> None:
    """On the one green button, against bots with names; nothing moves meanwhile. A lost connection is told at once."""
    page = windows.open("/", PHONE)
    assert page.title() == f"{WORDS.start.title} \u00b7 Reibach & Co."
    assert page.locator(".button-main:visible").count() == 1
    assert layout_shift(page) < 0.02
    windows.expect("ERR_FAILED")
    asked: list[Any] = []
    page.route("**/v1/games", lambda route: (asked.append(route.request.post_data_json["seats"]), route.abort()))
    page.get_by_role("button", name=WORDS.start.demo).click()
    page.locator("#demo-problem", has_text=WORDS.common.retrying).wait_for()
    page.unroute("**/v1/games")
    assert [seat.get("bot") for seat in asked[0]] == [None, "apprentice", "apprentice"]
    page.locator("#hand .card").nth(3).wait_for()
    names = page.locator("#market .line-name bdi").all_inner_texts()
    assert names == ["Berta (bot)", "Emil (bot)", "Guest"]


def test_a_newcomer_is_told_how_to_play(windows: Windows) -> None:
    """Before the first game, with a drawn row and the Reibach track, and at its table; a variant says what it does."""
    page = windows.open("/", GERMAN)
    words = page_words("de")
    page.get_by_text(words.menu.how, exact=True).click()
    page.get_by_text(words.menu.how_lines[0]).wait_for()
    assert page.get_by_role("figure").get_by_role("img").count() == 2
    page.get_by_text(words.new_game.options).click()
    check_width(page)
    check_accessibility(page)
    about = page.get_by_label("Vorsprung").evaluate("one => one.ariaDescribedByElements[0].textContent")
    assert about == words_of("de").variants_texts["staggered_start"]
    assert page.locator("meta[name=description]").get_attribute("content") == " ".join(words.start.what)
    page.get_by_role("button", name=words.start.demo).click()
    page.locator("#hand .card").nth(3).wait_for()
    page.get_by_text(words.menu.how, exact=True).click()
    page.get_by_text(words.menu.how_lines[0]).wait_for()
    check_width(page)
    check_accessibility(page)


@pytest.mark.nightly
def test_links_of_other_seats_are_found_again(windows: Windows, tables: Tables) -> None:
    """By the browser that has opened the game: the service gives them once.

    It forgets them once each seat has had a turn, or the game is over.
    """
    page = windows.open("/")
    page.get_by_label(WORDS.new_game.your_name).fill("Anna")
    page.get_by_label(WORDS.new_game.name.format(number=2)).fill("Bert")
    page.get_by_label(WORDS.new_game.kind.format(number=3)).select_option("greedy")
    page.get_by_text(WORDS.new_game.create).click()
    to_bert = page.locator("#created .link input").first.input_value()
    page.locator("#created").get_by_text(WORDS.link.code).click()
    assert read_code(page.locator("#created .code-picture")) == to_bert
    (game,) = seats_of(page)
    page.goto(f"{windows.home}/g/{game}")
    page.locator("#hand .card").nth(3).wait_for()
    panel = open_panel(page, WORDS.menu.seat)
    assert panel.get_by_label(WORDS.seat.link_of.format(name="Bert")).input_value() == to_bert
    check_accessibility(page)
    page.locator("#sheet-close").click()
    for token in (seats_of(page)[game]["token"], to_bert.partition("=")[2]):  # all people agree
        assert tables.api.post(f"/v1/games/{game}/cancel", token).is_success
    page.locator("#ending").wait_for()
    assert page.evaluate("localStorage['reibach.links']") == "{}"


def test_a_passing_problem_removes_no_game(windows: Windows, table: Table) -> None:
    """A game that can't be loaded now has no button that forgets its seat; one that is no more has it.

    It can be loaded again, and until then is named by what the browser knows of it.
    """
    windows.expect("status of 403", "status of 503")
    page = windows.open("/robots.txt")
    page.evaluate("(ids) => { localStorage['reibach.seats'] = JSON.stringify(ids); }", {
        table.id: {"seat": 0, "token": table.tokens[0], "name": "Anna"},
        "nowhere": {"seat": 0, "token": table.tokens[0], "name": "Bert"},
    })  # fmt: skip
    page.route(f"**{table.path}", lambda route: route.fulfill(**NO_STORE))
    page.route("**/games/nowhere", lambda route: route.fulfill(status=403, json={"detail": "<b>Gone"}))
    page.goto(f"{windows.home}/games")
    passing = page.get_by_role("heading", name=WORDS.games.unreachable).locator("..")
    passing.get_by_text(WORDS.common.unavailable).wait_for()
    assert passing.get_by_role("link").get_attribute("href") == f"/g/{table.id}"
    passing.get_by_text(f"Anna \u00b7 {table.id}").wait_for()
    final = page.get_by_role("heading", name=WORDS.games.void).locator("..")
    final.get_by_text("<b>Gone").wait_for()
    removals = [place.locator(".card-menu-button").count() for place in (passing, final)]
    assert removals == [0, 1]
    page.unroute(f"**{table.path}")
    passing.get_by_role("button", name=WORDS.turn.retry).click()
    page.get_by_role("link", name=WORDS.games.players.format(names="Bert")).wait_for()
    assert not passing.is_visible()


def test_another_seats_link_loses_none(windows: Windows, table: Table) -> None:
    """The former seat is kept, and played again by a button; of most games only what was seen last."""
    page = windows.open("/")
    page.evaluate(script("see_many_games"))
    game, tokens = table.id, table.tokens
    for seat in (0, 1):
        page.goto("about:blank")
        page.goto(windows.home + seat_link(table, seat))
        page.locator("#hand .card").nth(3).wait_for()
    assert seats_of(page)[game]["token"] == tokens[1]
    page.get_by_role("button", name=WORDS.table.play_as.format(name="Anna")).click()
    page.get_by_role("button", name=WORDS.table.play_as.format(name="Bert")).wait_for()
    assert seats_of(page)[game]["token"] == tokens[0]
    kept = page.evaluate("['seen', 'rounds'].map((key) => Object.keys(JSON.parse(localStorage[`reibach.${key}`])))")
    assert [(len(games), games[-1]) for games in kept] == [(200, game)] * 2


@pytest.mark.nightly
def test_the_chosen_language_stays(windows: Windows) -> None:
    """On pages behind links, and at the next visit; the address of a table never holds its token."""
    page = windows.open("/lobby")
    page.get_by_role("link", name="Nederlands").click()
    page.get_by_role("heading", name=page_words("nl").lobby.title).wait_for()
    page.get_by_role("link", name=page_words("nl").common.games, exact=True).click()
    page.get_by_role("heading", name=page_words("nl").games.title).wait_for()
    again = windows.open("/lobby", beside=page)
    again.get_by_role("heading", name=page_words("nl").lobby.title).wait_for()


@pytest.mark.nightly
def test_a_full_storage_keeps_pages_working(windows: Windows) -> None:
    """What the service worker can't keep is shown all the same."""
    page = windows.open("/", Look(worker=True))
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()  # now the service worker answers
    session = page.context.new_cdp_session(page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": windows.home, "quotaSize": 1})
    put = "caches.open('reibach-1').then((cache) => cache.put('/x', new Response('x'))).catch((error) => error.name)"
    assert page.evaluate(put) == "QuotaExceededError"
    page.goto(f"{windows.home}/lobby")
    page.locator(".loading").first.wait_for(state="detached")


# A new game with the players and settings of one that is over.


PACE: Final = {
    "turn_seconds": 43_200,
    "reminder_seconds": 7200,
    "on_timeout": "bot",
    "bank_seconds": 3600,
    "hours": {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"},
}

FILLED: Final = """(name) => document.querySelector("#seat-rows input").value === name"""


@pytest.mark.nightly
def test_the_same_players_play_again(windows: Windows, tables: Tables) -> None:
    """From the end of the game: the own seat first, then the others in their order; one click opens it."""
    table = tables.open(
        "Anna", "Bert", bots=1, seed=SHORT_GAME, variants={"staggered_start": True}, listed=True, name="\u202eClub"
    )
    tables.play_to_end(table)
    page = windows.open(seat_link(table, 1), PHONE)
    again = page.locator("#ending").get_by_role("link", name=WORDS.table.again)
    again.wait_for()
    assert page.title().endswith(" \u2013 Club")
    windows.open(again.get_attribute("href") or "").wait_for_function(FILLED, arg="Bert")  # also who has no seat there
    again.click()
    rows = page.locator("#seat-rows > li")
    page.wait_for_function(FILLED, arg="Bert")
    assert [row.locator("input").input_value() for row in rows.all()][::2] == ["Bert", "Anna"]
    assert rows.nth(1).locator("select").input_value() == "greedy"
    assert page.locator("[value=staggered_start]").is_checked()
    assert layout_shift(page) < 0.02
    with page.expect_response("**/v1/games") as created:
        page.get_by_role("button", name=WORDS.new_game.create).click()
    game = created.value.json()["game"]
    assert [seat["bot"] or seat["name"] for seat in game["seats"]] == ["Bert", "greedy", "Anna"]
    assert (game["variants"]["staggered_start"], game["listed"], game["name"]) == (True, True, "\u202eClub")
    assert game.get("pace") is None


@pytest.mark.nightly
def test_a_pace_that_the_form_cannot_show_is_kept(windows: Windows, tables: Tables) -> None:
    """Unless another one is chosen; where the game is gone, that is told."""
    table = tables.open("Anna", "Bert", pace=PACE, replaceable=True)
    page = open_table(windows, seat_link(table, 0))
    for another in (False, True):
        page.goto(f"{windows.home}/?again={table.id}")
        page.wait_for_function(FILLED, arg="Anna")
        assert page.locator("#turn-time").input_value() == "12"
        if another:
            page.get_by_text(WORDS.new_game.pace_day).click()
        with page.expect_response("**/v1/games") as created:
            page.get_by_role("button", name=WORDS.new_game.create).click()
        game = created.value.json()["game"]
        assert game["replaceable"]
        assert (game["pace"] == PACE) != another
    windows.expect("status of 404")
    page.goto(f"{windows.home}/?again=no-such-game")
    page.locator("#new-game-problem:visible").wait_for()
    assert page.locator("#seat-rows > li").count() == 3


@pytest.mark.nightly
def test_a_locked_server_asks_for_its_key_once(windows: Windows, tmp_path: Path) -> None:
    """And again where the word was wrong; it is in no address, and nobody else needs it."""
    asked: list[str] = []
    windows.expect("status of 403")

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept("wrong" if len(asked) == 1 else "Stammtisch")

    with served([*COMMAND, "serve"], tmp_path / "games", REIBACH_OPENING_KEY="Stammtisch") as locked:
        page = windows.open("about:blank")
        windows.home = locked.url
        page.on("dialog", answer)
        for times in (1, 2):
            page.goto(locked.url)
            page.get_by_role("button", name=WORDS.start.demo).click()
            page.locator("#hand .card").first.wait_for()
            assert asked == [WORDS.common.opening_key] * 2, times
            assert "Stammtisch" not in page.url
        page.close()


@pytest.mark.nightly
def test_the_documented_stream_shows_a_whole_game(browser: Browser, service: Service, api: Api) -> None:
    """The example of docs/clients.md, on a game between bots: every event once, and the stream is closed then."""
    table = api.create([{"bot": "greedy"}, {"bot": "random"}])
    found = re.search(r"<!-- stream -->\n```js\n(.*?)```", (ROOT / "docs" / "clients.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    page = browser.new_page()
    page.goto(f"{service.url}/rules")
    page.evaluate(
        f"async (id) => {{ window.seen = []; const show = (one) => seen.push(one.version); {found[1]} }}", table.id
    )
    api.await_end(table)
    page.wait_for_function("(count) => seen.length === count", arg=len(api.events(table, limit=1000)))
    assert page.evaluate("seen") == [*range(1, len(api.events(table, limit=1000)) + 1)]
    page.close()

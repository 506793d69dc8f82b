"""The replay of a game in a browser, with the pages that lead from it: score sheet, rules, and a game continued."""

from typing import Any

import pytest

from domain.commands import ACTIONS
from service.web.words import page_words
from tests.browser.checks import check_accessibility
from tests.browser.measures import layout_shift, long_tasks
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Inspect, Locator, Look, Page, Route, Windows, script
from tests.support.client import Table
from tests.support.waiting import patience

WORDS = page_words("en").replay
LIVELY = Look(calm=False)
GERMAN = Look(language="de-DE")
SHOWN = script("read_shown")
"""What a replay shows of its moment, as text."""
RECORD = script("record_moments")
ATTEMPTS = 3
"""A task that has waited for a core counts as a long one: in one of so many attempts there must be none.

On a loaded machine tasks that are longer by the load count.
"""
TASKS = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


def open_replay(
    windows: Windows, table: Table, at: int | None = None, look: Look = LIVELY, *, seat: int | None = None, **more: Any
) -> Page:
    """At a moment, or by the link of a seat."""
    path = f"/g/{table.id}/replay" if seat is None else seat_link(table, seat).replace("#", "/replay#")
    page = windows.open(path + ("" if at is None else f"?at={at}"), look, **more)
    page.locator("#play:enabled").wait_for()
    return page


def events_of(tables: Tables, table: Table) -> list[dict[str, Any]]:
    return tables.api.get(f"{table.path}/events", params={"limit": 1000}).json()["events"]


def versions_of(events: list[dict[str, Any]], kind: str) -> list[int]:
    return [event["version"] for event in events if event["type"] == kind]


def moment_of(page: Page) -> int:
    return int(page.locator("#moment").input_value())


def create_fork(page: Page) -> tuple[str, Locator]:
    """The id of the new game, and the link to its table."""
    page.locator("#fork-create").click()
    to_table = page.locator("#fork-done a.button-main")
    to_table.wait_for()
    return to_table.get_attribute("href").rpartition("/")[2], to_table


@pytest.mark.nightly
def test_keys_lead_through_a_whole_game(windows: Windows, tables: Tables, finished: Table) -> None:
    """Action by action to the end, by turns and scorings back; the address follows, and no connection is needed."""
    events = events_of(tables, finished)
    turns, scorings = versions_of(events, "TurnStarted"), versions_of(events, "RoundScored")
    end = events[-1]["version"]
    page = open_replay(windows, finished)
    page.locator("#charts").wait_for()
    assert moment_of(page) == turns[0]
    page.context.set_offline(True)
    page.evaluate(RECORD)
    done = [event["version"] for event in events if event["type"] in ACTIONS]
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    passed = page.evaluate("window.moments.splice(0)")
    assert len(passed) == 30
    assert [version for version in passed if version in turns] == [one for one in turns[1:] if one <= passed[-1]]
    assert 20 < len([version for version in done if version <= passed[-1]]) < 30
    for _ in turns:
        page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate("window.moments.splice(0)") == [*(one for one in turns if one > passed[-1]), end]
    page.wait_for_url(f"**/replay?at={end}")
    assert page.locator("#status-text").inner_text() == tables.sentence_of_end(finished)
    page.keyboard.press("ArrowRight")
    assert moment_of(page) == end
    page.keyboard.press("Shift+ArrowLeft")
    assert moment_of(page) == turns[-1]
    for version in reversed([scoring for scoring in scorings if scoring < turns[-1]]):
        page.keyboard.press("Control+ArrowLeft")
        assert moment_of(page) == version
    page.keyboard.press("Home")
    assert moment_of(page) == 1
    page.keyboard.press("Control+ArrowRight")
    page.wait_for_url(f"**/replay?at={scorings[0]}")
    scored = events[scorings[0] - 1]["data"]["seats"]
    assert page.locator("#market .gain").all_inner_texts() == [f"+{seat['income']}" for seat in scored]


@pytest.mark.nightly
def test_a_loaded_replay_needs_no_connection(windows: Windows, tables: Tables, finished: Table) -> None:
    """The service worker keeps it, with its sentences: another moment of it opens without the service."""
    turns = versions_of(events_of(tables, finished), "TurnStarted")
    page = open_replay(windows, finished, turns[3], Look(calm=False, worker=True))
    page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    page.reload()
    page.locator("#play:enabled").wait_for()
    page.context.set_offline(True)
    page.goto(f"{windows.home}/g/{finished.id}/replay?at={turns[5]}")
    page.locator("#play:enabled").wait_for()
    assert moment_of(page) == turns[5]
    assert page.locator("#caption").inner_text().startswith(WORDS.turn_begins.partition("{")[0])


@pytest.mark.nightly
def test_it_plays_by_itself_without_long_tasks(windows: Windows, tables: Tables, finished: Table) -> None:
    """To the end, as fast as it can: each moment takes a fraction of a frame, and nothing shifts."""
    turns = versions_of(events_of(tables, finished), "TurnStarted")
    page = open_replay(windows, finished, turns[-15])
    page.locator("#charts").wait_for()
    page.get_by_label(WORDS.speed).select_option("fastest")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        """Milliseconds that the page's thread has spent on its scripts and on drawing."""
        found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(found[name] for name in TASKS)

    for attempt in range(1, ATTEMPTS + 1):
        page.locator("#moment").fill(str(turns[-15]))
        page.evaluate(RECORD)
        before, shifted, tasks = spent(), layout_shift(page), len(long_tasks(page))
        page.keyboard.press("Space")
        page.locator("#play.is-playing").wait_for()
        page.locator("#play:not(.is-playing)").wait_for(timeout=patience(30) * 1000)
        moments = page.evaluate("window.moments")
        assert len(moments) > 40
        assert moments[-1] == int(page.locator("#moment").get_attribute("max"))
        assert (spent() - before) / len(moments) < 1000 * patience(0.008)
        assert layout_shift(page) - shifted < 0.02
        long = [duration for duration in long_tasks(page)[tasks:] if duration > 50 * patience(1) / 2]
        print(f"attempt {attempt}: long tasks {long}")
        if not long:
            break
    assert long == []
    assert page.locator("#play").get_attribute("aria-label") == WORDS.play


@pytest.mark.nightly
def test_a_link_opens_the_same_moment_and_eyes(windows: Windows, tables: Tables, finished: Table) -> None:
    """In another browser, in its own language; what never was, or one may not have, becomes what one may see."""
    version = versions_of(events_of(tables, finished), "TurnStarted")[20]
    page = open_replay(windows, finished)
    page.locator("#moment").fill(str(version))
    page.get_by_label(WORDS.eyes).select_option(label=WORDS.onlooker)
    page.wait_for_url("**as=watch")
    page.locator("#copy-link").click()
    link = page.locator("#link").input_value()
    assert link == f"{windows.home}/g/{finished.id}/replay?at={version}&as=watch"
    other = windows.open(link, PHONE)
    other.locator("#play:enabled").wait_for()
    assert (moment_of(other), other.locator("#eyes option:checked").inner_text()) == (version, WORDS.onlooker)
    assert page.evaluate(SHOWN) == other.evaluate(SHOWN)
    page.get_by_label(WORDS.eyes).select_option(label=WORDS.all_knowing)
    page.wait_for_url(lambda url: "as=" not in url)
    french = open_replay(windows, finished, version, Look(language="fr-FR"))
    assert page_words("fr").table.their_turn.partition("{")[0] in french.locator("#status-text").inner_text()
    last = open_replay(windows, finished, 99_999, beside=page)
    assert last.locator("#moment").get_attribute("max") == str(moment_of(last))

    running = tables.open("Anna", "Bert")
    tables.play(running, 10)
    for eyes in ("0", "all", "nobody"):
        watcher = windows.open(f"/g/{running.id}/replay?at=9&as={eyes}")
        watcher.locator("#play:enabled").wait_for()
        assert watcher.locator("#eyes option").all_inner_texts() == [WORDS.onlooker]
        assert watcher.locator(".player-hand:visible").count() == 0


def test_hidden_cards_are_shown_after_the_end_only(windows: Windows, tables: Tables) -> None:
    """While the game runs a seat sees its own hand; afterwards its eyes see what they saw then."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, 30)
    version = tables.api.version(table)
    hand = tables.api.view(table, 1)["you"]["hand"]
    page = open_replay(windows, table, seat=1)
    assert page.url.startswith(f"{windows.home}/g/{table.id}/replay")
    assert "token" not in page.url
    page.keyboard.press("End")
    assert page.locator("#eyes option").all_inner_texts() == ["Bert", WORDS.onlooker]
    assert page.locator(".player-hand:visible").count() == 1
    cards = page.locator(".player:nth-child(2) .player-hand .card").evaluate_all(
        "all => all.map((one) => one.dataset.card)"
    )
    assert cards == hand
    seen = page.evaluate(SHOWN)
    page.get_by_label(WORDS.eyes).select_option(label=WORDS.onlooker)
    assert page.locator(".player-hand:visible").count() == 0
    watcher = open_replay(windows, table)
    assert watcher.locator(".player-hand:visible, #fork-form:visible").count() == 0
    assert watcher.locator("#eyes option").all_inner_texts() == [WORDS.onlooker]

    tables.play_to_end(table)
    page.goto(f"{windows.home}/g/{table.id}/replay?at={version}")
    page.locator("#play:enabled").wait_for()
    everyone = [WORDS.all_knowing, "Anna", "Bert", "Carla", WORDS.onlooker]
    assert page.locator("#eyes option").all_inner_texts() == everyone
    assert page.locator(".player-hand:visible").count() == 3
    everything = page.evaluate(SHOWN)
    page.get_by_label(WORDS.eyes).select_option(label="Bert")
    assert page.evaluate(SHOWN) == seen != everything


@pytest.mark.nightly
def test_a_game_is_continued_from_a_moment(windows: Windows, tables: Tables, finished: Table) -> None:
    """A new game begins there, and the player's seat of it can act."""
    version = versions_of(events_of(tables, finished), "TurnStarted")[9]
    page = open_replay(windows, finished, version, PHONE)
    page.locator("#fork-seats input").first.fill("Dora <b>")
    fork, to_table = create_fork(page)
    first = events_of(tables, Table(fork, {}, {}))[0]["data"]
    assert (first["parent"], first["from"]) == (finished.id, version)
    to_table.click()
    page.locator("#hand .card").first.wait_for()
    assert tables.api.view(Table(fork, {}, {}))["seats"][0]["name"] == "Dora <b>"


def test_a_running_game_is_continued_by_its_player(windows: Windows, tables: Tables, table: Table) -> None:
    """From its present version, with what the seat can't see dealt anew; the new game has a replay, too."""
    tables.play(table, 12)
    page = open_replay(windows, table, seat=1)
    fork, _ = create_fork(page)
    assert "PositionSet" in [event["type"] for event in events_of(tables, Table(fork, {}, {}))]
    page.goto(f"{windows.home}/g/{fork}/replay")
    page.locator("#play:enabled").wait_for()
    page.locator("#charts").wait_for()
    assert page.locator(".chart-wide .chart-lead").count() <= 1  # in the turns before all is as it began
    page.keyboard.press("End")
    own = page.locator(".player:nth-child(2) .player-hand .card")
    assert own.evaluate_all("all => all.map((one) => one.dataset.card)") == tables.api.view(table, 1)["you"]["hand"]


def test_a_replay_ends_where_its_states_end(windows: Windows, tables: Tables, table: Table) -> None:
    """What the players do while it is loaded may be among the sentences alone: it is left out."""
    tables.play(table, 12)
    page = windows.open("/robots.txt")

    def cut(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body="".join(answer.text().splitlines(keepends=True)[:-4]))

    page.route(f"**{table.path}/replay", cut)
    page.goto(windows.home + seat_link(table, 0).replace("#", "/replay#"))
    page.locator("#play:enabled").wait_for()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert moment_of(page) == tables.api.version(table) - 4


@pytest.mark.nightly
def test_a_replay_suits_all_windows(windows: Windows, tables: Tables, finished: Table, inspect_page: Inspect) -> None:
    """At a scoring, with the tables of the charts; the sheet is printed over the whole of one page; nothing shifts."""
    scoring = versions_of(events_of(tables, finished), "RoundScored")[1]
    page = open_replay(windows, finished, scoring, GERMAN)
    page.locator("#charts").wait_for()
    assert layout_shift(page) < 0.02
    inspect_page(page, "replay")
    page.locator("#charts details summary").click()
    page.locator("#charts table").nth(10).wait_for()
    turns = page.locator("#charts table").first.locator("tbody tr")
    assert turns.count() > 4  # what a scoring would have brought also changes between the scorings
    totals = [str(seat["total"]).replace("-", "\u2212") for seat in tables.api.view(finished)["seats"]]
    assert turns.last.locator("td").all_inner_texts() == totals
    check_accessibility(page)
    sheet = windows.open(f"/g/{finished.id}/sheet")
    assert sheet.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
    sheet.emulate_media(media="print")
    assert sheet.locator(".scroll").evaluate("(table) => table.clientWidth / table.parentElement.clientWidth") > 0.98

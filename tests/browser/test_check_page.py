"""The page "Check it yourself": of a game, of a file, with a receipt."""

import json
from itertools import pairwise
from typing import Any

import pytest

from domain.words.catalogue import LANGUAGES
from service.web.words import page_words
from tests.browser.measures import layout_shift
from tests.browser.players import SHORT_GAME, Player, await_turn, keyboard_player
from tests.browser.tables import Tables, seat_link
from tests.browser.verifying import serve_modules
from tests.browser.windows import PHONE, Browser, Inspect, Look, Page, Windows, script
from tests.domain.audit.erasures import FORGED, SHORTENED
from tests.games.kept import PAYLOADS
from tests.oracle.play import rechain
from tests.support.client import Api, Table
from tests.support.logs import ndjson
from tests.support.samples import with_nightly

EXPORT = PAYLOADS / "0.1.0.events.jsonl"
STEPS = ["form", "commitment", "shuffle", "chain", "cards", "play", "scores", "receipt"]
NDJSON = {"Accept": "application/x-ndjson"}
GERMAN = page_words("de").check
ENGLISH = page_words("en").check


def await_states(page: Page, *states: str) -> None:
    """Wait until the page says its verdict, and the steps have these states."""
    page.locator("#verdict:not([data-state=working])[data-state]").wait_for()
    found = page.locator("#steps > li").evaluate_all("(items) => items.map((one) => one.dataset.state)")
    assert found == list(states), page.locator("#verdict").text_content()


def test_a_finished_game_is_proved_in_the_browser(windows: Windows, api: Api, tables: Tables) -> None:
    """Every step holds; a receipt proves the events, a changed one doesn't; the saved file is the export."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    tables.play_to_end(table)
    page = windows.open(f"/g/{table.id}/check")
    await_states(page, *["ok"] * 9)  # with the receipt that the service gives now
    last = api.view(table)["version"]
    assert page.locator("#verdict").text_content() == ENGLISH.all_hold.format(n=last)
    with page.expect_download() as download:
        page.get_by_role("link", name=ENGLISH.save).click()
    assert download.value.suggested_filename == f"{table.id}.ndjson"
    assert download.value.path().read_bytes() == api.get(f"{table.path}/events", headers=NDJSON).content
    receipt = api.get(f"{table.path}/receipt").json()
    assert layout_shift(page) < 0.02
    page.get_by_text(ENGLISH.receipt_label, exact=True).click()
    field, button = page.get_by_label(ENGLISH.receipt_hint), page.get_by_role("button", name=ENGLISH.again)
    field.fill(json.dumps({"answer": 1, "receipt": receipt}))
    button.click()
    page.locator("#step-11").wait_for()
    await_states(page, *["ok"] * 11)
    assert page.get_by_text(ENGLISH.notes.proved_all.format(version=last)).count() == 2
    field.fill(json.dumps(receipt | {"version": last - 1}))
    button.click()
    page.get_by_role("link", name=ENGLISH.broken_receipt).wait_for()
    await_states(page, *["ok"] * 9, "failed", "failed")
    field.fill("{}")
    button.click()
    page.get_by_text(ENGLISH.bad_receipt).wait_for()
    page = windows.open("/check")
    page.get_by_text(ENGLISH.receipt_label, exact=True).click()
    page.get_by_label(ENGLISH.receipt_hint).fill(api.get(f"{table.path}/receipt?at=9").text)
    page.get_by_label(ENGLISH.file_label).set_input_files(download.value.path())
    await_states(page, *["ok"] * 9)
    assert page.locator("#verdict").text_content() == ENGLISH.notes.proved_up_to.format(version=9)


def test_a_running_game_says_what_must_wait(windows: Windows, tables: Tables, table: Table) -> None:
    """Seed, shuffle and chain can't be checked before the end; what can be holds. Unknown games are none."""
    tables.play(table, 12)
    page = windows.open(f"/g/{table.id}/check", Look(language="de-DE"))
    await_states(page, "ok", *["not checkable"] * 3, *["ok"] * 3, "not checkable", "ok")
    assert page.get_by_text(GERMAN.notes.hidden_seed).count() == 3


def test_a_verdict_claims_no_more_than_was_proved(windows: Windows) -> None:
    """On a phone, in German: a forged log that is consistent, one with an unknown event, and no log at all."""
    forged = [json.loads(line) for line in EXPORT.read_bytes().splitlines()]
    joined = next(event for event in forged if event["type"] == "PlayerJoined" and event["data"]["bot"] is None)
    joined["data"]["name"] = "Mallory"
    more = {"version": len(forged) + 1, "at": forged[-1]["at"], "type": "TableTurned", "data": {}}
    consistent = GERMAN.all_consistent.format(n=len(forged))
    passed = f"{GERMAN.all_consistent.format(n=len(forged) + 1)} {GERMAN.passed_over}"
    broken = GERMAN.broken.format(version=1, type="\u2013")
    page = windows.open("/check", Look(width=PHONE.width, height=PHONE.height, language="de-DE", touch=True))
    held, unread = (*["ok"] * 7, "not checkable"), ("failed", *["not checkable"] * 7)
    for number, (log, verdict, states) in enumerate(
        (
            (ndjson(rechain(forged)), consistent, held),
            (ndjson(rechain([*forged, more])), passed, held),
            (b"[]", broken, unread),
        )
    ):
        page.get_by_label(GERMAN.file_label).set_input_files(
            {"name": f"{number}.ndjson", "mimeType": "application/x-ndjson", "buffer": log}
        )
        page.locator("#verdict", has_text=verdict).wait_for()
        await_states(page, *states)
        assert page.locator("#verdict").text_content() == verdict
    assert page.get_by_text(GERMAN.notes.not_begun).count() == 6
    assert layout_shift(page) < 0.02


@pytest.mark.parametrize("language", with_nightly(LANGUAGES, 2))
def test_a_proof_says_how_many_events_were_erased(windows: Windows, language: str) -> None:
    """Without a click, of a log that holds and of one that fails."""
    page, words = windows.open("/check", Look(language=language)), page_words(language).check
    for log in (SHORTENED, FORGED["another entropy"][1]):
        file = {"name": "log.ndjson", "mimeType": "application/x-ndjson", "buffer": ndjson(log)}
        page.get_by_label(words.file_label).set_input_files(file)
        state = "ok" if log is SHORTENED else "failed"
        step = page.locator(f"[data-step=chain][data-state={state}]")
        step.get_by_text(words.notes.erased.format(n=3), exact=True).wait_for(state="visible")


@pytest.mark.nightly
def test_an_edited_file_turns_red_where_it_was_edited(windows: Windows, inspect_page: Inspect) -> None:
    """On a phone, in German: the export holds; with one edited card its version is named, expected beside found."""
    page = windows.open("/check", Look(width=PHONE.width, height=PHONE.height, language="de-DE", touch=True))
    page.get_by_label(GERMAN.file_label).set_input_files(EXPORT)
    await_states(page, *["ok"] * 7, "not checkable")
    lines = EXPORT.read_bytes().splitlines(keepends=True)
    version = next(number for number, line in enumerate(lines, 1) if number > 100 and b"DisplayRefilled" in line)
    refilled = json.loads(lines[version - 1])["data"]["card"].encode()
    other = b"gold" if refilled != b"gold" else b"art"
    lines[version - 1] = lines[version - 1].replace(refilled, other)
    page.evaluate(script("drop_file"), b"".join(lines).decode())
    page.get_by_role("link", name=GERMAN.broken.format(version=version, type="DisplayRefilled")).click()
    await_states(page, "ok", "ok", "ok", "failed", "failed", "not checkable", "not checkable", "not checkable")
    assert page.url.endswith("#step-4")
    assert page.locator(".proof-fault code").all_text_contents() == [f"v = {version}"] * 2
    for state, card in (("is-expected", refilled), ("is-found", other)):
        assert page.locator(f"[data-step=cards] .{state} mark").text_content() == card.decode()
    rule = page.locator("[data-step=scores] .proof-work").text_content() or ""
    assert page_words("de").scoring.reasons["monopoly"] in rule
    assert page.locator(".proof-step > details[open]").count() == 2  # those that failed
    assert "{" not in rule.partition(GERMAN.output)[0]
    inspect_page(page, "check-edited")


# Receipts that the browser keeps by itself: what they prove, how many there are, and what needs no connection.


FRENCH = page_words("fr")


def kept_by(page: Page, table: Table) -> list[dict[str, Any]]:
    kept: dict[str, Any] = json.loads(page.evaluate("localStorage['reibach.receipts'] ?? '{}'"))
    return kept.get(table.id, [])


def lay_twice(player: Player) -> None:
    for _ in range(2):
        await_turn(player.page)
        before = player.page.locator("#table").get_attribute("data-version")
        player.lay()
        player.page.locator("[data-focus=send]").click()
        player.page.locator(f"#table:not([data-version='{before}'])").wait_for()


def test_a_rewritten_log_is_refused_by_a_kept_receipt(windows: Windows, tables: Tables) -> None:
    """Nothing is pasted: what the browser got while it played holds, and shows a log that was made anew since."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    page = windows.open(seat_link(table, 0))
    lay_twice(keyboard_player(page))
    kept = kept_by(page, table)
    assert len(kept) == 2
    assert all(tables.api.get(f"{table.path}/receipt", params={"at": one["version"]}).json() == one for one in kept)
    tables.play_to_end(table)
    page.goto(f"{windows.home}/g/{table.id}/check")
    await_states(page, *["ok"] * (7 + 2 * 3))
    origins = [ENGLISH.origins[one] for one in ("kept", "kept", "fetched")]
    assert page.locator(".proof-origin").all_text_contents() == origins
    with page.expect_download() as download:
        page.get_by_role("link", name=ENGLISH.save_receipt).click()
    assert json.loads(download.value.path().read_bytes()) == tables.api.get(f"{table.path}/receipt").json()

    log = [json.loads(line) for line in tables.api.get(f"{table.path}/events", headers=NDJSON).text.splitlines()]
    moved = next(event for event in log if event["type"] == "BusinessmakerLaid")
    moved["at"] = log[moved["version"] - 2]["at"]
    windows.expect("ERR_FAILED")
    page.route("**/events", lambda route: route.fulfill(body=ndjson(rechain(log)), content_type="application/x-ndjson"))
    page.route("**/receipt?*", lambda route: route.abort())
    page.reload()
    page.get_by_role("link", name=ENGLISH.broken_receipt).wait_for()
    await_states(page, *["ok"] * 7, *["failed", "ok"] * 2)


def test_kept_receipts_are_few_and_spread(browser: Browser) -> None:
    """Five of a game, from its beginning to now; a second hash of one version is kept, as it proves most.

    One that can't be written is written with the next.
    """
    page = browser.new_page()
    serve_modules(page)
    (kept,) = page.evaluate(script("keep_receipts"), [["one", version, "a"] for version in [*range(1, 101), 100]])
    versions = [one["version"] for one in kept]
    assert (len(kept), versions[0], versions[-1], versions) == (5, 1, 100, sorted(versions))
    assert all(10 <= later - one <= 60 for one, later in pairwise(versions)), versions
    assert kept[0].keys() == {"version", "hash", "key", "signature"}
    (kept,) = page.evaluate(script("keep_receipts"), [["two", 3, "a"], ["two", 3, "b"]])
    assert [one["hash"] for one in kept] == ["a", "b"]
    games = page.evaluate(script("keep_receipts"), [[f"game {number}", 1, "a"] for number in range(210)])
    assert [len(kept) for kept in games] == [0] * 10 + [1] * 200
    for kept in page.evaluate(script("keep_where_one_write_fails"), "three"):
        assert [one["version"] for one in kept] == [1, 2, 3]
    page.close()


@pytest.mark.nightly
def test_a_file_is_checked_without_a_connection(windows: Windows) -> None:
    """Also where that page was never open; without the service's keys a receipt's signature can't be checked."""
    page = windows.open("/", Look(language="fr-FR", worker=True))
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    events = [json.loads(line) for line in EXPORT.read_bytes().splitlines()]
    game, last = events[0]["data"]["game"], events[-1]
    receipt = {"version": last["version"], "hash": last["hash"], "key": "k", "signature": "s"}
    page.evaluate(
        "([game, receipt]) => localStorage.setItem('reibach.receipts', JSON.stringify({ [game]: [receipt] }))",
        [game, receipt],
    )
    page.context.set_offline(True)
    page.goto(f"{windows.home}/check")
    page.get_by_label(FRENCH.check.file_label).set_input_files(EXPORT)
    await_states(page, *["ok"] * 8, "not checkable")
    page.get_by_text(FRENCH.check.notes.no_keys).wait_for()
    page.goto(f"{windows.home}/rules")
    page.get_by_role("heading", level=1, name=FRENCH.rules.title).wait_for()

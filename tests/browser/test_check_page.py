"""The page "Check it yourself": of a game, of a file, with a receipt."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from service.web.words import PAGE_WORDS
from tests.browser.measures import layout_shift
from tests.browser.players import SHORT_GAME
from tests.browser.tables import Tables
from tests.browser.windows import PHONE, Look, Windows
from tests.games.kept import PAYLOADS
from tests.oracle.play import rechain
from tests.support.client import Api
from tests.support.logs import ndjson

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXPORT = PAYLOADS / "0.1.0.events.jsonl"
STEPS = ["form", "commitment", "shuffle", "chain", "cards", "play", "scores", "receipt"]
NDJSON = {"Accept": "application/x-ndjson"}
GERMAN = PAGE_WORDS["de"].check
ENGLISH = PAGE_WORDS["en"].check


def await_states(page: "Page", *states: str) -> None:
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


def test_a_running_game_says_what_must_wait(windows: Windows, tables: Tables) -> None:
    """Seed, shuffle and chain can't be checked before the end; what can be holds. Unknown games are none."""
    table = tables.open("Anna", "Bert")
    tables.play(table, 12)
    page = windows.open(f"/g/{table.id}/check", Look(language="de-DE"))
    await_states(page, "ok", *["not checkable"] * 3, *["ok"] * 3, "not checkable", "ok")
    assert page.get_by_text(GERMAN.notes.hidden_seed).count() == 3
    windows.expect("404")
    page = windows.open("/g/nowhere/check", Look(language="de-DE"))
    page.locator("#verdict[data-state=failed]").wait_for()


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


def test_an_edited_file_turns_red_where_it_was_edited(
    windows: Windows, inspect_page: "Callable[[Page, str], None]"
) -> None:
    """On a phone, in German: the export holds; with one edited card its version is named, expected beside found."""
    page = windows.open("/check", Look(width=PHONE.width, height=PHONE.height, language="de-DE", touch=True))
    page.get_by_label(GERMAN.file_label).set_input_files(EXPORT)
    await_states(page, *["ok"] * 7, "not checkable")
    lines = EXPORT.read_bytes().splitlines(keepends=True)
    version = next(number for number, line in enumerate(lines, 1) if number > 100 and b"DisplayRefilled" in line)
    refilled = json.loads(lines[version - 1])["data"]["card"].encode()
    other = b"gold" if refilled != b"gold" else b"art"
    lines[version - 1] = lines[version - 1].replace(refilled, other)
    page.evaluate(
        """(text) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "edited.ndjson"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }""",
        b"".join(lines).decode(),
    )
    page.get_by_role("link", name=GERMAN.broken.format(version=version, type="DisplayRefilled")).click()
    await_states(page, "ok", "ok", "ok", "failed", "failed", "not checkable", "not checkable", "not checkable")
    assert page.url.endswith("#step-4")
    assert page.locator(".proof-fault code").all_text_contents() == [f"v = {version}"] * 2
    for state, card in (("is-expected", refilled), ("is-found", other)):
        assert page.locator(f"[data-step=cards] .{state} mark").text_content() == card.decode()
    rule = page.locator("[data-step=scores] .proof-work").text_content() or ""
    assert PAGE_WORDS["de"].scoring.reasons["monopoly"] in rule
    assert "{" not in rule.partition(GERMAN.output)[0]
    inspect_page(page, "check-edited")

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
from tests.support.client import Api

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

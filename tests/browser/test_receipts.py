"""Receipts that the browser keeps by itself: what they prove, how many there are, and what needs no connection."""

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from service.web.words import PAGE_WORDS
from tests.browser.players import SHORT_GAME, Player, await_turn, keyboard_player
from tests.browser.tables import Tables, seat_link
from tests.browser.test_check_page import EXPORT, NDJSON, await_states
from tests.browser.verifying import serve_modules
from tests.browser.windows import Look, Windows
from tests.oracle.play import rechain
from tests.support.client import Table
from tests.support.logs import ndjson

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHECK = PAGE_WORDS["en"].check
FRENCH = PAGE_WORDS["fr"]
KEEP = """async (given) => {
  const { keepReceipt, keptReceipts } = await import("/core/session.js");
  for (const [game, version, hash] of given) keepReceipt(game, { version, hash, key: "k", signature: "s", more: 1 });
  return given.map(([game]) => game).filter((game, index, all) => all.indexOf(game) === index)
    .map((game) => keptReceipts(game));
}"""


KEEP_WHERE_ONE_WRITE_FAILS = """async (game) => {
  const { keepReceipt, keptReceipts } = await import("/core/session.js");
  const { setItem } = Storage.prototype;
  for (const version of [1, 2, 3]) {
    Storage.prototype.setItem = version === 1 ? () => { throw new Error("full"); } : setItem;
    keepReceipt(game, { version, hash: "h", key: "k", signature: "s" });
  }
  return [keptReceipts(game), JSON.parse(localStorage["reibach.receipts"])[game]];
}"""


def kept_by(page: "Page", table: Table) -> list[dict[str, Any]]:
    """The receipts of a game that the browser keeps."""
    kept: dict[str, Any] = json.loads(page.evaluate("localStorage['reibach.receipts'] ?? '{}'"))
    receipts: list[dict[str, Any]] = kept.get(table.id, [])
    return receipts


def lay_twice(player: Player) -> None:
    """Two actions by two requests."""
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
    assert page.locator(".proof-origin").all_text_contents() == [
        CHECK.origins[one] for one in ("kept", "kept", "fetched")
    ]
    with page.expect_download() as download:
        page.get_by_role("link", name=CHECK.save_receipt).click()
    assert json.loads(download.value.path().read_bytes()) == tables.api.get(f"{table.path}/receipt").json()

    log = [json.loads(line) for line in tables.api.get(f"{table.path}/events", headers=NDJSON).text.splitlines()]
    moved = next(event for event in log if event["type"] == "BusinessmakerLaid")
    moved["at"] = log[moved["version"] - 2]["at"]
    windows.expect("ERR_FAILED")
    page.route("**/events", lambda route: route.fulfill(body=ndjson(rechain(log)), content_type="application/x-ndjson"))
    page.route("**/receipt?*", lambda route: route.abort())
    page.reload()
    page.get_by_role("link", name=CHECK.broken_receipt).wait_for()
    await_states(page, *["ok"] * 7, *["failed", "ok"] * 2)


def test_kept_receipts_are_few_and_spread(browser: "Browser") -> None:
    """Five of a game, from its beginning to now; a second hash of one version is kept, as it proves most.

    One that can't be written is written with the next.
    """
    page = browser.new_page()
    serve_modules(page)
    (kept,) = page.evaluate(KEEP, [["one", version, "a"] for version in [*range(1, 101), 100]])
    versions = [one["version"] for one in kept]
    assert (len(kept), versions[0], versions[-1], versions) == (5, 1, 100, sorted(versions))
    assert all(10 <= later - one <= 60 for one, later in pairwise(versions)), versions
    assert kept[0].keys() == {"version", "hash", "key", "signature"}
    (kept,) = page.evaluate(KEEP, [["two", 3, "a"], ["two", 3, "b"]])
    assert [one["hash"] for one in kept] == ["a", "b"]
    games = page.evaluate(KEEP, [[f"game {number}", 1, "a"] for number in range(60)])
    assert [len(kept) for kept in games] == [0] * 10 + [1] * 50
    for kept in page.evaluate(KEEP_WHERE_ONE_WRITE_FAILS, "three"):
        assert [one["version"] for one in kept] == [1, 2, 3]
    page.close()


def test_a_file_is_checked_without_a_connection(windows: Windows) -> None:
    """Also where that page was never open; without the service's keys a receipt's signature can't be checked."""
    page = windows.open("/", Look(language="fr-FR"))
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
    windows.complaints = [one for one in windows.complaints if "ERR_INTERNET_DISCONNECTED" not in one]

"""What an open page tells of the last moves: what one that is opened now tells, and not more of a message than fits."""

from typing import TYPE_CHECKING

import pytest

from service.web.words import PAGE_WORDS
from tests.browser.players import await_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.test_live import await_version, write
from tests.browser.windows import PHONE, Look, Windows
from tests.support.client import Table
from tests.support.samples import with_nightly

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

WORDS = PAGE_WORDS["en"]


def take(tables: Tables, table: Table, seat: int, times: int) -> None:
    """Take the first open card so often."""
    for _ in range(times):
        assert tables.api.act(table, seat, {"type": "take", "slot": 0}).status_code == 201


@pytest.mark.parametrize("by", with_nightly(["stream", "poll"]))
@pytest.mark.parametrize("viewer", with_nightly(["watcher", "rival"]))
def test_an_open_page_names_no_closed_businessmaker(viewer: str, by: str, windows: Windows, tables: Tables) -> None:
    """They were open to all when they were laid; when they are closed the page asks for its sentences anew."""
    table = tables.open("Anna", "Bert")
    page = windows.open("about:blank")
    if by == "poll":
        windows.expect("ERR_FAILED")
        page.context.route("**/events", lambda route: route.abort())
    path = f"/g/{table.id}" if viewer == "watcher" else seat_link(table, 1)
    page.goto(windows.home + path)
    page.locator("#table[data-version]").wait_for()
    laid = []
    for _ in range(2):
        laid.append(tables.api.view(table, 0)["you"]["hand"][0])
        assert tables.api.act(table, 0, {"type": "lay_businessmaker", "card": laid[-1]}).status_code == 201
    await_version(tables, table, page)
    names = names_of(page, laid)
    page.wait_for_function(NAMES_ALL, arg=names)
    take(tables, table, 0, 1)
    take(tables, table, 1, 3)
    await_version(tables, table, page)
    assert all(row["businessmaker"] is None for row in tables.api.view(table)["seats"][0]["rows"])
    page.wait_for_function(NAMES_NONE, arg=names)
    if viewer == "watcher":
        fresh = windows.open(path)
        fresh.locator("#table[data-version]").wait_for()
        assert page.locator("#recap li").all_inner_texts() == fresh.locator("#recap li").all_inner_texts()


NAMES_ALL = "(names) => names.every((name) => document.getElementById('recap').textContent.includes(name))"
NAMES_NONE = """(names) => {
  const lines = [...document.querySelectorAll("#recap li")].map((line) => line.textContent);
  const laid = lines.filter((line) => line.includes("businessmaker"));
  return !names.some((name) => laid.some((line) => line.includes(name)));
}"""


def names_of(page: "Page", cards: list[str]) -> list[str]:
    """The names of cards, as the page has them."""
    found: list[str] = page.evaluate(
        "(cards) => cards.map((card) => JSON.parse(document.getElementById('words').textContent).cards[card])", cards
    )
    return found


def test_a_move_between_the_first_answers_is_told(windows: Windows, tables: Tables) -> None:
    """The page asks for view, recap and legal actions at once, and again for those that are older than the view."""
    table = tables.open("Anna", "Bert")
    take(tables, table, 0, 2)
    page = windows.open("about:blank")
    older = {
        name: tables.api.get(f"{table.path}/{name}", table.tokens[1]).json() for name in ("recap", "legal-actions")
    }
    for name in older:
        page.route(f"**/{name}*", lambda route: route.fulfill(json=older[name_of(route)]), times=1)
    write(tables, table, "your turn now")
    take(tables, table, 0, 1)
    page.goto(windows.home + seat_link(table, 1))
    await_turn(page)
    page.locator("#hand button.card").first.wait_for()
    page.locator("#recap", has_text="your turn now").wait_for()
    page.locator("#messages-unread").get_by_text(WORDS.messages.unread.format("en", 1)).wait_for()


def name_of(route: "Route") -> str:
    """What a request asks for."""
    return route.request.url.rpartition("/")[2].partition("?")[0]


def test_a_page_that_slept_tells_the_newest(windows: Windows, tables: Tables) -> None:
    """Of more than it can tell the end."""
    table = tables.open("Anna", "Bert")
    page = windows.open(f"/g/{table.id}")
    page.locator("#table[data-version]").wait_for()
    page.context.set_offline(offline=True)
    page.locator("#status .lost").wait_for()
    tables.play(table, 80)
    page.context.set_offline(offline=False)
    await_version(tables, table, page)
    items = tables.api.get(f"{table.path}/recap?by=action&since=0&limit=1000").json()["items"]
    told = [item["text"] for item in items if len(item["events"]) > 1 or item["type"] != "TurnStarted"]
    page.wait_for_function(LAST_LINE, arg=told[-1])
    assert page.locator("#recap li").all_inner_texts()[-50:] == told[-50:]
    windows.complaints = [one for one in windows.complaints if "ERR_INTERNET_DISCONNECTED" not in one]


LAST_LINE = "(text) => document.querySelector('#recap li:last-child')?.textContent === text"


@pytest.mark.parametrize("look", with_nightly([PHONE, Look()]))
def test_a_long_message_leaves_room(look: Look, windows: Windows, tables: Tables) -> None:
    """Two lines of it stand in the recap, and all of it with the messages."""
    table = tables.open("Anna", "Bert")
    page = windows.open(seat_link(table, 0), look)
    await_turn(page)
    text = "\n".join(f"line {number} of a very long message" for number in range(40))
    sent = tables.api.post(f"{table.path}/messages", table.tokens[1], json={"text": text})
    assert sent.status_code == 201
    message = page.locator("#recap .recap-message")
    message.wait_for()
    line = float(message.evaluate("(one) => parseFloat(getComputedStyle(one).lineHeight)"))
    assert message.evaluate("(one) => one.getBoundingClientRect().height") <= 2 * line + 1
    page.locator("#messages summary").click()
    page.locator(".message-text", has_text="line 39").wait_for()

"""What happens at the table while a page shows it: one request a picture, streams, long polls, lost connections."""

from typing import Final

import pytest

from domain.cards import REIBACH
from domain.rules import NEWEST
from domain.words.wording import words_of
from service.web.words import fill_plural, page_words
from tests.browser.players import SHORT_GAME, await_turn, open_table
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Look, Page, Route, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly

WORDS = page_words("en")
RECORD_REQUESTS: Final = script("record_requests")
"""Each request, and the version that the table showed when it was sent; without streams and long polls."""


def open_blank(windows: Windows, by: str) -> Page:
    """A window to which news come by a stream, or by long polls where something keeps the stream back."""
    page = windows.open("about:blank")
    if by == "poll":
        windows.expect("ERR_FAILED")
        page.context.route("**/events", lambda route: route.abort())
    return page


@pytest.mark.parametrize("by", with_nightly(["stream", "poll"]))
def test_one_request_lies_between_an_event_and_its_picture(by: str, windows: Windows, tables: Tables) -> None:
    """By a stream it is the view; a long poll brings that, and what has led to it is asked for. Messages are text."""
    table = tables.open("Anna", "Bert")
    page = open_blank(windows, by)
    with page.expect_request(lambda request: request.url.endswith("/events" if by == "stream" else "wait=25")):
        page.goto(windows.home + seat_link(table, 1))
    page.locator("#table[data-version]").wait_for()
    page.evaluate(RECORD_REQUESTS)
    for _ in range(2):
        before = str(tables.api.version(table))
        page.evaluate("window.requests = []")
        tables.lay(table)
        tables.await_version(table, page)
        page.wait_for_function("() => window.requests.some(([_, path]) => path.includes('recap'))")
        sent = [(shown, path.partition("?")[0]) for shown, path in page.evaluate("window.requests")]
        assert len([path for _, path in sent if path.endswith("recap")]) == 1
        assert [path for shown, path in sent if shown == before] == [
            table.path if by == "stream" else f"{table.path}/recap"
        ]
    page.locator("#messages summary").click()
    tables.write(table, evil := "<script>alert(1)</script>")
    page.locator(".message-text", has_text=evil).wait_for()
    assert page.locator("#status .lost").count() == 0


def test_long_polls_stand_in_for_the_stream(windows: Windows, tables: Tables) -> None:
    """Something keeps it back: moves, a pause of the clock, messages and a round come by polls; later it is back."""
    table = tables.open("Anna", "Bert", pace={"turn_seconds": 259_200}, seed=SHORT_GAME)
    page = windows.open("about:blank")
    held: list[str] = []
    page.clock.install()
    page.context.route("**/events", lambda route: held.append(route.request.url))  # and no answer
    with page.expect_request("**/events"):
        page.goto(windows.home + seat_link(table, 1))
    page.locator("#status time").wait_for()
    with page.expect_request("**wait=25"):
        page.clock.fast_forward(4000)
    tables.lay(table)
    page.locator("#market .maker.changed").wait_for()
    page.locator("#recap", has_text="Anna").wait_for()
    for seat in (0, 1):
        assert tables.api.post(f"{table.path}/pause", table.tokens[seat]).status_code == 201
    page.locator("#status-clock", has_text=WORDS.table.paused).wait_for()
    assert page.locator("#status time").count() == 0
    page.locator("#messages summary").click()
    tables.write(table, "by post")
    page.locator(".message-text", has_text="by post").wait_for()
    while tables.api.view(table)["reibach"]["rounds_scored"] == 0:
        tables.play(table, 1)
    page.locator("#round-close").click()
    assert page.locator("#status .lost").count() == 0
    assert len(held) == 1
    page.context.unroute("**/events")
    page.clock.fast_forward(10_000)
    with page.expect_response("**/events") as stream:
        tables.play(table, 1)
    assert stream.value.headers["content-type"].startswith("text/event-stream")
    tables.play(table, 1)
    tables.await_version(table, page)


def test_a_message_is_shown_that_came_while_others_were_loaded(windows: Windows, tables: Tables, table: Table) -> None:
    page = windows.open(f"/g/{table.id}")
    page.locator("#recap li").first.wait_for()
    read = tables.api.get(f"{table.path}/events").json()
    held: list[Route] = []
    page.route("**/events?*", lambda route: [held.append(route)], times=1)  # and no answer
    with page.expect_request("**/events?*"):
        page.locator("#messages summary").click()
    tables.write(table, "meanwhile")
    page.locator("#recap .recap-messages").wait_for()
    held[0].fulfill(json=read)
    page.locator(".message-text", has_text="meanwhile").wait_for()


def test_messages_go_on_when_a_game_is_over(windows: Windows, tables: Tables, table: Table) -> None:
    """No stream tells of them: an open page asks from time to time."""
    for seat in (0, 1):
        assert tables.api.post(f"{table.path}/cancel", table.tokens[seat]).status_code == 201
    page = windows.open("about:blank")
    page.clock.install()
    page.goto(f"{windows.home}/g/{table.id}")
    page.locator("#ending").wait_for()
    page.locator("#status-text", has_text=WORDS.table.cancelled).wait_for()
    assert page.locator("#display button, #hand button").count() == 0
    page.locator("#messages summary").click()
    page.locator("#message-list", has_text=WORDS.messages.none).wait_for()
    tables.write(table, "one more?")
    page.clock.fast_forward(15_000)
    page.locator(".message-text", has_text="one more?").wait_for()


def test_a_lost_connection_is_said_and_caught_up(windows: Windows, tables: Tables, table: Table) -> None:
    """What others did meanwhile is marked, and told."""
    page = open_table(windows, seat_link(table, 1))
    tables.lay(table)
    page.locator("#market .maker.changed").wait_for()
    page.context.set_offline(offline=True)
    page.locator("#status .lost", has_text=WORDS.table.connection_lost).wait_for()
    tables.lay(table)
    assert tables.api.act(table, 0, {"type": "take", "slot": 0}).status_code == 201
    page.context.set_offline(offline=False)
    tables.await_version(table, page)
    page.locator("#market .maker.changed").nth(1).wait_for()
    page.locator("#display .changed").first.wait_for()
    page.locator("#status .lost").wait_for(state="detached")
    await_turn(page)
    before = page.locator("#recap li").count()
    page.reload()
    await_turn(page)
    assert page.locator("#recap li").count() <= before


# What an open page tells of the last moves.


def take(tables: Tables, table: Table, seat: int, times: int) -> None:
    for _ in range(times):
        assert tables.api.act(table, seat, {"type": "take", "slot": 0}).status_code == 201


@pytest.mark.parametrize("by", with_nightly(["stream", "poll"]))
@pytest.mark.parametrize("viewer", with_nightly(["watcher", "rival"]))
def test_an_open_page_names_no_closed_businessmaker(viewer: str, by: str, windows: Windows, tables: Tables) -> None:
    """They were open to all when they were laid; when they are closed the page asks for its sentences anew."""
    table = tables.open("Anna", "Bert")
    page = open_blank(windows, by)
    path = f"/g/{table.id}" if viewer == "watcher" else seat_link(table, 1)
    page.goto(windows.home + path)
    page.locator("#table[data-version]").wait_for()
    laid = []
    for _ in range(2):
        laid.append(tables.api.view(table, 0)["you"]["hand"][0])
        assert tables.api.act(table, 0, {"type": "lay_businessmaker", "card": laid[-1]}).status_code == 201
    tables.await_version(table, page)
    names = [words_of("en").cards[card] for card in laid]
    page.wait_for_function(script("names_all"), arg=names)
    take(tables, table, 0, 1)
    take(tables, table, 1, 3)
    tables.await_version(table, page)
    assert all(row["businessmaker"] is None for row in tables.api.view(table)["seats"][0]["rows"])
    page.wait_for_function(script("names_no_businessmaker"), arg=names)
    if viewer == "watcher":
        fresh = open_table(windows, path)
        assert page.locator("#recap li").all_inner_texts() == fresh.locator("#recap li").all_inner_texts()


def test_a_move_between_the_first_answers_is_told(windows: Windows, tables: Tables, table: Table) -> None:
    """The page asks for view and recap at once, and again for a recap that is older than the view."""
    take(tables, table, 0, 2)
    page = windows.open("about:blank")
    older = tables.api.get(f"{table.path}/recap", table.tokens[1]).json()
    page.route("**/recap*", lambda route: route.fulfill(json=older), times=1)
    tables.write(table, "your turn now")
    take(tables, table, 0, 1)
    page.goto(windows.home + seat_link(table, 1))
    await_turn(page)
    page.locator("#hand button.card").first.wait_for()
    page.locator("#messages-unread").get_by_text(fill_plural("en", WORDS.messages.unread, 1)).wait_for()


def test_a_page_that_slept_tells_the_newest(windows: Windows, tables: Tables, table: Table) -> None:
    page = open_table(windows, f"/g/{table.id}")
    page.context.set_offline(offline=True)
    page.locator("#status .lost").wait_for()
    tables.play(table, 80)
    page.context.set_offline(offline=False)
    tables.await_version(table, page)
    last = next(event for event in reversed(tables.api.events(table)) if event["type"] in ("CardTaken", "CardAppended"))
    told = f".recap-turn[data-seat='{last['data']['seat']}'] [data-card={last['data']['card']}]"
    page.locator(f"#recap {told}").first.wait_for()


def test_who_turned_up_a_reibach_card_is_told(windows: Windows, tables: Tables) -> None:
    """In a line of its own, that one's too, beside what the others did since the turn before."""
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    while True:
        game = tables.log.load(table.id).game
        coming = [card == REIBACH for card in game.draw_pile[game.drawn : game.drawn + 2]]
        brings_round = game.revealed + 1 in NEWEST.scoring_at
        if (game.turn_seat, game.action_points, coming, brings_round) == (0, 3, [True, False], False):
            break
        tables.play(table, 1)
    anna, bert = (windows.open(seat_link(table, seat)) for seat in (0, 1))
    bert.locator("#table[data-version]").wait_for()
    anna.keyboard.press("d")
    anna.locator("[data-focus=now]").click()
    anna.locator(".recap-coins", has_text=f"You turn up Reibach card {game.revealed + 1}").wait_for()
    bert.locator(".recap-coins", has_text=f"Anna turns up Reibach card {game.revealed + 1}").wait_for()
    assert anna.locator("#recap .recap-turn[data-seat='1']").count() == 1
    assert anna.locator("#recap .recap-turn[data-seat='0']").count() == 0


@pytest.mark.nightly
def test_words_that_were_lost_are_asked_for_again(windows: Windows, tables: Tables, table: Table) -> None:
    page = open_table(windows, f"/g/{table.id}")
    windows.expect("ERR_FAILED")
    page.context.route("**/recap?by=action*", lambda route: route.abort(), times=1)
    tables.play(table, 1)
    page.locator("#recap .recap-turn[data-seat='0']").wait_for()


@pytest.mark.parametrize("look", with_nightly([PHONE, Look()]))
def test_messages_push_no_turn_out_of_the_recap(look: Look, windows: Windows, tables: Tables) -> None:
    """Their writer has one line, with their number, which leads to them; every line is whole."""
    table = tables.open("Anna", "Bert", "Carla")
    page = open_table(windows, seat_link(table, 0), look)
    while tables.api.view(table)["turn"]["number"] < 4:
        tables.play(table, 1)
    for text in ("one", "two", "three", "\n".join(f"line {number}" for number in range(40))):
        tables.write(table, text, seat=1)
    by = fill_plural("en", WORDS.messages.by, 4, name="Bert").replace("4 ", "4\u00a0")
    page.locator("#recap .recap-messages", has_text=by).wait_for()
    assert {line.get_attribute("data-seat") for line in page.locator("#recap .recap-turn").all()} >= {"1", "2"}
    assert page.locator("#recap").evaluate("(one) => one.scrollHeight <= one.clientHeight")
    page.locator("#recap .recap-messages button").click()
    page.locator(".message-text", has_text="line 39").wait_for()

"""The table on a phone: what must be tapped is in sight, and a turn begins with what has changed."""

from dataclasses import asdict
from random import Random
from typing import Final

import pytest

from domain.bots import choose_actions
from domain.cards import SPECIALS
from domain.commands import Act, Action, Append, Draw, LayBusinessmaker, Take
from domain.legality import legal_actions
from service.web.words import fill_plural, page_words
from tests.browser.checks import check_accessibility
from tests.browser.measures import layout_shift
from tests.browser.players import await_turn, open_table, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Look, Page, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly

WORDS: Final = page_words("de")
LARGEST_PANEL: Final = 0.4
"""Of the window's height."""
_REACHABLE: Final = script("find_reachable_rows")
"""Of each row that takes the chosen card, whether a thumb reaches its upper, middle and lower part."""
NOW: Final = "[data-focus=now]"
SEND: Final = "[data-focus=send]"
SPECIAL: Final = ["#hand [data-card={card}]", "#market .target"]
PLACES: Final[dict[type[Action], list[str]]] = {
    Take: ["[data-focus='slot:{slot}']"],
    Draw: ["[data-focus=draw]"],
    LayBusinessmaker: ["#hand [data-card={card}]", ".row-new"],
    Append: [".line-own [data-business={card}] button"],
}
"""What is tapped, in order."""
_PANEL: Final = "() => document.getElementById('dock').getBoundingClientRect().height / innerHeight"


def phone(height: int = 740, width: int = 360) -> Look:
    return Look(width=width, height=height, language="de-DE", touch=True)


def prepare(tables: Tables, table: Table, *, rows: int, cards: int) -> None:
    """Play until seat 0 begins a turn with so many businessmakers and hand cards: all else is taking."""
    while True:
        tables.play(table, 0)  # a round that waits is scored
        game = tables.log.load(table.id).game
        own = game.seats[0]
        is_due = game.turn_seat == 0 and len(own.rows) < rows
        if game.turn_seat == 0 and game.action_points == 3 and not is_due and len(own.hand) >= cards:
            return
        kind = LayBusinessmaker if is_due else Take
        action = next(action for action in legal_actions(game, game.turn_seat) if isinstance(action, kind))
        tables.log.handle(table.id, Act(seat=game.turn_seat, actions=(action,)))


def choose(page: Page) -> None:
    """Tap the first hand card, and check that each row that takes it can be tapped."""
    page.locator("#hand button.card").first.tap()
    reachable = page.evaluate(_REACHABLE)
    assert len(reachable) > 1
    assert all(reachable), reachable


@pytest.mark.parametrize(("cards", "height"), with_nightly([(16, 740), (20, 740), (16, 440), (16, 360)]))
def test_every_target_is_above_the_panel(cards: int, height: int, windows: Windows, tables: Tables) -> None:
    """However many cards there are: the panel takes two fifths of the window, and becomes lower in a low one.

    Held sideways the phone shows the turn beside the hand, and the market beside the display.
    """
    table = tables.open("Anna", "Bert")
    prepare(tables, table, rows=3, cards=cards)
    page = open_turn(windows, table, phone(height, 740 if height == 360 else 360))
    assert height == 440 or page.evaluate(_PANEL) < LARGEST_PANEL
    assert height > 360 or page.locator("#market .line-head").evaluate_all(script("are_in_sight"))
    choose(page)
    page.locator("#hand button.card").last.tap()
    page.locator(".row-new").tap()
    choose(page)
    page.locator(".row-new").tap()
    choose(page)
    assert height < 740 or page.evaluate(_PANEL) < LARGEST_PANEL
    check_accessibility(page)


@pytest.mark.nightly
def test_a_turn_costs_four_taps(windows: Windows, tables: Tables) -> None:
    """At most, over a whole game as a bot would play it: a card that has its row is laid by touching that row."""
    table = tables.open("Anna", bots=2)
    page = open_table(windows, seat_link(table, 0), phone())
    chance, turns, taps, since = Random(0), set[int](), 0, 0
    while await_turn(page, since):
        if page.locator("#round:visible").count():
            page.locator("#round-close").tap()  # where things move it goes by itself
        game = tables.log.load(table.id).game
        turns.add(game.turn)
        for action in (*choose_actions("greedy", game, chance), None):
            places = [SEND] if action is None else PLACES[type(action)]
            is_special = isinstance(action, Append) and action.card in SPECIALS
            for place in SPECIAL if is_special else places:
                page.locator(place.format(**asdict(action) if action else {})).first.tap()
                taps += 1
            if isinstance(action, Take | Draw):
                break  # the next ones are chosen once it is known what it has shown
        if page.locator(NOW).count():  # the first time alone
            page.locator(NOW).tap()
            taps += 1
        since = game.version
    assert len(turns) > 10
    assert taps <= 4 * len(turns)


@pytest.mark.nightly
def test_a_turn_begins_at_the_top(windows: Windows, tables: Tables, table: Table) -> None:
    """With status, track and recap; what comes in the middle of it moves nothing. No panel hides the own rows.

    Messages of others are counted once each, over reloads, until they are opened.
    """
    prepare(tables, table, rows=3, cards=12)
    page = open_table(windows, seat_link(table, 1), phone())
    assert WORDS.turn.waiting.format(name="Anna") in page.locator("#turn").inner_text()
    page.evaluate("scrollTo(0, 300)")
    tables.end_turn(table)
    await_turn(page)
    page.wait_for_function("() => scrollY === 0")
    head, panel = page.locator(".line-own .line-head").bounding_box(), page.locator("#dock").bounding_box()
    assert head is not None
    assert panel is not None
    assert head["y"] + head["height"] < panel["y"]
    assert layout_shift(page) < 0.02
    page.evaluate("scrollTo(0, 100)")
    tables.write(table, "to all")
    page.locator("#recap .recap-messages").wait_for()
    assert page.evaluate("scrollY") == 100
    unread = page.locator("#messages-unread")
    for seat in (1, 0):  # the own one doesn't count
        tables.write(table, "again", seat)
        tables.await_version(table, page)
    unread.get_by_text(fill_plural("de", WORDS.messages.unread, 2)).wait_for()
    tables.play(table, 6)  # the recap of the next visit begins after the messages
    page.reload()
    unread.get_by_text(fill_plural("de", WORDS.messages.unread, 2)).wait_for()
    page.locator("#messages summary").tap()
    page.locator(".message-text", has_text="to all").wait_for()
    unread.wait_for(state="hidden")
    page.reload()
    page.locator("#table[data-version]").wait_for()
    assert not unread.is_visible()

"""Players of the page: they play a game as a person would, by keyboard or by touch, and look at what the page shows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.browser.tables import seat_link
from tests.browser.windows import DESKTOP, Look, Page, Windows, script
from tests.support.client import Table
from tests.support.waiting import patience

SHORT_GAME: Final = f"{18082:064x}"
"""A seed for two seats without entropy: the tenth Reibach card is the 39th of the draw pile."""
LONGEST: Final = 20
"""Seconds that a page of a quiet machine may take for anything."""
_POINTS: Final = 3
_MANY: Final = 6
"""Hand cards from which on a player draws one for each that is laid, and takes none."""
_PAYDAY: Final = "(round) => Number(document.getElementById('round').dataset.round) >= round"
_READ: Final = script("read_turn")
"""What the page shows once it shows a version after `since`, no answer is awaited, and no round is being scored."""


def version_of(page: Page) -> int:
    return int(page.locator("#table").get_attribute("data-version") or 0)


def await_turn(page: Page, since: int = 0) -> bool:
    """Wait until the player can act at a version after `since`; False where the game is over."""
    return not _read(page, since, awaits_turn=True).is_over


def open_table(windows: Windows, path: str, look: Look = DESKTOP) -> Page:
    page = windows.open(path, look)
    page.locator("#table[data-version]").wait_for()
    return page


def open_turn(windows: Windows, table: Table, look: Look = DESKTOP, seat: int = 0) -> Page:
    """The table of a seat, once its player can act."""
    page = windows.open(seat_link(table, seat), look)
    await_turn(page)
    return page


@dataclass(frozen=True)
class _Shown:
    is_over: bool
    is_own: bool
    points: int
    cards: int
    """Hand cards that can be laid."""
    rounds: int
    """Scoring rounds so far."""


def _read(page: Page, since: int, *, awaits_turn: bool) -> _Shown:
    page.set_default_timeout(patience(LONGEST) * 1000)  # the load may have changed since the window was opened
    found: dict[str, Any] = page.wait_for_function(_READ, arg=[since, awaits_turn], polling=30).json_value()
    return _Shown(found["isOver"], found["isOwn"], found["points"], found["cards"], found["rounds"])


@dataclass
class Player:
    """Plays a seat to the end.

    It takes a card in a request of its own, then lays one and takes another, which are sent together. With many hand
    cards it lays one and draws one instead.
    """

    page: Page
    take: Callable[[], None]
    """Take the first open card, which is confirmed."""
    draw: Callable[[], None]
    """Draw a card, which is confirmed; what was composed is sent with it."""
    lay: Callable[[], None]
    """Lay a hand card where it can go."""
    send: Callable[[], None]
    close: Callable[[], None]
    """Close what is told of a scoring round, or of the end."""
    rounds: int = 0
    """Scoring rounds of which the page has told."""

    def play(self) -> None:
        while self.play_turn():
            pass

    def play_turn(self) -> bool:
        """Wait for the player's turn and play it; False where the game is over instead."""
        shown = self._await(0, awaits_turn=True)
        if shown.is_over:
            return False
        while shown.is_own and not shown.is_over:
            shown = self._act(shown)
        return True

    def act(self) -> None:
        """Wait for the player's turn, send what comes next in it, and wait for the answer."""
        self._act(self._await(0, awaits_turn=True))

    def _act(self, shown: _Shown) -> _Shown:
        before = version_of(self.page)
        if not shown.cards or (shown.points == _POINTS and shown.cards < _MANY):
            self.take()
        elif shown.points > 1:
            self.lay()
            (self.draw if shown.points == _POINTS else self.take)()
        else:
            for _ in range(min(shown.points, shown.cards)):
                self.lay()
            self.send()
        return self._await(before, awaits_turn=False)

    def _await(self, since: int, *, awaits_turn: bool) -> _Shown:
        """What the page shows then, after each scoring round and the end were told and closed."""
        shown = _read(self.page, since, awaits_turn=awaits_turn)
        if self.rounds < shown.rounds:
            self.page.wait_for_function(_PAYDAY, arg=shown.rounds)
            if self.page.locator("#round:not([hidden])").count():  # it goes by itself where things move
                self.close()
            self.rounds = shown.rounds
            if shown.is_over:
                self.page.locator("#ending-close").wait_for()
                self.close()
        return shown


def keyboard_player(page: Page) -> Player:
    press = page.keyboard.press

    def lay() -> None:
        if not page.evaluate("document.activeElement.matches('#hand button')"):
            press("ArrowLeft")
        press("Enter")
        press("Enter")

    def ask(key: str) -> None:
        press(key)
        if page.locator("[data-focus=now]").count():  # the first time alone
            press("Enter")

    return Player(
        page,
        take=lambda: ask("1"),
        draw=lambda: ask("d"),
        lay=lay,
        send=lambda: press("Enter"),
        close=lambda: press("Escape"),
    )


def touch_player(page: Page) -> Player:
    def lay() -> None:
        page.locator("#hand button.card").first.tap()
        page.locator("#market .target, .row-new").first.tap()

    def ask(card: str) -> None:
        page.locator(card).first.tap()
        if page.locator("[data-focus=now]").count():
            page.locator("[data-focus=now]").tap()

    return Player(
        page,
        take=lambda: ask("#display button.card"),
        draw=lambda: ask("[data-focus=draw]"),
        lay=lay,
        send=lambda: page.locator("[data-focus=send]").tap(),
        close=lambda: page.locator("#round-close:visible, #ending-close:visible").tap(),
    )

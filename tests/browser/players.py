"""Players of the page: they play a game as a person would, by keyboard or by touch, and look at what the page shows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHORT_GAME: Final = f"{428:064x}"
"""A seed for two seats without entropy: the tenth Reibach card is the 47th of the draw pile."""
_POINTS: Final = 3
_IS_SETTLED: Final = """
(since) => {
  const table = document.getElementById("table");
  const isOwn = document.getElementById("status").classList.contains("status-own");
  return Number(table.dataset.version) > since && document.getElementById("turn").ariaBusy !== "true" &&
    (isOwn || table.dataset.status === "over");
}
"""


def version_of(page: "Page") -> int:
    """The version that the table shows."""
    return int(page.locator("#table").get_attribute("data-version") or 0)


def await_turn(page: "Page", since: int = 0) -> bool:
    """Wait until the player can act at a version after `since`; False where the game is over."""
    page.wait_for_function(_IS_SETTLED, arg=since)
    return page.locator("#table").get_attribute("data-status") != "over"


@dataclass(frozen=True)
class Player:
    """Plays a seat to the end: a card is taken in each turn, the rest of it is laid if anything can be."""

    page: "Page"
    take: Callable[[], None]
    """Take the first open card, which is confirmed."""
    lay: Callable[[], None]
    """Lay a hand card where it can go."""
    send: Callable[[], None]
    close: Callable[[], None]
    """Close the sheet of a scoring round."""

    def play(self) -> int:
        """Play until the game is over; how many scoring rounds were shown."""
        rounds = 0
        while await_turn(self.page):
            rounds += self.close_sheet()
            await_turn(self.page, self.act())
        return rounds + self.close_sheet()

    def act(self) -> int:
        """Send what comes next in the player's turn; the version that the table showed before."""
        before = version_of(self.page)
        label = self.page.locator("#turn .points").get_attribute("aria-label") or ""
        points = int("".join(filter(str.isdecimal, label)))
        cards = self.page.locator("#hand button.card").count()
        if points == _POINTS or not cards:
            self.take()
        else:
            for _ in range(min(points, cards)):
                self.lay()
            self.send()
        return before

    def close_sheet(self) -> int:
        """Close the sheets of scoring rounds, each of which lets the next one come; how many there were."""
        rounds = 0
        while self.page.locator("#sheet").is_visible():
            self.close()
            rounds += 1
        return rounds


def keyboard_player(page: "Page") -> Player:
    """A player who has no other device than a keyboard."""
    press = page.keyboard.press

    def lay() -> None:
        if not page.evaluate("document.activeElement.matches('#hand button')"):
            press("ArrowLeft")
        press("Enter")
        press("Enter")

    def take() -> None:
        press("1")
        press("Enter")

    return Player(
        page,
        take=take,
        lay=lay,
        send=lambda: press("Enter"),
        close=lambda: press("Escape"),
    )


def touch_player(page: "Page") -> Player:
    """A player who touches what is to be seen."""

    def lay() -> None:
        page.locator("#hand button.card").first.tap()
        page.locator("#own-rows .target").first.tap()

    def take() -> None:
        page.locator("#display button.card").first.tap()
        page.locator("[data-focus=now]").tap()

    return Player(
        page,
        take=take,
        lay=lay,
        send=lambda: page.locator("[data-focus=send]").tap(),
        close=lambda: page.locator("#sheet-close").tap(),
    )

"""What the web process does with the outbox: it takes what a subscription asks for at once, and shows what was sent."""

from collections.abc import Mapping
from typing import Any

from domain.state import Game
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.reader import GameReader
from service.post.notices import CONFIRMATION, EMAIL, TOKEN, Notice, due_notices
from service.post.outbox import Outbox
from service.post.reminders import plan_reminder
from service.post.subscriptions import Subscription


class Courier:
    """Adds notices to the outbox. Methods raise StoreUnavailable."""

    def __init__(self, outbox: Outbox, games: GameReader) -> None:
        """Over the store of the games."""
        self._outbox = outbox
        self._games = games

    def ask_confirmation(self, game: str, seat: int, nonce: str) -> None:
        """Send the mail with the link that confirms the seat's address, once for each nonce."""
        self._outbox.add([Notice(game=game, seat=seat, type=CONFIRMATION, version=0, channel=EMAIL, detail=nonce)])

    def send_token_links(self, game: str, details: Mapping[int, str]) -> None:
        """Send mails with links to new tokens; `details`: by seat, as a Notice has them."""
        self._outbox.add(
            [
                Notice(game=game, seat=seat, type=TOKEN, version=0, channel=EMAIL, detail=detail)
                for seat, detail in details.items()
            ]
        )

    def tell_turn(self, game: Game, seat: int, subscription: Subscription) -> None:
        """Send the notice of a turn of the seat that is on, if its receiver has none yet, and plan its reminder.

        The subscription is stored. A turn that has started since `game` was read may have come through the feed before
        that, so the game is read again: whatever starts from now on comes through the feed, and finds the subscription.
        """
        try:
            now = self._games.load(game.id).game
        except (NoSuchGame, CorruptLog):  # deleted meanwhile, or for others to report
            return
        self._outbox.add(due_notices(now, {seat: subscription}))
        plan_reminder(self._games.store, now)

    def list_deliveries(self, game: str, seat: int) -> list[dict[str, Any]]:
        """The last attempts of the seat's notices, the newest first, in the contract's shape."""
        return self._outbox.list_deliveries(game, seat)

    def forget(self, game: str, seat: int) -> None:
        """Drop the notices on their way to the seat, and the record of those sent."""
        self._outbox.forget(game, seat)

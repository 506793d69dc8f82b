"""What the web process puts into the outbox: what a subscription asks for at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_hex

from domain.state import Game
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.reader import GameReader
from service.post.due import due_notices
from service.post.notices import CONFIRMATION, EMAIL, TOKEN, Notice
from service.post.outbox import Outbox
from service.post.reminders import plan_reminder
from service.post.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class NoticeQueue:
    """Adds notices to the outbox. Methods raise StoreUnavailable."""

    outbox: Outbox
    games: GameReader

    def ask_confirmation(self, game: str, seat: int, nonce: str) -> None:
        """Send the mail with the link that confirms the seat's address, once for each nonce."""
        self.outbox.add([Notice(game=game, seat=seat, type=CONFIRMATION, version=0, channel=EMAIL, detail=nonce)])

    def tell_of_receiver(self, kind: str, game: str, seat: int, words: str, generation: int) -> None:
        """Send the mail that one at this host was added, or has ended (ENDED); `words`: the host, and why it has."""
        detail = f"{words} {token_hex(8)}"  # two of one host are two mails
        self.outbox.add(
            [Notice(game=game, seat=seat, type=kind, version=0, channel=EMAIL, detail=detail, generation=generation)]
        )

    def send_token_links(self, game: str, details: Mapping[int, str]) -> None:
        """Send mails with links to new tokens; `details`: by seat, as a Notice has them."""
        self.outbox.add(
            [
                Notice(game=game, seat=seat, type=TOKEN, version=0, channel=EMAIL, detail=detail)
                for seat, detail in details.items()
            ]
        )

    def notify_turn(self, game: Game, seat: int, subscription: Subscription) -> None:
        """Send the notice of a turn of the seat that is on, if its receiver has none yet, and plan its reminder.

        The subscription is stored. A turn that has started since `game` was read may have come through the feed before
        that, so the game is read again: whatever starts from now on comes through the feed, and finds the subscription.
        """
        try:
            now = self.games.load(game.id).game
        except (NoSuchGame, CorruptLog):  # deleted meanwhile, or for others to report
            return
        self.outbox.add(due_notices(now, {seat: subscription}))
        plan_reminder(self.games.store, now)

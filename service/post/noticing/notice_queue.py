"""What the web process puts into the outbox: what a subscription asks for at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from secrets import token_hex

from domain.state import Game
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame
from service.post.notices import EMAIL, Notice
from service.post.noticing.due import due_notices
from service.post.noticing.reminders import plan_reminder
from service.post.outbox import Outbox
from service.post.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class NoticeQueue:
    """Adds notices to the outbox. Methods raise StoreUnavailable."""

    outbox: Outbox
    games: GameReader

    def send_mails(
        self, kind: str, game: str, details: Mapping[int, str], generation: int = 0, version: int = 0
    ) -> None:
        """Send mails that nobody has to ask for, each once; `details`: of the notices, by seat."""
        mail = partial(Notice, game=game, type=kind, version=version, channel=EMAIL, generation=generation)
        self.outbox.add([mail(seat=seat, detail=detail) for seat, detail in details.items()])

    def tell_of_receiver(self, kind: str, game: str, seat: int, words: str, generation: int) -> None:
        """Send the mail that one at this host was added, or has ended (ENDED); `words`: the host, and why it has."""
        self.send_mails(kind, game, {seat: f"{words} {token_hex(8)}"}, generation)  # two of one host are two mails

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

"""A new token for a seat whose person has lost the old one, by a mail to the seat's confirmed address.

Rule: who asks learns nothing, neither from an answer nor from its time: whether a seat has the address, or whether the
address has had enough mails.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.post.notices import TOKEN
from service.post.noticing.notice_queue import NoticeQueue
from service.post.quotas import MailQuotas
from service.post.subscriptions import Subscriptions

VALID_HOURS: Final = 24
"""Of the link."""
_NONCE_BYTES: Final = 8


@dataclass(slots=True)
class TokenRecovery:
    subscriptions: Subscriptions
    queue: NoticeQueue
    quotas: MailQuotas
    clock: Callable[[], int]
    """Milliseconds since 1970."""

    def ask(self, game: str, email: str, client: str | None) -> None:
        """Send a link for each seat of the game that has this address and has confirmed it, as its player wrote it.

        Capital letters don't matter: players don't remember which they wrote.
        A mail that must not be sent is added to the outbox, too, with a nonce that no subscription has. Raises
        TooManyMails and StoreUnavailable.
        """
        allowed = self.quotas.take_token(game, email, client)
        seats = self.subscriptions.load(game)
        until = self.clock() + VALID_HOURS * 3_600_000
        details = {
            seat: f"{one.nonce} {one.generation} {until}"
            for seat, one in seats.items()
            if allowed and (one.confirmed_email or "").casefold() == email.casefold()
        }
        self.queue.send_mails(TOKEN, game, details or {0: f"{secrets.token_hex(_NONCE_BYTES)} 0 {until}"})

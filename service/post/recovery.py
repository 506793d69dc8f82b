"""A new token for a seat whose person has lost the old one, by a mail to the seat's confirmed address.

Rule: who asks learns nothing, neither from an answer nor from its time: whether a seat has the address, or whether the
address has had enough mails.
"""

import secrets
from collections.abc import Callable
from typing import Final

from service.post.courier import Courier
from service.post.quotas import MailQuotas
from service.post.subscriptions import Subscription, Subscriptions

VALID_HOURS: Final = 24
"""Of the link."""
_NONCE_BYTES: Final = 8


class TokenRecovery:
    """Sends links to new tokens."""

    def __init__(
        self,
        subscriptions: Subscriptions,
        courier: Courier,
        quotas: MailQuotas,
        generation_of: Callable[[str, int], int],
        clock: Callable[[], int],
    ) -> None:
        """`generation_of`: of a seat's valid token; `clock`: milliseconds since 1970."""
        self._subscriptions = subscriptions
        self._courier = courier
        self._quotas = quotas
        self._generation_of = generation_of
        self._clock = clock

    def ask(self, game: str, email: str, client: str | None) -> None:
        """Send a link for each seat of the game that has this address and has confirmed it, as its player wrote it.

        Capital letters don't matter: players don't remember which they wrote.
        A mail that must not be sent is added to the outbox, too, with a nonce that no subscription has. Raises
        TooManyMails and StoreUnavailable.
        """
        allowed = self._quotas.take_token(game, email, client)
        seats = self._subscriptions.load(game)
        nonces = {seat: one.nonce for seat, one in seats.items() if allowed and _is_confirmed(one, email)}
        until = self._clock() + VALID_HOURS * 3_600_000
        details = {
            seat: f"{nonce} {self._generation_of(game, seat)} {until}"
            for seat, nonce in (nonces or {0: secrets.token_hex(_NONCE_BYTES)}).items()
        }
        self._courier.send_token_links(game, details)


def _is_confirmed(subscription: Subscription, email: str) -> bool:
    """Whether the seat has this address, and has confirmed it."""
    held = subscription.email
    return held is not None and subscription.is_confirmed and held.casefold() == email.casefold()

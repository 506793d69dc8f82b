"""A new token for a seat whose person has lost the old one, by a mail to the seat's confirmed address.

Rule: who asks learns nothing, neither from an answer nor from its time: whether a seat has the address, or whether the
address has had enough mails.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.store.errors import CorruptLog, TokenVoid
from service.gamelog.store.generations import RotationKey, SubscriptionChanged, TooManyRotations, rotate_token
from service.gamelog.store.streams import Store
from service.post.notices import TOKEN
from service.post.noticing.notice_queue import NoticeQueue
from service.post.quotas import MailQuotas
from service.post.subscriptions import Subscriptions

VALID_HOURS: Final = 24
"""Of the link."""
REPEAT_MS: Final = 120_000
"""A new token for a lost one is shown again for so long: a button is pressed twice, an answer is lost."""


@dataclass(slots=True)
class TokenRecovery:
    store: Store
    subscriptions: Subscriptions
    queue: NoticeQueue
    quotas: MailQuotas
    secret: bytes
    """Of the deployment, for repeats."""
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
            seat: f"{subscription.nonce} {subscription.generation} {until}"
            for seat, subscription in seats.items()
            if allowed and (subscription.confirmed_email or "").casefold() == email.casefold()
        }
        self.queue.send_mails(TOKEN, game, details or {0: f"{secrets.token_hex(8)} 0 {until}"})

    def renew(self, game: str, seat: int, present: int, request: str) -> int | None:
        """Revoke the token of a seat whose person stays; the generation of the new one.

        `request`: identifies the request. A repeat gets the same generation for REPEAT_MS, while that is valid.
        None if the present generation isn't `present`, or there can be no further one. The seat's confirmed address
        stays, and nothing else of its person. Raises NoSuchGame, CorruptLog and StoreUnavailable.
        """
        now = self.clock()
        digest = IdempotencyKey(f"renewal/{seat}", request, None, self.secret).digest
        key = RotationKey(digest, b"%d:" % now)
        while True:
            kept = self.subscriptions.keep_address(game, seat, present + 1)
            try:
                rotation = rotate_token(self.store, game, seat, sent=present, key=key, kept=kept)
            except SubscriptionChanged:
                continue
            except (TokenVoid, TooManyRotations):
                return None
            break
        if not rotation.record:
            return rotation.generation
        try:
            first, generation = (int(number) for number in rotation.record.split(b":")[:2])
        except ValueError as error:
            raise CorruptLog("the record of a renewed token can't be read") from error
        is_repeat = now - first < REPEAT_MS and rotation.generation == generation
        return generation if is_repeat else None

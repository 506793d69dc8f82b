"""Subscribing: what a player may ask for, and the confirmation of an address by its reader."""

import base64
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

from domain.clock.hours import Hours
from domain.state import Game
from service.post.channels.address import AddressCheck
from service.post.mail.address import check_address
from service.post.notice_queue import NoticeQueue
from service.post.notices import CONFIRMATION, WORDS_OF_TYPES
from service.post.quotas import MailQuotas, TooManyMails
from service.post.subscriptions import Subscription, Subscriptions, WebhookTarget
from service.signing.tokens import SeatToken

LOOK_UP_S: Final = 3.0
"""Seconds that the name of a webhook's host may take to be resolved, while its player waits for the answer."""
_SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 8
_HELD: Final = "held "
"""How a nonce begins whose mail was held back: the address has had enough mails that day."""


class MailUnavailable(Exception):
    """The deployment sends no mail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    email: str | None
    url: str | None
    """Of a webhook."""
    format: str
    on: frozenset[str]
    language: str
    while_watching: bool
    zone: str | None
    """None: that of the table's hours, else UTC."""
    quiet: Hours | None
    """In that zone, whatever its own is."""
    receipts: bool


@dataclass(slots=True)
class Registrar:
    """Keeps the players' subscriptions as they ask. Methods raise StoreUnavailable."""

    subscriptions: Subscriptions
    queue: NoticeQueue
    addresses: AddressCheck
    """Which webhooks may be called."""
    quotas: MailQuotas
    takes_mail: bool
    """Whether the deployment has a mail server."""

    def check_email(self, text: str) -> str:
        """The address in its one spelling. Raises MailUnavailable and BadMailAddress."""
        if not self.takes_mail:
            raise MailUnavailable
        return check_address(text)

    def check_url(self, url: str) -> None:
        """Ask whether a webhook may be sent there, which takes up to LOOK_UP_S. Raises AddressRefused."""
        self.addresses.check(url, LOOK_UP_S)

    def register(self, game: Game, token: SeatToken, wish: Wish, client: str | None) -> Subscription:
        """Keep what was asked for and checked, in place of what was; an address that isn't confirmed gets a mail.

        `client`: as MailQuotas has it. Raises TooManyMails, TokenVoid, NoSuchGame and StoreUnavailable.
        """
        hours = game.pace.hours if game.pace else None
        zone = wish.zone or (hours.zone if hours else "UTC")
        nonce, seat = secrets.token_hex(_NONCE_BYTES), token.seat
        if wish.email is not None and not _has_mail(self.subscriptions.load_seat(game.id, seat), wish.email):
            allowed = self.quotas.take_confirmation(game.id, seat, wish.email, client)
            nonce = nonce if allowed else _HELD + nonce
        known = None

        def merge(present: Subscription | None) -> Subscription:
            nonlocal known
            known = present.webhook.url if present and present.webhook else None
            return _merge(present, wish, zone, nonce, token.generation)

        kept = self.subscriptions.change(game.id, seat, merge, token)
        assert kept is not None
        if kept.email is not None and not kept.is_confirmed:
            # What is held back is asked for, too, with a nonce that no subscription has: it takes the same time.
            self.queue.ask_confirmation(game.id, seat, kept.nonce.removeprefix(_HELD))
        if kept.email and kept.is_confirmed and kept.webhook and kept.webhook.url != known:
            self._tell_of_webhook(game.id, seat, kept.email, kept.webhook.url, client, token.generation)
        self.queue.notify_turn(game, seat, kept)
        return kept

    def _tell_of_webhook(  # noqa: PLR0913 - of whom, to whom
        self, game: str, seat: int, email: str, url: str, client: str | None, generation: int
    ) -> None:
        """Tell the address of a seat: who has its token may be another one. Above the limits nothing is sent."""
        with suppress(TooManyMails):
            if self.quotas.take_receiver(game, seat, email, client):
                self.queue.tell_of_receiver(game, seat, urlsplit(url).netloc, generation)

    def confirm(self, game: Game, seat: int, nonce: str) -> bool:
        """Take an address as confirmed, and tell it of a turn that is on; False if it is the seat's no longer."""
        if not self.subscriptions.confirm(game.id, seat, nonce):
            return False
        kept = self.subscriptions.load_seat(game.id, seat)
        if kept is not None:
            self.queue.notify_turn(game, seat, kept)
        return True

    def end(self, token: SeatToken) -> None:
        """Remove a seat's subscription, and drop what is on its way. Raises TokenVoid and StoreUnavailable."""
        self.subscriptions.delete(token.game, token.seat, token)
        self.queue.outbox.forget(token.game, token.seat, token)

    def list_deliveries(self, token: SeatToken) -> list[dict[str, Any]]:
        """The last attempts to tell the seat's player something, newest first. Raises as `end`."""
        found = self.queue.outbox.list_deliveries(token.game, token.seat, token)
        return [one for one in found if one["type"] in {*WORDS_OF_TYPES, CONFIRMATION}]


def _has_mail(present: Subscription | None, email: str) -> bool:
    """Whether the address has its mail, or is going to get it: a second one needs another `DELETE` and `PUT`."""
    return present is not None and present.email == email and not present.nonce.startswith(_HELD)


def _merge(present: Subscription | None, wish: Wish, zone: str, nonce: str, generation: int) -> Subscription:
    """What follows from a wish: an address that stays keeps nonce and confirmation, a URL that stays its secret."""
    webhook = None
    unchanged = present if present is not None and _has_mail(present, wish.email or "") else None
    if wish.url is not None:
        known = present.webhook if present is not None else None
        secret = known.secret if known is not None and known.url == wish.url else _new_secret()
        webhook = WebhookTarget(url=wish.url, secret=secret, format=wish.format)
    return Subscription(
        email=wish.email,
        is_confirmed=unchanged is not None and unchanged.is_confirmed,
        webhook=webhook,
        on=wish.on,
        language=wish.language,
        while_watching=wish.while_watching,
        nonce=nonce if unchanged is None else unchanged.nonce,
        generation=generation,
        zone=zone,
        quiet=replace(wish.quiet, zone=zone) if wish.quiet else None,
        receipts=wish.receipts,
    )


def _new_secret() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"

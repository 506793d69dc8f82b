"""Subscribing: what a player may ask for, and the confirmation of an address by its reader."""

import base64
import secrets
from dataclasses import dataclass
from typing import Any, Final

from domain.state import Game
from service.post.channels.address import AddressCheck
from service.post.courier import Courier
from service.post.mail.address import check_address
from service.post.notices import WORDS_OF_TYPES
from service.post.quotas import MailQuotas
from service.post.subscriptions import Subscription, Subscriptions, WebhookTarget

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
    """What a player asks for."""

    email: str | None
    url: str | None
    """Of a webhook."""
    format: str
    on: frozenset[str]
    language: str
    while_watching: bool


class Registrar:
    """Keeps the players' subscriptions as they ask."""

    def __init__(
        self,
        subscriptions: Subscriptions,
        courier: Courier,
        addresses: AddressCheck,
        quotas: MailQuotas,
        *,
        takes_mail: bool,
    ) -> None:
        """`addresses`: which webhooks may be called; `takes_mail`: whether the deployment has a mail server."""
        self.subscriptions = subscriptions
        self._courier = courier
        self._addresses = addresses
        self._quotas = quotas
        self.takes_mail = takes_mail

    def check_email(self, text: str) -> str:
        """The address in its one spelling. Raises MailUnavailable and BadAddress."""
        if not self.takes_mail:
            raise MailUnavailable
        return check_address(text)

    def check_url(self, url: str) -> None:
        """Ask whether a webhook may be sent there, which takes up to LOOK_UP_S. Raises AddressRefused."""
        self._addresses.check(url, LOOK_UP_S)

    def register(self, game: Game, seat: int, wish: Wish, client: str | None) -> Subscription:
        """Keep what was asked for and checked, in place of what was; an address that isn't confirmed gets a mail.

        `client`: as MailQuotas has it. Raises TooManyMails, NoSuchGame and StoreUnavailable.
        """
        nonce = _new_nonce()
        if wish.email is not None and not _has_mail(self.subscriptions.load_seat(game.id, seat), wish.email):
            allowed = self._quotas.take_confirmation(game.id, seat, wish.email, client)
            nonce = nonce if allowed else _HELD + nonce
        kept = self.subscriptions.change(game.id, seat, lambda present: _merge(present, wish, nonce))
        assert kept is not None
        if kept.email is not None and not kept.is_confirmed:
            # What is held back is asked for, too, with a nonce that no subscription has: it takes the same time.
            self._courier.ask_confirmation(game.id, seat, kept.nonce.removeprefix(_HELD))
        self._courier.tell_turn(game, seat, kept)
        return kept

    def confirm(self, game: Game, seat: int, nonce: str) -> bool:
        """Take an address as confirmed, and tell it of a turn that is on; False if it is the seat's no longer.

        Raises StoreUnavailable.
        """
        if not self.subscriptions.confirm(game.id, seat, nonce):
            return False
        kept = self.subscriptions.load_seat(game.id, seat)
        if kept is not None:
            self._courier.tell_turn(game, seat, kept)
        return True

    def end(self, game: str, seat: int) -> None:
        """Remove a seat's subscription, and drop what is on its way. Raises StoreUnavailable."""
        self.subscriptions.delete(game, seat)
        self._courier.forget(game, seat)

    def list_deliveries(self, game: str, seat: int) -> list[dict[str, Any]]:
        """The last attempts to tell the seat's player something, the newest first. Raises StoreUnavailable.

        What becomes of a confirmation isn't listed: it would say whether an address exists, or has had enough mails.
        """
        return [one for one in self._courier.list_deliveries(game, seat) if one["type"] in WORDS_OF_TYPES]


def _has_mail(present: Subscription | None, email: str) -> bool:
    """Whether the address has its mail, or is going to get it: a second one needs another `DELETE` and `PUT`."""
    return present is not None and present.email == email and not present.nonce.startswith(_HELD)


def _merge(present: Subscription | None, wish: Wish, nonce: str) -> Subscription:
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
    )


def _new_secret() -> str:
    """As Standard Webhooks has them."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def _new_nonce() -> str:
    return secrets.token_hex(_NONCE_BYTES)

"""Subscriptions: of which events the players of a game get notices, and where.

Rule 1: a subscription lives in the store as long as its game does: nothing is written for a game that isn't there, and
it goes when the game is deleted, or archived after its end.
Rule 2: a change is compared and set, so that of two at the same moment none is lost, and each may be sent twice.
Rule 3: what can't be read, such as the form of a later version, counts as no subscription, is logged once, and stays
until its player replaces or deletes it: no other player's notices suffer from it.
"""

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

import structlog

from domain.clock.hours import Hours, end_of, is_hours, is_zone
from domain.words.catalogue import LANGUAGES
from service.gamelog.store.commit import Expect
from service.gamelog.store.generations import Kept
from service.gamelog.store.streams import Store
from service.post.channels.chat import CHAT_FORMS
from service.signing.tokens import SeatToken

WORDS: Final = ("turn", "reminder", "scoring", "over", "message", "people")
"""What a subscription can ask for."""
FORMATS: Final = ("standard", *CHAT_FORMS)
"""Of a webhook's body."""
PLACES: Final = ("1", "2", "3", "4", "5")
"""Of a seat's devices."""
_MOST_LOGGED: Final = 1000
"""Unreadable subscriptions that are remembered, so that each is logged once."""

logger = structlog.get_logger("service.post.subscriptions")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    url: str = field(repr=False)
    """Of a chat service it is a secret."""
    secret: str = field(repr=False)
    """`whsec_…`; signs what is sent in the format `standard`."""
    format: str
    """One of FORMATS."""
    mention: str | None = None
    """The id of its player in the chat."""

    @property
    def receiver(self) -> str:
        """The same for two that name one receiver."""
        return f"{self.url} {self.format}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A browser's subscription to Web Push."""

    endpoint: str = field(repr=False)
    """A URL: knowing it, and the service's key, is enough to send to the device."""
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    language: str
    since: int
    """When it was added, in ms since 1970."""

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).netloc


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """Of which events one seat's player gets notices, and where.

    A wish for one is of this type, too: without what the service adds, and with the zone "" for the table's.
    """

    email: str | None = field(repr=False)
    """As `check_address` gives it."""
    is_confirmed: bool = False
    """Whether mail other than the question for a confirmation may be sent to the address."""
    webhook: WebhookTarget | None = None
    on: frozenset[str] = frozenset(WORDS)
    """Of WORDS."""
    language: str
    """`de`, `en`, `nl` or `fr`."""
    while_watching: bool = True
    """Whether notices are also sent while the seat holds a live stream open."""
    nonce: str = field(default="", repr=False)
    """Random, new with each address: signed links for an earlier one are invalid."""
    generation: int = 0
    """Of the token with which it was made: it is the only one that a mail may hold."""
    refused_at: int = 0
    """When the address's mailbox refused a mail, in ms since 1970, and has taken none since; 0: it hasn't."""
    is_refused: bool = False
    """Whether it has refused so often that nothing is sent there any more."""
    is_invited: bool = False
    """Whether it was made for a guest, who gets the seat by confirming the address."""
    devices: Mapping[str, Device] = field(default_factory=dict)
    """By place, one of PLACES, which a device keeps."""
    zone: str = "UTC"
    """By which mails tell times."""
    quiet: Hours | None = None
    """In which notices wait."""
    receipts: bool = True
    """Whether a mail that was played wholly is answered."""
    secret: bytes = field(default=b"", repr=False, compare=False)
    """Keys the digests of its receivers; the deployment's, which isn't stored with it."""

    def digest(self, receiver: str) -> str:
        """What notices keep in place of an address or a URL."""
        return hmac.digest(self.secret, receiver.encode(), "sha256").hex()[:16]

    @property
    def confirmed_email(self) -> str | None:
        """The address, where mails other than the question for a confirmation may be sent."""
        return self.email if self.is_confirmed and not self.is_refused else None

    def wakes_at(self, now: int) -> int:
        """When a notice may be sent that is due at `now`: then, or when the quiet hours end. In ms since 1970."""
        quiet = self.quiet
        return end_of(Hours(opens=quiet.closes, closes=quiet.opens, zone=quiet.zone), now, 0) if quiet else now


Change = Callable[[Subscription | None], Subscription | None]
"""Gives what is to be stored in place of what is; None: nothing. It may be called several times."""


class Subscriptions:
    """The subscriptions of all games: one hash for each game, a field for each seat. Methods raise StoreUnavailable."""

    def __init__(self, store: Store, secret: bytes = b"") -> None:
        """`secret`: of the deployment, for digests of receivers."""
        self._store = store
        self._secret = secret
        self._unreadable: set[tuple[str, str]] = set()

    def load(self, game: str) -> dict[int, Subscription]:
        """By seat; empty also where there is no such game."""
        return self.load_many([game])[0]

    def load_many(self, games: Sequence[str]) -> list[dict[int, Subscription]]:
        """The same of several games, in one round trip."""
        hashes = self._store.call_each(*(("HGETALL", self._store.post(game)) for game in games))
        return [
            {
                int(seat): subscription
                for seat, text in fields.items()
                if (subscription := self._decode(game, seat.decode(errors="replace"), text)) is not None
            }
            for game, fields in zip(games, hashes, strict=True)
        ]

    def load_seat(self, game: str, seat: int) -> Subscription | None:
        return self._decode(game, str(seat), self._read(game, seat))

    def save(self, game: str, seat: int, subscription: Subscription) -> None:
        """Store it in place of what is there. Raises NoSuchGame."""
        self.change(game, seat, lambda _: subscription)

    def delete(self, game: str, seat: int, token: SeatToken | None = None) -> None:
        """Remove it, also where there is none or none that can be read. Raises TokenVoid and StoreUnavailable."""
        self._exchange(game, seat, None, b"", token)

    def confirm(self, game: str, seat: int, nonce: str, zone: str = "") -> Subscription | None:
        """Mark the address as confirmed; None if the nonce isn't the subscription's. `zone`: of a guest's browser."""

        def confirmed(present: Subscription | None) -> Subscription | None:
            if present is None or present.email is None or present.nonce != nonce:
                return present
            kept = zone if zone and present.is_invited and not present.is_confirmed else present.zone
            return replace(present, is_confirmed=True, is_refused=False, refused_at=0, zone=kept)

        done = self.change(game, seat, confirmed)
        return done if done is not None and done.email is not None and done.nonce == nonce else None

    def note_mailbox(self, game: str, seat: int, email: str, refused_at: int, patience_ms: int) -> bool:
        """Note when a mailbox refused a mail, 0: it has taken one; whether it has for so long. Raises NoSuchGame."""

        def noted(present: Subscription | None) -> Subscription | None:
            if present is None or present.email != email:
                return present
            first = refused_at and (present.refused_at or refused_at)
            return replace(present, refused_at=first, is_refused=refused_at - first >= patience_ms)

        done = self.change(game, seat, noted)
        return done is not None and done.email == email and done.is_refused

    def end(self, game: str, seat: int, receiver: str, token: SeatToken | None = None) -> None:
        """Remove a webhook, an address or a device, if it is still the same; the subscription with it, if it was all.

        `receiver`: the text by which the table of channels knows it. Raises TokenVoid and StoreUnavailable.
        """

        def without(present: Subscription | None) -> Subscription | None:
            if present is None:
                return None
            webhook, email = present.webhook, None if present.email == receiver else present.email
            webhook = None if webhook and webhook.receiver == receiver else webhook
            devices = {place: device for place, device in present.devices.items() if device.endpoint != receiver}
            is_confirmed = present.is_confirmed and email is not None
            left = replace(present, email=email, is_confirmed=is_confirmed, webhook=webhook, devices=devices)
            return left if email or webhook or devices else None

        self.change(game, seat, without, token)

    def change(self, game: str, seat: int, change: Change, token: SeatToken | None = None) -> Subscription | None:
        """Replace a seat's subscription by what `change` makes of it, and return that.

        What is as it was isn't written. Raises TokenVoid and StoreUnavailable; and NoSuchGame where something would be
        written for a game that isn't there.
        """
        while True:
            text = self._read(game, seat)
            present = self._decode(game, str(seat), text)
            new = change(present)
            new = replace(new, secret=self._secret) if new else None
            if new == present:
                return new
            if self._exchange(game, seat, text, b"" if new is None else _encode(new).encode(), token):
                return new

    def keep_address(self, game: str, seat: int, generation: int) -> Kept | None:
        """What the person of a seat keeps with a token of that generation: a confirmed address, and nothing else.

        None where no address is confirmed. Raises StoreUnavailable.
        """
        text = self._read(game, seat)
        present = self._decode(game, str(seat), text)
        if present is None or present.confirmed_email is None:
            return None
        return Kept(text, _encode(replace(present, webhook=None, devices={}, generation=generation)).encode())

    def _exchange(self, game: str, seat: int, before: bytes | None, after: bytes, token: SeatToken | None) -> bool:
        """False where another value is stored. Raises TokenVoid, NoSuchGame and StoreUnavailable."""
        store, key = self._store, self._store.post(game)
        state = Expect(token=token, fields=() if before is None else [(key, seat, before)])
        write = ("HSET", key, seat, after) if after else ("HDEL", key, seat)
        return store.exchange(game, write, state, safely=False)

    def _decode(self, game: str, seat: str, text: bytes) -> Subscription | None:
        """None where there is none, or none that can be read."""
        try:
            int(seat)
            return replace(_decode(text), secret=self._secret) if text else None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass  # its text, which holds an address and secrets, must not reach the log
        if (game, seat) not in self._unreadable:
            logger.error("a subscription can't be read, and is passed over", game=game, seat=seat)
            if len(self._unreadable) >= _MOST_LOGGED:
                self._unreadable.clear()
            self._unreadable.add((game, seat))
        return None

    def _read(self, game: str, seat: int) -> bytes:
        """Empty where there is none."""
        (text,) = self._store.read_together(("HGET", self._store.post(game), seat))
        return text or b""


def _encode(subscription: Subscription) -> str:
    fields = asdict(subscription) | {"on": sorted(subscription.on)}
    del fields["secret"]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _decode(text: bytes) -> Subscription:
    """Records may lack fields that have a default. Raises ValueError, TypeError, KeyError or AttributeError."""
    fields = json.loads(text)
    target = None if fields["webhook"] is None else WebhookTarget(**fields["webhook"])
    devices = {place: Device(**device) for place, device in fields.get("devices", {}).items()}
    quiet, on = Hours(**fields["quiet"]) if fields.get("quiet") else None, fields["on"]
    new = Subscription(**fields | {"on": frozenset(on), "webhook": target, "devices": devices, "quiet": quiet})
    texts = [*on, new.nonce, "" if new.email is None else new.email]
    texts += [target.url, target.secret, target.mention or ""] if target else []
    texts += [text for device in devices.values() for text in (device.endpoint, device.p256dh, device.auth)]
    flags = new.is_confirmed, new.while_watching, new.is_invited, new.receipts, new.is_refused
    numbers = new.generation, new.refused_at, *(device.since for device in devices.values())
    typed = (list, [on]), (str, texts), (bool, flags), (int, numbers)
    if not (
        all(isinstance(value, kind) for kind, values in typed for value in values)
        and is_zone(new.zone)
        and (quiet is None or is_hours(quiet.to_json()))
        and {new.language, *(device.language for device in devices.values())} <= LANGUAGES.keys()
        and (target is None or target.format in FORMATS)
    ):
        raise ValueError("this is no subscription")
    return new

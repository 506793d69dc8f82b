"""Subscribing: what a player may ask for, and the confirmation of an address by its reader."""

import base64
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from domain.clock.timestamps import timestamp
from domain.commands import AcceptInvitation
from domain.refusals import Refused
from domain.state import Game
from service.gamelog.cache import LoadedGame
from service.gamelog.log import GameLog
from service.gamelog.store.errors import NoSuchGame, StoreUnavailable
from service.post.channels.address import AddressCheck
from service.post.notices import CONFIRMATION, DEVICE, EMAIL, RECEIVER, TOKEN, Notice
from service.post.noticing.notice_queue import NoticeQueue
from service.post.quotas import INVITES_MS, MailQuotas, TooManyMails
from service.post.subscriptions import PLACES, Device, Subscription, Subscriptions
from service.signing.links import SeatLink
from service.signing.tokens import SeatToken

LOOK_UP_S: Final = 3.0
"""Seconds that the name of a webhook's host may take to be resolved, while its player waits for the answer."""
_NONCE_BYTES: Final = 8


class TooManyDevices(Exception):
    """The seat has as many as it may have."""


class AddressStays(Exception):
    """An invitation's address takes mails, as far as is known."""


class Waiting(NamedTuple):
    """A seat that an address is, or would be, told about."""

    key: str
    """`<game>/<seat>`"""
    game: Game
    seat: int
    subscription: Subscription
    is_asked: bool
    """Whether the link of the mail is this seat's."""
    is_guest: bool
    """Whether its reader is to be shown the link of the seat."""


@dataclass(slots=True)
class Registrar:
    """Keeps the players' subscriptions as they ask. Methods raise StoreUnavailable, too."""

    subscriptions: Subscriptions
    queue: NoticeQueue
    games: GameLog
    addresses: AddressCheck
    quotas: MailQuotas
    takes_mail: bool
    """Whether the deployment has a mail server."""
    push_contact: str
    """For push services; empty: nothing is pushed, and no device is added."""

    def register(self, game: Game, token: SeatToken, wish: Subscription, client: str | None) -> Subscription:
        """Keep the checked subscription in place of the earlier one; an address that isn't confirmed gets a mail.

        `client` tells clients apart; None: they have no limits. Raises TooManyMails, TokenVoid and NoSuchGame.
        """
        nonce, seat = secrets.token_hex(_NONCE_BYTES), token.seat
        known = None if wish.email is None else self.subscriptions.load_seat(game.id, seat)
        held = known if known is not None and known.email == wish.email else None
        if wish.email is not None and (held is None or held.confirmed_email is None):
            nonces = "" if held is None else held.nonce, nonce
            nonce = self.quotas.name(game.id, seat, wish.email, client, nonces)
        merge = partial(_merge, wish=wish, game=game, nonce=nonce, generation=token.generation)
        kept = self.subscriptions.change(game.id, seat, merge, token)
        assert kept is not None
        if kept.email is not None and kept.confirmed_email is None:
            self.queue.send_mails(CONFIRMATION, game.id, {seat: kept.nonce})
        url = known.webhook.url if known is not None and known.webhook else None
        if kept.webhook and kept.webhook.url != url:
            self._tell_of_receiver(RECEIVER, token, kept, urlsplit(kept.webhook.url).netloc, client)
        self.queue.notify_turn(game, seat, kept)
        return kept

    def name_guest(self, game: str, seat: int, wish: Subscription, client: str | None) -> str:
        """Count the mail that invites to a game which is about to be opened; the nonce for it. Raises TooManyMails."""
        nonce = self.quotas.digest(f"{game}/{seat}/{wish.email}")[: 2 * _NONCE_BYTES]  # the same at a repeat
        return self.quotas.name(game, seat, wish.email or "", client, (nonce, nonce))

    def invite(
        self, loaded: LoadedGame, guests: Mapping[int, Subscription], nonces: Sequence[str], now: int | None
    ) -> None:
        """Send the mails that lead guests to their seats of a game that is open, each once.

        `now`: of a repeat, in ms since 1970: the first request has done it, unless its process has crashed.
        """
        game = loaded.game
        if now is not None and (now - game.created >= INVITES_MS or self.quotas.was_invited(game.id)):
            return
        for (seat, wish), nonce in zip(guests.items(), nonces, strict=True):
            if not game.over and not loaded.generation(seat):
                new = replace(_merge(None, wish, game, nonce, 0), is_invited=True)
                self._mail_link(game.id, seat, None, new)
        self.quotas.note_invited(game.id)

    def list_invitations(self, game: Game) -> list[dict[str, Any]]:
        """In the contract's shape."""
        kept, taken = self.subscriptions.load(game.id), self.quotas.list_taken(game.id)
        guests = {seat: guest for seat, guest in kept.items() if guest.is_invited and not guest.is_confirmed}
        waits = self.queue.outbox.find_waits([_asking(game.id, seat, guest.nonce) for seat, guest in guests.items()])
        lines: dict[int, tuple[str, int, bool]] = dict.fromkeys(taken, ("taken", 0, False))
        for (seat, guest), at in zip(guests.items(), waits, strict=True):
            status = "waiting" if at else "refused" if guest.is_refused else "sent"
            lines[seat] = status, at, guest.refused_at > 0
        return [
            {"seat": seat, "name": game.seats[seat].name, "status": status}
            | {"until": timestamp(at) if at > 0 else None, "error": "recipient refused" if is_refused else None}
            for seat, (status, at, is_refused) in sorted(lines.items())
        ]

    def invite_again(self, game: Game, seat: int, token: SeatToken, client: str | None, email: str | None) -> bool:
        """Send an invitation again, with a new link once it may ask anew; False where none waits for an answer.

        `token`: who asks for it; `email`: another address, in place of one that has refused a mail. Raises
        AddressStays, TooManyMails, TokenVoid, NoSuchGame and StoreUnavailable.
        """
        self.list_deliveries(token)  # is it valid?
        kept = self.subscriptions.load_seat(game.id, seat)
        if kept is None or kept.email is None or kept.is_confirmed or not kept.is_invited:
            return False
        new = kept
        if email not in {None, kept.email}:
            if not kept.refused_at:  # whoever has a link of the table could send the seat to an address of theirs
                raise AddressStays
            new = replace(kept, email=email, refused_at=0, is_refused=False)
        nonces = "" if kept.refused_at else kept.nonce, secrets.token_hex(_NONCE_BYTES)
        nonce = self.quotas.name(game.id, seat, new.email or "", client, nonces)
        self._mail_link(game.id, seat, kept, replace(new, nonce=nonce), token)
        return True

    def _mail_link(
        self, game: str, seat: int, kept: Subscription | None, new: Subscription, token: SeatToken | None = None
    ) -> None:
        """Replace a guest's subscription, if it is the same still."""
        self.subscriptions.change(game, seat, lambda now: new if now == kept else now, token)
        self.queue.send_mails(CONFIRMATION, game, {seat: new.nonce})

    def list_waiting(self, link: SeatLink) -> list[Waiting]:
        """The link's own seat, first, if it is valid; and while its mail is the one that asks, those that wait, too."""
        asking, waiting_seats = f"{link.game}/{link.seat}", []
        mail = _asking(link.game, link.seat, link.nonce).id
        waiting, shown = self.quotas.list_waiting(link.address, mail, asking)
        for key, nonce in ({asking: link.nonce} | waiting).items():
            game, _, seat = key.rpartition("/")
            kept = self.subscriptions.load_seat(game, int(seat))
            if kept is None or kept.email is None or kept.nonce != nonce:
                continue
            if key != asking and (kept.is_confirmed or kept.is_invited):  # an invitation may be passed on
                continue
            is_guest = kept.is_invited and (not kept.is_confirmed or shown == str(kept.generation))
            with suppress(NoSuchGame):
                loaded = self.games.load(game)
                if loaded.generation(int(seat)) == kept.generation:
                    waiting_seats.append(Waiting(key, loaded.game, int(seat), kept, key == asking, is_guest))
        return waiting_seats

    def answer(self, digest: str, seats: Sequence[str]) -> int:
        """The reader of the address has answered for these; how many guests' links go there now, each by its mail."""
        links = 0
        for key, old in self.quotas.answer(digest, seats).items():
            game, _, number = key.rpartition("/")
            seat, nonce = int(number), secrets.token_hex(_NONCE_BYTES)
            kept = self.subscriptions.load_seat(game, seat)
            if kept is not None and kept.is_invited and not kept.is_confirmed and kept.nonce == old:
                self.quotas.ask_for_itself(digest, key, nonce)
                with suppress(NoSuchGame):
                    self._mail_link(game, seat, kept, replace(kept, nonce=nonce))
                    links += 1
        return links

    def add_device(self, game: Game, token: SeatToken, device: Device, client: str | None) -> tuple[int, bool]:
        """Keep a device, in place of the seat's one with its endpoint; their number, and whether it is a new one.

        Raises TooManyDevices, TokenVoid, NoSuchGame and StoreUnavailable.
        """
        is_known = False
        wish = Subscription(email=None, language=device.language, zone="")

        def add(present: Subscription | None) -> Subscription:
            nonlocal is_known
            kept = present if present is not None and present.generation == token.generation else None
            kept = kept or _merge(None, wish, game, secrets.token_hex(_NONCE_BYTES), token.generation)
            known = [place for place, old in kept.devices.items() if old.endpoint == device.endpoint]
            free = [place for place in PLACES if place not in kept.devices]
            is_known = bool(known)
            if not known + free:
                raise TooManyDevices
            return replace(kept, devices={**kept.devices, (known + free)[0]: device})

        kept = self.subscriptions.change(game.id, token.seat, add, token)
        assert kept is not None
        if not is_known:
            self._tell_of_receiver(DEVICE, token, kept, device.host, client)
        self.queue.notify_turn(game, token.seat, kept)
        return len(kept.devices), not is_known

    def _tell_of_receiver(self, kind: str, token: SeatToken, kept: Subscription, host: str, client: str | None) -> None:
        """Tell the confirmed address: who has the token may be another one. Above the limits nothing is sent."""
        email = kept.confirmed_email
        with suppress(TooManyMails):
            if email is not None and self.quotas.take_receiver(token.game, token.seat, email, client):
                self.queue.tell_of_receiver(kind, token.game, token.seat, host, token.generation)

    def confirm(self, game: Game, seat: int, kept: Subscription, zone: str = "") -> bool:
        """Take an address as confirmed, and tell it of a turn that is on; False if it is the seat's no longer.

        If the first turn's clock waits for the person, it waits no longer; should that fail, it begins in its own time.
        """
        if kept.is_invited and not kept.is_confirmed:
            self.quotas.note_guest(f"{game.id}/{seat}", kept.generation)
        now = self.subscriptions.confirm(game.id, seat, kept.nonce, zone)
        if now is not None:
            if seat in game.awaited:
                with suppress(Refused, NoSuchGame, StoreUnavailable):
                    self.games.handle(game.id, AcceptInvitation(seat=seat))
            self.queue.notify_turn(game, seat, now)
        return now is not None

    def end(self, token: SeatToken) -> None:
        """Remove a seat's subscription, and drop what is on its way. Raises TokenVoid and StoreUnavailable."""
        self.subscriptions.delete(token.game, token.seat, token)
        self.queue.outbox.forget(token.game, token.seat, token)

    def list_deliveries(self, token: SeatToken) -> list[dict[str, Any]]:
        """The last attempts to tell the seat's player something, newest first. Raises TokenVoid."""
        deliveries = self.queue.outbox.list_deliveries(token.game, token.seat, token)
        return [line for line in deliveries if line["type"] != TOKEN]  # who has that seat's token needn't be its player


def _asking(game: str, seat: int, nonce: str) -> Notice:
    return Notice(game=game, seat=seat, type=CONFIRMATION, version=0, channel=EMAIL, detail=nonce)


def _merge(present: Subscription | None, wish: Subscription, game: Game, nonce: str, generation: int) -> Subscription:
    """What follows from a wish: an address that stays keeps nonce and confirmation, a URL that stays its secret."""
    present = present if present is not None and present.generation == generation else None  # another person's
    hours, webhook = game.pace.hours if game.pace else None, wish.webhook
    zone = wish.zone or (hours.zone if hours else "UTC")
    is_confirmed = present is not None and present.confirmed_email is not None and present.email == wish.email
    if webhook is not None:
        known = present.webhook if present is not None else None
        secret = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"
        secret = known.secret if known is not None and known.url == webhook.url else secret
        webhook = replace(webhook, secret=secret)
    return replace(
        wish,
        is_confirmed=is_confirmed,
        webhook=webhook,
        nonce=present.nonce if present is not None and is_confirmed else nonce,
        generation=generation,
        zone=zone,
        quiet=replace(wish.quiet, zone=zone) if wish.quiet else None,
        devices=present.devices if present else {},
    )

"""How many mails may be sent to addresses that have not agreed to any: anyone can name anyone's address.

Rule 1: of an address and its domain nothing is kept but a keyed digest: for a day, and for a week with the seats that
wait until its reader confirms it.
Rule 2: who names an address doesn't learn how often others have: a client counts the addresses that it names itself,
and whether a mail is due to one is asked when it is about to leave, unknown to all.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Final

from service.connections.scripts import Script
from service.gamelog.store.keys import MAILS as _TAG
from service.gamelog.store.streams import Store

MAILS_OF_ADDRESS: Final = 5
"""A day, all games together."""
MAILS_OF_DOMAIN: Final = 50
"""A day, all games together: of one whose every name may be one reader's."""
_LARGE_DOMAINS: Final = frozenset(
    f"{name}.com" for name in ("aol", "gmail", "hotmail", "icloud", "live", "outlook", "protonmail", "yahoo")
) | frozenset(f"{name}.de" for name in ("freenet", "gmx", "posteo", "t-online", "web"))
MAILS_OF_SEAT: Final = 5
"""A day; of lost tokens, for an address in one game."""
MAILS_OF_CLIENT: Final = 20
"""A day, all games together; of mails that ask for a confirmation, the addresses that haven't answered."""
MOST_WAITING: Final = 50
"""Seats for one address; who gives more of them anybody's address displaces their own."""
NOBODY: Final = "", ""
"""Nonce and client where a seat waits no longer."""
_DAY_S: Final = 24 * 3600
INVITES_MS: Final = 1000 * _DAY_S
"""For which a repeat of the request that has opened a game may still send its invitations."""
_TAKE, _NAME = (Script.load(f"quotas_{name}.lua", room="service.post") for name in ("take", "name"))


class TooManyMails(Exception):
    def __init__(self, wait_s: int) -> None:
        """`wait_s`: seconds until it may ask again."""
        super().__init__("too many mails")
        self.wait_s = wait_s


def take(store: Store, receivers: Mapping[str, int], senders: Mapping[str, int], seconds: int) -> bool:
    """Count a mail under each of these keys of one node, which have limits; False above the limit of a receiver.

    Counts end so many seconds after their first mail. One round trip. Raises TooManyMails above the limit of a sender,
    and StoreUnavailable.
    """
    limits = {**receivers, **senders}
    word, *wait = store.run(_TAKE, [*limits], seconds, len(receivers), *limits.values())
    if word == -1:
        raise TooManyMails(max(1, wait[0]))
    return bool(word)


class MailQuotas:
    """Counts the mails in the store, of all processes together. Methods raise StoreUnavailable, too."""

    def __init__(self, store: Store, secret: bytes, most_new: int = MAILS_OF_CLIENT) -> None:
        """`secret` keys the digests of addresses; `most_new`: that a client may name a day, 0: any number."""
        self._store = store
        self._secret = secret
        self._most_new = most_new

    def name(self, game: str, seat: int, address: str, client: str | None, nonces: tuple[str, str]) -> str:
        """Let the seat wait until the reader of the address confirms it; the nonce that counts from now on.

        `client`: what tells clients apart; None where they have no limits. `nonces`: that which the seat has with this
        address, or "", which stays for a day; and a new one. Raises TooManyMails and StoreUnavailable.
        """
        whose = f"{game}/{seat}"
        digest, most = self.digest(address), "" if client is None else self._most_new or ""
        names = f"named:{whose}", f"confirmation:{whose}", f"addresses:{client}", f"waiting:{digest}"
        words = digest, whose, *nonces, _DAY_S, MAILS_OF_SEAT, most, MOST_WAITING, client or ""
        code, value = self._store.run(_NAME, [f"{_TAG}:{name}" for name in names], *words)
        if code == -1:
            raise TooManyMails(max(1, value))
        nonce: str = value.decode()
        return nonce

    def may_ask(self, address: str, mail: str, seat: str) -> bool:
        """Whether the mail with this id, which asks for a seat ("<game>/<seat>"), may go to the address.

        One a day, of each client that names it, until one is answered; those that the answer lets go don't count
        against the domain: their reader has agreed.
        """
        digest, store = self.digest(address), self._store
        client = self._load_waiting(digest).get(seat, NOBODY)[1]
        key = f"{_TAG}:asked:{digest}:{client}"
        known = store.with_retries(lambda: store.client.set(key, mail, nx=True, get=True, ex=_DAY_S))
        if known is not None:
            return bool(known == mail.encode())
        allowed = take(store, self._receivers("confirmation", address, counts_domain=client != seat), {}, _DAY_S)
        if not allowed:
            store.with_retries(lambda: store.client.delete(key))
        return allowed

    def list_waiting(self, digest: str, mail: str, seat: str) -> tuple[dict[str, str], str]:
        """The seats that wait for an address, or did in the last week: "<game>/<seat>" -> nonce. One round trip.

        None unless this mail, for `seat`, is one that asks: an older one may have another reader. And what is noted.
        """
        waiting = self._load_waiting(digest)
        names = f"asked:{digest}:{waiting.get(seat, NOBODY)[1]}", f"guest:{seat}"
        asked, guest = self._store.call_each(*(("GET", f"{_TAG}:{name}") for name in names))
        seats = waiting if asked == mail.encode() else {}
        return {key: nonce for key, (nonce, _) in seats.items()}, (guest or b"").decode()

    def _load_waiting(self, digest: str) -> dict[str, tuple[str, str]]:
        """Nonce and client of each seat that waits for an address."""
        (waiting,) = self._store.call_each(("HGETALL", f"{_TAG}:waiting:{digest}"))
        parts = {key.decode(): value.decode().partition(" ") for key, value in waiting.items()}
        return {key: (nonce, client) for key, (nonce, _, client) in parts.items()}

    def ask_for_itself(self, digest: str, seat: str, nonce: str) -> None:
        """Let the next mail of a seat that waits, with this nonce, go whatever other one asks."""
        named = "SET", f"{_TAG}:named:{seat}", digest + nonce, "EX", _DAY_S
        self._store.call_each(("HSET", f"{_TAG}:waiting:{digest}", seat, f"{nonce} {seat}"), named)

    def note_guest(self, seat: str, generation: int) -> None:
        """A guest takes the seat, and is shown this token: for two minutes again, if the button is pressed twice."""
        game, _, number = seat.rpartition("/")
        shown, taken = ("SET", f"{_TAG}:guest:{seat}", generation, "NX", "EX", 120), f"{_TAG}:taken:{game}"
        self._store.call_each(shown, ("SADD", taken, number), ("EXPIRE", taken, 90 * _DAY_S))

    def list_taken(self, game: str) -> set[int]:
        """The seats that guests have taken, whatever has become of their subscriptions."""
        return set(map(int, self._store.call_each(("SMEMBERS", f"{_TAG}:taken:{game}"))[0]))

    def answer(self, digest: str, seats: Sequence[str]) -> dict[str, str]:
        """The reader of the address has answered, for these seats. The nonces of those left without their own mail."""
        waiting = self._load_waiting(digest)
        asked = [("DEL", f"{_TAG}:asked:{digest}:{client}") for _, client in {*waiting.values(), NOBODY}]
        counts = [("SREM", f"{_TAG}:addresses:{client}", digest) for _, client in waiting.values()]
        self._store.call_each(*asked, *counts, ("HDEL", f"{_TAG}:waiting:{digest}", *seats))
        return {seat: nonce for seat, (nonce, client) in waiting.items() if seat not in {*seats, client}}

    def was_invited(self, game: str) -> bool:
        return bool(self._store.call_each(("EXISTS", f"{_TAG}:invited:{game}"))[0])

    def note_invited(self, game: str) -> None:
        """The guests of a game have been invited; kept longer than a repeat may invite them."""
        self._store.call_each(("SET", f"{_TAG}:invited:{game}", 1, "PX", 2 * INVITES_MS))

    def take_receiver(self, game: str, seat: int, address: str, client: str | None) -> bool:
        """Count a mail that a webhook was added; False if the address has had enough today. Raises TooManyMails."""
        return self._take("receiver", f"{game}/{seat}", address, client)

    def take_token(self, game: str, address: str, client: str | None) -> bool:
        """Count a mail with the way to a new token, also where no seat has the address. Raises TooManyMails."""
        return self._take("token", f"{game}/{self.digest('@'.join(_mailbox_of(address)))}", address, client)

    def _take(self, kind: str, subject: str, address: str, client: str | None) -> bool:
        senders = {f"{_TAG}:{kind}:{subject}": MAILS_OF_SEAT}
        if client is not None:
            senders[f"{_TAG}:client:{client}"] = MAILS_OF_CLIENT
        return take(self._store, self._receivers(kind, address), senders, _DAY_S)

    def _receivers(self, kind: str, address: str, *, counts_domain: bool = True) -> dict[str, int]:
        local, domain = _mailbox_of(address)
        receivers = {f"{_TAG}:{kind}:address:{self.digest(f'{local}@{domain}')}": MAILS_OF_ADDRESS}
        if counts_domain and domain not in _LARGE_DOMAINS:
            receivers[f"{_TAG}:{kind}:domain:{self.digest(domain)}"] = MAILS_OF_DOMAIN
        return receivers

    def digest(self, text: str) -> str:
        """What is kept of an address in place of it: 32 hex digits."""
        return hmac.digest(self._secret, text.encode(), "sha256").hex()[:32]


def _mailbox_of(address: str) -> tuple[str, str]:
    """Name and domain, the same for the spellings of an address that many mail servers take for one."""
    local, _, domain = address.lower().rpartition("@")
    return re.sub(r"\.|[+=-].*", "", local) or local, "gmail.com" if domain == "googlemail.com" else domain

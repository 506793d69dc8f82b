"""How many mails may be sent to addresses that have not agreed to any: anyone can name anyone's address.

Rule 1: of an address and its domain nothing is kept but a keyed digest, for a day.
Rule 2: who names an address doesn't learn how often others have: above that limit a mail is held back, not refused.
"""

import hmac
import re
from collections.abc import Mapping
from typing import Final

from service.connections.scripts import Script
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
"""A day, all games together."""
_DAY_S: Final = 24 * 3600
_TAG: Final = "{mails}"
"""All keys are on one node of a cluster, so that one script can write them."""
_TAKE: Final = Script.load("quotas_take.lua", room="service.post")


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
    """Counts the mails in the store, of all processes together."""

    def __init__(self, store: Store, secret: bytes) -> None:
        """`secret` keys the digests of addresses."""
        self._store = store
        self._secret = secret

    def take_confirmation(self, game: str, seat: int, address: str, client: str | None) -> bool:
        """Count a mail that asks for a confirmation; False if the address has had enough today: then none must be sent.

        `client`: what tells clients apart; None where they have no limits. One round trip. Raises TooManyMails, and
        StoreUnavailable.
        """
        return self._take("confirmation", f"{game}/{seat}", address, client)

    def take_receiver(self, game: str, seat: int, address: str, client: str | None) -> bool:
        """Count a mail that a webhook was added, as `take_confirmation` does."""
        return self._take("receiver", f"{game}/{seat}", address, client)

    def take_token(self, game: str, address: str, client: str | None) -> bool:
        """Count a mail with the way to a new token, as `take_confirmation` does; also where no seat has the address."""
        return self._take("token", f"{game}/{self._digest('@'.join(_mailbox_of(address)))}", address, client)

    def _take(self, kind: str, subject: str, address: str, client: str | None) -> bool:
        local, domain = _mailbox_of(address)
        receivers = {f"{_TAG}:{kind}:address:{self._digest(f'{local}@{domain}')}": MAILS_OF_ADDRESS}
        if domain not in _LARGE_DOMAINS:
            receivers[f"{_TAG}:{kind}:domain:{self._digest(domain)}"] = MAILS_OF_DOMAIN
        senders = {f"{_TAG}:{kind}:{subject}": MAILS_OF_SEAT}
        if client is not None:
            senders[f"{_TAG}:client:{client}"] = MAILS_OF_CLIENT
        return take(self._store, receivers, senders, _DAY_S)

    def _digest(self, text: str) -> str:
        return hmac.digest(self._secret, text.encode(), "sha256").hex()[:32]


def _mailbox_of(address: str) -> tuple[str, str]:
    """Name and domain, the same for the spellings of an address that many mail servers take for one."""
    local, _, domain = address.lower().rpartition("@")
    return re.sub(r"\.|[+=-].*", "", local) or local, "gmail.com" if domain == "googlemail.com" else domain

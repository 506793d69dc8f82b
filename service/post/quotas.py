"""How many mails may be sent to addresses that have not agreed to any: anyone can name anyone's address.

Rule 1: of an address nothing is kept but a keyed digest, for a day.
Rule 2: who names an address doesn't learn how often others have: above that limit a mail is held back, not refused.
"""

import hmac
import re
from collections.abc import Mapping
from typing import Final

from service.gamelog.store.streams import Store

MAILS_OF_ADDRESS: Final = 5
"""A day, all games together."""
MAILS_OF_SEAT: Final = 5
"""A day; of lost tokens, for an address in one game."""
MAILS_OF_CLIENT: Final = 20
"""A day, all games together."""
_DAY_S: Final = 24 * 3600
_TAG: Final = "{mails}"
"""All keys are on one node of a cluster, so that one script can write them."""
_TAKE: Final = """
-- KEYS  1 the address   2 and so on: what is refused above its limit
-- ARGV  1 seconds after which a count ends   then the limit of each key
-- Returns {1} if a mail may be sent, {0} if the address has had enough, {-1, seconds to wait} where one is refused:
-- then nothing is counted.
for at = 2, #KEYS do
  if tonumber(redis.call('GET', KEYS[at]) or '0') >= tonumber(ARGV[at + 1]) then
    return {-1, redis.call('TTL', KEYS[at])}
  end
end
local allowed = 1
for at = 1, #KEYS do
  local count = redis.call('INCR', KEYS[at])
  if count == 1 then
    redis.call('EXPIRE', KEYS[at], ARGV[1])
  end
  if count > tonumber(ARGV[at + 1]) then
    allowed = 0
  end
end
return {allowed}
"""


class TooManyMails(Exception):
    def __init__(self, wait_s: int) -> None:
        """`wait_s`: seconds until it may ask again."""
        super().__init__("too many mails")
        self.wait_s = wait_s


def take(store: Store, limits: Mapping[str, int], seconds: int) -> bool:
    """Count a mail under each of these keys of one node; False above the limit of the first one.

    Counts end so many seconds after their first mail. One round trip. Raises TooManyMails above the limit of another
    key, and StoreUnavailable.
    """
    word, *wait = store.with_retries(lambda: store.client.eval(_TAKE, len(limits), *limits, seconds, *limits.values()))
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

    def take_token(self, game: str, address: str, client: str | None) -> bool:
        """Count a mail with the way to a new token, as `take_confirmation` does; also where no seat has the address."""
        return self._take("token", f"{game}/{self._digest(address)}", address, client)

    def _take(self, kind: str, subject: str, address: str, client: str | None) -> bool:
        limits = {
            f"{_TAG}:{kind}:address:{self._digest(address)}": MAILS_OF_ADDRESS,
            f"{_TAG}:{kind}:{subject}": MAILS_OF_SEAT,
        }
        if client is not None:
            limits[f"{_TAG}:client:{client}"] = MAILS_OF_CLIENT
        return take(self._store, limits, _DAY_S)

    def _digest(self, address: str) -> str:
        """The same for the spellings of an address that many mail servers take for one."""
        local, _, domain = address.lower().rpartition("@")
        plain = re.sub(r"\.|\+.*", "", local)
        return hmac.digest(self._secret, f"{plain}@{domain}".encode(), "sha256").hex()[:32]

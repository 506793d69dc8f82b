"""What is due in a list by times, and who has it: no other process gets a claim before its lease ends."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from service.gamelog.store.commit import load_script
from service.gamelog.store.streams import Store

_CLAIM: Final = load_script("claim.lua")
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


class Claimed(NamedTuple):
    key: str
    """Of the list."""
    member: bytes
    lease_ends: int
    """In ms since 1970."""


def find_due(store: Store, keys: Sequence[str], now: int) -> list[str]:
    """Those of the lists in which something is due, first that in which it has waited longest: one round trip.

    Raises StoreUnavailable.
    """
    first = "-inf", now, "WITHSCORES", "LIMIT", 0, 1
    firsts = zip(store.call_each(*(("ZRANGEBYSCORE", key, *first) for key in keys)), keys, strict=True)
    return [key for _, key in sorted((first[0][1], key) for first, key in firsts if first)]


def claim(
    store: Store, most: Mapping[str, int], now: int, lease_ms: int, by_channel: Mapping[str, int] = _NONE
) -> list[Claimed]:
    """Claim what is due, at most so many of each list: one round trip.

    `by_channel`: the leases of notices, in ms. Raises StoreUnavailable.
    """
    leases = [word for channel, length in by_channel.items() for word in (channel, now + length)]
    claims = store.call_each(*((_CLAIM, [key], now, limit, now + lease_ms, *leases) for key, limit in most.items()))
    return [
        Claimed(key, member, int(ends))
        for key, claimed in zip(most, claims, strict=True)
        for member, ends in zip(claimed[::2], claimed[1::2], strict=True)
    ]

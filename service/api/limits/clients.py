"""What tells clients apart, for limits: the address, as a number that can't be chosen.

A client is an IPv4 address, or the first 64 bits of an IPv6 address: those are what one household or machine gets.
The number is a keyed digest, with a secret key: no client finds an address that shares a place
with another one's.
"""

from functools import lru_cache
from hashlib import blake2s
from ipaddress import IPv6Address, ip_address
from typing import Final

_DIGEST_BYTES: Final = 8


class ClientNumbers:
    """Numbers the clients."""

    def __init__(self, secret: bytes) -> None:
        """`secret`: 32 bytes, the same in all processes that count together."""
        self._secret = secret
        self.number = lru_cache(maxsize=1024)(self._number)

    def _number(self, address: str) -> int:
        """The 64-bit number of the client with this address."""
        digest = blake2s(_network(address), key=self._secret, digest_size=_DIGEST_BYTES)
        return int.from_bytes(digest.digest(), "big")


def _network(address: str) -> bytes:
    try:
        parsed = ip_address(address)
    except ValueError:  # a unix socket, say
        return address.encode(errors="replace")[:64]
    if isinstance(parsed, IPv6Address):
        return parsed.ipv4_mapped.packed if parsed.ipv4_mapped else parsed.packed[:8]
    return parsed.packed

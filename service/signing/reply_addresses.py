"""Reply addresses: a mail address whose local part is a capability to play one seat, checked without the store.

| bytes | what |
|---|---|
| 1 | how the game's id is written (upper four bits), and the seat |
| 15, or up to 19 | the game's id: of this service's own 24 letters the bits, of others the text |
| 8 | digest of the subscription's nonce: the address is invalid once that is another one |
| 12 | MAC over all of it |

In base32 these are 58 to 64 characters, the most that a local part may have. Case doesn't count, since mail servers
may change it.
"""

import base64
import binascii
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from domain.fairness.canonical import hmac_sha256

_OWN_ID_LENGTH: Final = 24
_LONGEST_ID: Final = 19
_MARK_BYTES: Final = 8
_MAC_BYTES: Final = 12
_LONGEST: Final = 64
_PACKED, _PLAIN = 0, 1


@dataclass(frozen=True, slots=True)
class ReplyAddress:
    game: str
    seat: int
    mark: bytes = field(repr=False)
    """Which of the seat's addresses it is."""

    def is_of(self, nonce: str) -> bool:
        """Whether it was made for the subscription with this nonce."""
        return hmac.compare_digest(self.mark, _mark(self.game, self.seat, nonce))


class ReplyAddresses:
    """Makes and checks reply addresses. The same game, seat and nonce always give the same one."""

    def __init__(self, secrets: Sequence[str]) -> None:
        """`secrets`: of seat tokens; the last one signs, all of them verify."""
        self._keys = [hmac_sha256(secret.encode(), b"reibach/reply") for secret in secrets]

    def make(self, game: str, seat: int, nonce: str) -> str | None:
        """The local part; None for an imported game whose id is too long for one."""
        body = _pack(game, seat)
        if body is None:
            return None
        body += _mark(game, seat, nonce)
        return _encode(body + _mac(self._keys[-1], body))

    def read(self, local: str) -> ReplyAddress | None:
        """What the local part is for; None if it was not made here. `ReplyAddress.is_of` says whether it is valid."""
        raw = _decode(local)
        if raw is None or len(raw) <= 1 + _MARK_BYTES + _MAC_BYTES:
            return None
        body, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
        if not any(hmac.compare_digest(mac, _mac(key, body)) for key in self._keys):
            return None
        kind, seat = divmod(body[0], 16)
        name = body[1:-_MARK_BYTES]
        game = base64.b32encode(name).decode().lower() if kind == _PACKED else name.decode()
        return ReplyAddress(game, seat, body[-_MARK_BYTES:])


def _pack(game: str, seat: int) -> bytes | None:
    if len(game) == _OWN_ID_LENGTH and (raw := _decode(game)) and _encode(raw) == game:
        return bytes([_PACKED << 4 | seat]) + raw
    if len(game) > _LONGEST_ID:
        return None
    return bytes([_PLAIN << 4 | seat]) + game.encode()


def _mark(game: str, seat: int, nonce: str) -> bytes:
    return hmac_sha256(nonce.encode(), f"reibach/reply\n{game}\n{seat}".encode())[:_MARK_BYTES]


def _mac(key: bytes, body: bytes) -> bytes:
    return hmac_sha256(key, body)[:_MAC_BYTES]


def _encode(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()


def _decode(text: str) -> bytes | None:
    """The bytes of a base32 text in either case; None where it is none, or not the one spelling of its bytes."""
    if len(text) > _LONGEST or not text.isascii() or "=" in text:
        return None
    try:
        raw = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
    except binascii.Error:
        return None
    return raw if _encode(raw) == text.lower() else None

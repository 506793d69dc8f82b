"""Reply addresses: a mail address whose local part is a capability to play one seat, checked without the store.

| bytes | what |
|---|---|
| 1 | how the game's id is written (upper four bits), and the seat |
| 15, or up to 19 | the game's id: of this service's own 24 letters the bits, of others the text |
| 8, or none | which of the seat's mails is answered: what `about` was |
| 6; 8 without that | digest of the subscription's nonce: the address is invalid once that is another one |
| 10; 12 without that | MAC over all of it |

In base32 these are at most 64 characters, the most that a local part may have. Case doesn't count, since mail servers
may change it. Ids of more than 15 bytes have only addresses that don't say which mail is answered.
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
_SIZES: Final = {False: (0, 8, 12), True: (8, 6, 10)}
"""Bytes of what the address is about, of the digest and the MAC, by whether it is about a mail."""
_LONGEST_ABOUT: Final = 15
_LONGEST: Final = 64
_PACKED, _PLAIN, _ABOUT_MAIL = 0, 1, 2  # the last is added to one of the others


@dataclass(frozen=True, slots=True)
class ReplyAddress:
    game: str
    seat: int
    mark: bytes = field(repr=False)
    """Which of the seat's addresses it is."""
    about: bytes = b""
    """Which mail is answered; empty where it doesn't say."""

    def is_of(self, nonce: str) -> bool:
        """Whether it was made for the subscription with this nonce."""
        return hmac.compare_digest(self.mark, _mark(self.game, self.seat, nonce)[: len(self.mark)])


class ReplyAddresses:
    """Makes and checks reply addresses. The same arguments always give the same one."""

    def __init__(self, secrets: Sequence[str]) -> None:
        """`secrets`: of seat tokens; the last one signs, all of them verify."""
        self._keys = [hmac_sha256(secret.encode(), b"reibach/reply") for secret in secrets]

    def make(self, game: str, seat: int, nonce: str, about: bytes = b"") -> str | None:
        """The local part; None for an imported game whose id is too long for one. `about`: 8 bytes, or none."""
        kind, name = _pack(game)
        if len(name) > _LONGEST_ID:
            return None
        about = about if len(name) <= _LONGEST_ABOUT else b""
        _, mark, mac = _SIZES[bool(about)]
        head = bytes([(kind + _ABOUT_MAIL * bool(about)) << 4 | seat])
        body = head + name + about + _mark(game, seat, nonce)[:mark]
        return _encode(body + hmac_sha256(self._keys[-1], body)[:mac])

    def read(self, local: str) -> ReplyAddress | None:
        """What the local part is for; None if it was not made here. `ReplyAddress.is_of` says whether it is valid."""
        raw = _decode(local) or b"\0"
        kind, seat = divmod(raw[0], 16)
        about, mark, mac = _SIZES[kind >= _ABOUT_MAIL]
        if len(raw) <= 1 + about + mark + mac:
            return None
        body = raw[:-mac]
        if not any(hmac.compare_digest(raw[-mac:], hmac_sha256(key, body)[:mac]) for key in self._keys):
            return None
        end = len(body) - mark - about
        name = body[1:end]
        game = base64.b32encode(name).decode().lower() if kind % _ABOUT_MAIL == _PACKED else name.decode()
        return ReplyAddress(game, seat, body[-mark:], body[end : end + about])


def _pack(game: str) -> tuple[int, bytes]:
    raw = _decode(game) if len(game) == _OWN_ID_LENGTH else None
    return (_PACKED, raw) if raw and _encode(raw) == game else (_PLAIN, game.encode())


def _mark(game: str, seat: int, nonce: str) -> bytes:
    return hmac_sha256(nonce.encode(), f"reibach/reply\n{game}\n{seat}".encode())


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

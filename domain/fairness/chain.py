"""The hash chain over a game's events (contract 5). Keyed, so that a hash reveals nothing about a hidden card."""

from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from domain.fairness.canonical import canonical_json, hmac_sha256

_BLOCK_BYTES: Final = 64


def chain_key(server_seed: bytes) -> bytes:
    return hmac_sha256(server_seed, b"reibach/chain")


def first_hash(key: bytes, game: str) -> bytes:
    """hash(0), before the first event."""
    return hmac_sha256(key, game.encode())


def next_hash(key: bytes, previous: bytes, event: dict[str, Any]) -> bytes:
    """hash(v) of `event` = {"version", "type", "at", "data"}, unredacted, from hash(v - 1)."""
    return hash_of(key, previous, canonical_json(event))


def hash_of(key: bytes, previous: bytes, canonical: bytes) -> bytes:
    """The same from the event's JCS, if the caller has it already."""
    prepared_inner, prepared_outer = _prepare(key)
    inner, outer = prepared_inner.copy(), prepared_outer.copy()
    inner.update(previous)
    inner.update(canonical)
    outer.update(inner.digest())
    digest: bytes = outer.digest()
    return digest


@lru_cache(maxsize=2000)  # as many games as a process keeps
def _prepare(key: bytes) -> tuple[Any, Any]:
    """The two hashes of HMAC-SHA256 (RFC 2104) that begin with the key.

    All events of a game have one key: `hmac.digest`, which takes it in for each of them, takes twice as long.
    """
    padded = (sha256(key).digest() if len(key) > _BLOCK_BYTES else key).ljust(_BLOCK_BYTES, b"\0")
    return sha256(bytes(byte ^ 0x36 for byte in padded)), sha256(bytes(byte ^ 0x5C for byte in padded))


def receipt_text(game: str, version: int, game_hash: str) -> bytes:
    """The bytes that a receipt signs; `game_hash` in hex."""
    return f"reibach/receipt\n{game}\n{version}\n{game_hash}\n".encode()

"""The hash chain over a game's events (contract 5). Keyed, so that a hash reveals nothing about a hidden card."""

import hmac
from functools import lru_cache
from hashlib import sha256
from typing import Any

from domain.fairness.canonical import canonical_json, hmac_sha256


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
    code = _begin(key).copy()
    code.update(previous)
    code.update(canonical)
    return code.digest()


@lru_cache(maxsize=2000)  # as many games as a process keeps
def _begin(key: bytes) -> hmac.HMAC:
    """An HMAC that has taken in its key, to be copied: all events of a game have one."""
    return hmac.new(key, digestmod=sha256)


def receipt_text(game: str, version: int, game_hash: str) -> bytes:
    """The bytes that a receipt signs; `game_hash` in hex."""
    return f"reibach/receipt\n{game}\n{version}\n{game_hash}\n".encode()

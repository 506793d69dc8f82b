"""The hash chain over a game's events (contract 5). Keyed, so that a hash reveals nothing about a hidden card."""

from typing import Any

from domain.fairness.canonical import canonical_json, hmac_sha256


def chain_key(server_seed: bytes) -> bytes:
    """The key of one game's chain."""
    return hmac_sha256(server_seed, b"reibach/chain")


def first_hash(key: bytes, game: str) -> bytes:
    """hash(0), before the first event."""
    return hmac_sha256(key, game.encode())


def next_hash(key: bytes, previous: bytes, event: dict[str, Any]) -> bytes:
    """hash(v) of `event` = {"version", "type", "at", "data"}, unredacted, from hash(v - 1)."""
    return hash_of(key, previous, canonical_json(event))


def hash_of(key: bytes, previous: bytes, canonical: bytes) -> bytes:
    """The same from the event's JCS, if the caller has it already."""
    return hmac_sha256(key, previous + canonical)


def receipt_text(game: str, version: int, game_hash: str) -> bytes:
    """The bytes that a receipt signs; `game_hash` in hex."""
    return f"reibach/receipt\n{game}\n{version}\n{game_hash}\n".encode()

"""The hash chain over a game's events (contract 5). Keyed, so that a hash reveals nothing about a hidden card."""

import hmac
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from domain.fairness.canonical import JsonObject, canonical_json, hmac_sha256

ERASABLE: Final = {"PlayerJoined": "name", "SeatReplaced": "name", "MessagePosted": "text"}
"""By event type: the member with a person's words. The chain takes a digest of it, so that it can be erased."""


def chain_key(server_seed: bytes) -> bytes:
    return hmac_sha256(server_seed, b"reibach/chain")


def first_hash(key: bytes, game: str) -> bytes:
    """hash(0), before the first event."""
    return hmac_sha256(key, game.encode())


def next_hash(key: bytes, previous: bytes, event: dict[str, Any]) -> bytes:
    """hash(v) of `event` = {"version", "type", "at", "data"}, unredacted, from hash(v - 1)."""
    return hash_of(key, previous, canonical_json(event | {"data": hashed_data(event["type"], event["data"])}))


def hashed_data(kind: str, data: JsonObject) -> JsonObject:
    """The data as the chain takes it: with a digest for words and their salt; as it stands if it is from before salts.

    Raises ValueError for words that aren't Unicode.
    """
    member = ERASABLE.get(kind)
    if member is None or not ("salt" in data or "digest" in data):
        return data
    rest = {name: value for name, value in data.items() if name not in {member, "salt", "erased"}}
    if "salt" in data:
        rest["digest"] = hmac_sha256(bytes.fromhex(data["salt"]), data[member].encode()).hex()
    return rest


def hash_of(key: bytes, previous: bytes, canonical: bytes) -> bytes:
    """The same from the JCS of the event with its `hashed_data`, if the caller has it already."""
    code = _begin(key).copy()
    code.update(previous + canonical)
    return code.digest()


@lru_cache(maxsize=2000)  # as many games as a process keeps
def _begin(key: bytes) -> hmac.HMAC:
    """An HMAC that has taken in its key, to be copied: all events of a game have one."""
    return hmac.new(key, digestmod=sha256)


def receipt_text(game: str, version: int, game_hash: str) -> bytes:
    """The bytes that a receipt signs; `game_hash` in hex."""
    return f"reibach/receipt\n{game}\n{version}\n{game_hash}\n".encode()

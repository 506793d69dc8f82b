"""Whole logs as they are exported, made without a service."""

import json
from collections.abc import Collection, Iterable
from itertools import count
from typing import Any

from domain.clock.timestamps import timestamp
from domain.decision import Decision
from domain.events import EventRecord, payload_of, type_of
from domain.fairness.canonical import canonical_json
from domain.fairness.chain import chain_key, first_hash, next_hash
from tests.support.play import steps

BEGAN = 1_770_000_000_000
"""When every game here was created, in milliseconds since 1970."""


def log_of(decisions: Iterable[Decision]) -> list[EventRecord]:
    """The unredacted log of a game: a quarter of a second from one command to the next.

    Where the decisions have times of their own, those count.
    """
    events: list[EventRecord] = []
    key = previous = b""
    for decision, at in zip(decisions, count(BEGAN, 250), strict=False):
        for event in decision.events:
            if not events:
                key = chain_key(decision.game.server_seed)
                previous = first_hash(key, decision.game.id)
            hashed = {
                "version": len(events) + 1,
                "type": type_of(event),
                "at": timestamp(decision.at or at),
                "data": payload_of(event),
            }
            previous = next_hash(key, previous, hashed)
            events.append({**hashed, "hash": previous.hex()})
    copied: list[EventRecord] = json.loads(canonical_json(events))
    return copied


def random_log(
    seats: int, seed: str, variants: Collection[str] = (), *, starting_seat: int = 0, talk: float = 0
) -> list[EventRecord]:
    return log_of(decision for _, decision in steps(seats, seed, variants, starting_seat=starting_seat, talk=talk))


def ndjson(events: Iterable[Any]) -> bytes:
    return b"".join(canonical_json(event) + b"\n" for event in events)

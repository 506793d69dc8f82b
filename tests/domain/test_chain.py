"""The hash chain against the worked examples."""

import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from domain.events import EVENT_TABLE
from domain.fairness.chain import chain_key, first_hash, hash_of, next_hash
from tests.support.play import fold

VECTORS = json.loads(Path(__file__).parents[1].joinpath("oracle", "vectors.json").read_text("utf-8"))["chain"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["game"])
def test_worked_examples(vector: dict[str, Any]) -> None:
    """Key and every hash as published."""
    key = chain_key(bytes.fromhex(vector["server_seed"]))
    assert key.hex() == vector["chain_key"]
    head = first_hash(key, vector["game"])
    for event in vector["events"]:
        head = next_hash(key, head, {name: event[name] for name in ("version", "type", "at", "data")})
        assert head.hex() == event["hash"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["game"])
def test_worked_examples_fold(vector: dict[str, Any]) -> None:
    """The published events are events of ours."""
    game = fold(EVENT_TABLE[event["type"]].kind(**event["data"]) for event in vector["events"])
    assert (game.id, game.version) == (vector["game"], vector["events"][-1]["version"])


@pytest.mark.parametrize("field", ["version", "type", "at", "data"])
def test_every_field_is_hashed(field: str) -> None:
    """A change to any field, to the hash before or to the key changes the hash."""
    event = {"version": 1, "type": "TurnStarted", "at": "2026-01-31T18:05:09.123Z", "data": {"turn": 1, "seat": 0}}
    key, previous = chain_key(bytes(32)), first_hash(chain_key(bytes(32)), "g")
    honest = next_hash(key, previous, event)
    assert next_hash(key, previous, event | {field: "other"}) != honest
    assert next_hash(key, first_hash(key, "h"), event) != honest
    assert next_hash(chain_key(bytes([1] * 32)), previous, event) != honest


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 200])
def test_a_prepared_key_gives_the_hash_of_the_standard_library(length: int) -> None:
    """HMAC-SHA256 with keys shorter and longer than a block, again and again, with texts of any length."""
    for key in (bytes(length), bytes(range(length)), b"\xff" * length):
        for text in (b"", b"x", b"y" * 55, b"z" * 64, b"\x00" * 1000):
            expected = hmac.digest(key, b"before" + text, "sha256")
            assert hash_of(key, b"before", text) == hash_of(key, b"", b"before" + text) == expected

"""The shuffle against the worked examples, and our canonical JSON against an independent RFC 8785."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.erasure import erase
from domain.events import EVENT_TABLE
from domain.fairness.canonical import canonical_json, has_canonical_form, read_json
from domain.fairness.chain import chain_key, first_hash, next_hash
from domain.fairness.shuffle import below, commitment_to, deal, random_integers, shuffle_key
from domain.rules import rules_of
from tests.support.play import fold

VECTORS = json.loads(Path(__file__).parents[1].joinpath("oracle", "vectors.json").read_text("utf-8"))


@pytest.mark.parametrize("vector", VECTORS["shuffle"], ids=lambda vector: vector["server_seed"][:8])
def test_worked_examples(vector: dict[str, Any]) -> None:
    """Commitment, key, random stream and deal as published."""
    seed = bytes.fromhex(vector["server_seed"])
    key = shuffle_key(seed, vector["entropies"])
    dealt = deal(rules_of("standard@1"), seed, vector["entropies"])
    assert commitment_to(seed) == vector["commitment"]
    assert key.hex() == vector["shuffle_key"]
    assert list(islice(random_integers(key), len(vector["first_integers"]))) == vector["first_integers"]
    assert dealt == (vector["hands"], vector["display"], vector["draw_pile"])


@pytest.mark.parametrize(
    ("integers", "n", "number"),
    [([7], 5, 2), ([2**32 - 1, 7], 3, 1), ([2**32 - 2], 3, 2), ([2**32 - 1], 2, 1), ([2**32 - 2**32 % 100, 0], 100, 0)],
)
def test_integers_that_would_favour_small_numbers_are_skipped(integers: list[int], n: int, number: int) -> None:
    """`below` takes the next integer under the largest multiple of n."""
    assert below(iter(integers), n) == number


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LIMIT = 2**53 - 1
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LIMIT, LIMIT) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(max_codepoint=127)), inner, max_size=4)
    ),
    max_leaves=12,
)


NAMES = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=3)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(ANY)
def test_what_has_a_canonical_form_is_written_as_jcs(value: Any) -> None:
    """Of any JSON value: where it has one, ours is RFC 8785's, with names of the whole BMP."""
    if has_canonical_form(value):
        assert canonical_json(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value",
    [0.0, 1.5, float("nan"), LIMIT + 1, -LIMIT - 1, {"\U00010000": 1}, {"a": [{"b": [1.0]}]}, [[{"a\U0001f3b2": 1}]]],
)
def test_values_without_a_canonical_form(value: Any) -> None:
    """Fractions, numbers that a double can't hold, and names that UTF-16 sorts otherwise than Unicode."""
    assert not has_canonical_form(value)
    assert not has_canonical_form({"a": [value]})


@given(VALUES)
def test_values_with_a_canonical_form_are_read_again(value: Any) -> None:
    assert has_canonical_form(value)
    assert read_json(canonical_json(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"\xef\xbb\xbf{}", b"\xff\xfe{\x00}\x00", b'"\xff"', b"NaN", b"[-Infinity]", b"{} {}", b"[1,]", b"01"),
        *(b'{"a":1,"a":1}', b'[{"a":1,"\\u0061":2}]', b'"\\ud800"', b'{"\\uDC00":1}'),
    ],
)
def test_json_that_is_refused(text: bytes) -> None:
    """Other encodings, doubled names however they are written, NaN, half characters, and what no JSON is."""
    with pytest.raises(ValueError):  # noqa: PT011 - of JSON, of Unicode or of ours
        read_json(text)


def test_json_nested_too_deeply() -> None:
    with pytest.raises(RecursionError):
        read_json(b"[" * 200_000)


# The hash chain.


@pytest.mark.parametrize("vector", VECTORS["chain"], ids=lambda vector: vector["game"])
def test_worked_examples_of_the_chain(vector: dict[str, Any]) -> None:
    key = chain_key(bytes.fromhex(vector["server_seed"]))
    assert key.hex() == vector["chain_key"]
    head = first_hash(key, vector["game"])
    erased = {event["version"]: event for event in vector.get("erased", [])}
    for event in vector["events"]:
        other = erased.get(event["version"], event)
        contents = [{name: one[name] for name in ("version", "type", "at", "data")} for one in (event, other)]
        assert other["data"] == (erase(other["type"], event["data"]) if event["version"] in erased else event["data"])
        [head] = {next_hash(key, head, content) for content in contents}
        assert head.hex() == event["hash"]
    game = fold(EVENT_TABLE[event["type"]].kind(**event["data"]) for event in vector["events"])
    assert (game.id, game.version) == (vector["game"], vector["events"][-1]["version"])

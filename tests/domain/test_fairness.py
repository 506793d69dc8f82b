"""The shuffle against the worked examples, and our canonical JSON against an independent RFC 8785."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.fairness.canonical import canonical_json
from domain.fairness.shuffle import below, commitment_to, deal, random_integers, shuffle, shuffle_key
from domain.rules import rules_of

VECTORS = json.loads(Path(__file__).parents[1].joinpath("oracle", "vectors.json").read_text("utf-8"))["shuffle"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["server_seed"][:8])
def test_worked_examples(vector: dict[str, Any]) -> None:
    """Commitment, key, random stream and deal as published."""
    seed = bytes.fromhex(vector["server_seed"])
    key = shuffle_key(seed, vector["entropies"])
    dealt = deal(rules_of("standard@1"), seed, vector["entropies"])
    assert commitment_to(seed) == vector["commitment"]
    assert key.hex() == vector["shuffle_key"]
    assert list(islice(random_integers(key), len(vector["first_integers"]))) == vector["first_integers"]
    assert (dealt.hands, dealt.display, dealt.draw_pile) == (vector["hands"], vector["display"], vector["draw_pile"])


@pytest.mark.parametrize(
    ("integers", "n", "number"),
    [([7], 5, 2), ([2**32 - 1, 7], 3, 1), ([2**32 - 2], 3, 2), ([2**32 - 1], 2, 1), ([2**32 - 2**32 % 100, 0], 100, 0)],
)
def test_integers_that_would_favour_small_numbers_are_skipped(integers: list[int], n: int, number: int) -> None:
    """`below` takes the next integer under the largest multiple of n."""
    assert below(iter(integers), n) == number


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(), max_size=40))
def test_shuffle_keeps_the_cards(key: bytes, cards: list[int]) -> None:
    """A shuffle is a permutation, and the same key gives the same one."""
    first, second = [*map(str, cards)], [*map(str, cards)]
    shuffle(first, random_integers(key))
    shuffle(second, random_integers(key))
    assert first == second
    assert sorted(first) == sorted(map(str, cards))


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LIMIT = 2**53 - 1
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LIMIT, LIMIT) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(max_codepoint=127)), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_json_is_jcs(value: Any) -> None:
    """Equal to RFC 8785 over all values that the product holds: any text, whole numbers, ASCII keys."""
    assert canonical_json(value) == rfc8785.dumps(value)

"""Seat tokens: what is cached of them, and which of a seat's tokens is valid."""

import gc
import tracemalloc

import pytest

from service.gamelog.store.scripts import Client
from service.signing.generations import raise_generations, read_generations
from service.signing.tokens import SeatToken, Tokens

SECRET = "secret"


def test_bad_tokens_take_no_memory() -> None:
    """Long tokens and bad ones, however many, are refused without being kept."""
    tokens = Tokens([SECRET])
    good = tokens.issue("g", 0)
    assert tokens.read(good) == SeatToken("g", 0, 0)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(500):
            assert tokens.read(f"{number}" + "x" * 60_000) is None
            assert tokens.read(f"{number}" + "x" * 250) is None
        gc.collect()  # exceptions of refused tokens are in cycles
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 5_000_000, "500 tokens of 60 KB, which are 30 MB"
    assert tokens._read.cache_info().currsize == 1


@pytest.mark.parametrize("token", ["", "x", ".", "W10.", "\x00", "é"])
def test_what_is_no_token(token: str) -> None:
    """It is refused, and never an exception."""
    assert Tokens([SECRET]).read(token) is None


def test_only_the_present_generation_is_valid(client: Client) -> None:
    """Raising a seat's generation voids its token, cached or not, and no other seat's."""
    tokens = Tokens([SECRET])
    first = [tokens.issue("g", seat) for seat in range(3)]
    assert all(tokens.read(token) for token in first)
    assert read_generations(client) == {}
    assert raise_generations(client, "g", [0, 2]) == [1, 1]
    assert raise_generations(client, "g", [2]) == [2]
    tokens.generations = read_generations(client)
    assert tokens.generations == {("g", 0): 1, ("g", 2): 2}
    assert [tokens.read(token) is not None for token in first] == [False, True, False]
    assert tokens.read(tokens.issue("g", 0, 1)) == SeatToken("g", 0, 1)
    assert [tokens.read(tokens.issue("g", 2, generation)) is not None for generation in range(4)] == [
        False,
        False,
        True,
        False,
    ]
    assert tokens.issue("g", 0) == first[0], "a repeat of the creation gives the token as first issued"

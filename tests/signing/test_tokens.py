"""Seat tokens: what is cached of them, and which of a seat's tokens is valid."""

import gc
import tracemalloc

import pytest

from service.signing.tokens import SeatToken, Tokens

SECRET = "secret"


@pytest.mark.nightly
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
    assert Tokens([SECRET]).read(token) is None


def test_a_token_has_one_spelling() -> None:
    """Padding, other spare bits of the last character and characters outside the alphabet make it another text."""
    tokens = Tokens([SECRET])
    good = tokens.issue("g", 0)
    read_alike = [chr(ord(good[-1]) + step) for step in (1, -1, 2, -2, 3, -3)]
    for other in (good + "=", good + "==", good + "!", good + "\n", good[:-3] + " " + good[-3:]):
        assert tokens.read(other) is None, other
    for last in read_alike:
        assert tokens.read(good[:-1] + last) is None, last
    assert tokens.read(good) == SeatToken("g", 0, 0)
    assert Tokens(["old", SECRET, "new"]).read(good) == SeatToken("g", 0, 0)

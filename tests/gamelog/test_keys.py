"""The names of keys."""

import tracemalloc

from service.gamelog.store.keys import KeyNames


def test_keys_of_ids_that_no_game_has_are_not_kept() -> None:
    """A request may name any id, of any length."""
    names = KeyNames(16)
    tracemalloc.start()
    try:
        for number in range(100):
            assert names.keys(f"{number}{'x' * 60_000}").stream.endswith("x" * 60_000)
        assert tracemalloc.get_traced_memory()[0] < 1_000_000
    finally:
        tracemalloc.stop()
    assert names.keys("a" * 16) is names.keys("a" * 16)

"""The notice board that web processes share: never wrong, at worst silent."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.gamelog import shared_cache as board_module
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.shared_cache import SharedCache
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, any_act, new_game


class CountingStore(Store):
    """Counts its trips."""

    trips = 0

    def with_retries(self, call):
        self.trips += 1
        return super().with_retries(call)


def neighbours(store: Store, path: Path) -> list[tuple[GameLog, CountingStore]]:
    """Two web processes of one machine, as it were: each with its own memory and its own map of the board."""
    stores = [CountingStore(store.client, SHARDS) for _ in range(2)]
    return [(GameLog(one, Reactions(lambda *_: None, 1.0), shared_cache=SharedCache(path)), one) for one in stores]


def test_players_of_two_processes_need_one_trip_an_action(log_store: Store, tmp_path: Path) -> None:
    """Whichever process an action reaches, the one append is its only trip to the store."""
    chance = Random(7)
    both = neighbours(log_store, tmp_path / "board")
    game = "taking turns"
    both[0][0].create(new_game(game))
    both[1][0].load(game)
    for number in range(20):
        log, store = both[number % 2]
        before = store.trips
        log.handle(game, any_act(log.load_cached(game).game, chance))
        assert store.trips - before == 1
    assert both[0][0].load(game).game == both[1][0].load(game).game


def test_a_process_that_is_two_entries_behind_goes_by_the_store(log_store: Store, tmp_path: Path) -> None:
    """The board holds the last entry only; what it doesn't tell costs a conflict, and nothing is wrong."""
    chance = Random(8)
    (here, _), (there, _) = neighbours(log_store, tmp_path / "board")
    game = "far behind"
    here.create(new_game(game))
    there.load(game)
    for _ in range(2):
        here.handle(game, any_act(here.load_cached(game).game, chance))
    there.handle(game, any_act(here.load_cached(game).game, chance))
    assert there.load(game).game == here.load(game).game


@given(place=st.integers(0, 300), bit=st.integers(0, 7))
def test_a_torn_notice_is_no_notice(place: int, bit: int) -> None:
    """Any flipped bit of a notice makes the game stay as it was, or it did not belong to the notice."""
    store = FakeBoardGame()
    board, loaded, length = store.shared_cache, store.before, store.length
    offset = board_module._place(loaded.game.id) + place
    board._memory[offset] ^= 1 << bit
    newer = board.newer(loaded)
    board._memory[offset] ^= 1 << bit
    assert (newer is loaded) == (place < length)
    assert board.newer(loaded).game == store.after.game


class FakeBoardGame:
    """A game before and after an entry that stands on a board."""

    def __init__(self) -> None:
        import fakeredis

        log = GameLog(
            Store(fakeredis.FakeRedis(), SHARDS), Reactions(lambda *_: None, 1.0), shared_cache=SharedCache(None)
        )
        log.create(new_game("torn"))
        self.before = log.load_cached("torn")
        log.handle("torn", any_act(self.before.game, Random(1)))
        self.after = log.load_cached("torn")
        self.shared_cache = log.shared_cache
        entry = log.store.read("torn", self.before.game.version).entries[0]
        self.length = board_module._SUM.size + board_module._HEAD.size + len(entry.body)


@pytest.mark.parametrize("length", [400, 5000])
def test_an_entry_that_does_not_fit_is_left_out(length: int) -> None:
    """The place keeps its size; what is longer is not put up."""
    from service.gamelog.entry import Entry

    board = SharedCache(None)
    board.publish("g", Entry(2, 2, 1, b"x" * length, bytes(12)), bytes(32))
    place = board_module._place("g")
    assert (board._memory[place : place + 4] != bytes(4)) == (length < 424)


@pytest.mark.parametrize(("letters", "publish"), [(24, True), (25, False), (64, False)])
def test_a_game_with_a_long_id_is_left_out(letters: int, publish: bool) -> None:
    """Cut to the board's length its id could be that of another game."""
    from service.gamelog.entry import Entry

    board = SharedCache(None)
    game = "g" * letters
    board.publish(game, Entry(2, 2, 1, b"x", bytes(12)), bytes(32))
    place = board_module._place(game)
    assert (board._memory[place : place + 4] != bytes(4)) is publish

"""A store that has no memory left, or takes no writes: every write is refused, every read is answered."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import pytest

from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.store.errors import StoreUnavailable
from tests.gamelog.ledger import any_act, check_log, key_of, new_game, open_games, play
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
KEY = key_of("open")
READS: dict[str, Callable[[GameLog], object]] = {
    "load": lambda games: games.load("g").hash,
    "load_history": lambda games: games.load_history("g").events,
    "load_at": lambda games: games.load_at("g", 4)[1].hash,
    "find_repeat": lambda games: games.find_repeat("g", KEY),
    "read_raw": lambda games: games.store.read_raw("g"),
    "ids": lambda games: games.store.ids(),
}


@contextmanager
def set_to(client: Client, name: str, value: str) -> Iterator[None]:
    client.config_set(name, value)
    try:
        yield
    finally:
        client.config_set(name, "0")


@pytest.mark.parametrize(("name", "value"), [("maxmemory", "1"), ("min-replicas-to-write", "1")])
def test_reads_go_on_where_writes_cannot(real_client: Client, name: str, value: str) -> None:
    """With the same answers, also to a process that knows nothing yet; nothing is written in part."""
    games = open_games(real_client)
    games.create(new_game("g"), KEY)
    play(games, "g", Random(1), lambda game: game.version > 12)
    before = {name: read(open_games(real_client)) for name, read in READS.items()}
    act = any_act(games.load("g").game, Random(2))
    with set_to(real_client, name, value):
        for _ in range(2):
            assert {name: read(games) for name, read in READS.items()} == before
        assert {name: read(open_games(real_client)) for name, read in READS.items()} == before
        with pytest.raises(StoreUnavailable):
            games.handle("g", act)
        with pytest.raises(StoreUnavailable):
            games.store.check_writable()
        assert {name: read(games) for name, read in READS.items()} == before
    assert games.handle("g", act).events
    check_log(games.store, "g")

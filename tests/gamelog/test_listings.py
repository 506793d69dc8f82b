"""The list of listed games: what is in it, in which order, and that its pages hold together."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.clock.timestamps import timestamp
from domain.commands import CompleteScoring, CreateGame, JoinGame, PostMessage, SeatPlan
from service.connections.clients import Client, connect
from service.gamelog.archive.compaction import compact
from service.gamelog.copies.forks import Fork, copy_game, end_of_copy
from service.gamelog.store.listings import Cursor, ListedGames, list_games
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import any_act, finish, finished, key_of, new_game, open_games
from tests.support.profiles import examples
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
OPEN = [SeatPlan(name="Anna"), SeatPlan()]


def listed(name: str, seats: Sequence[SeatPlan] | int = 2) -> CreateGame:
    return replace(new_game(name, seats), listed=True)


def names(page: ListedGames) -> list[str]:
    return [game["id"] for game in page.games]


def everything(store: Store, status: str | None = None, limit: int = 100) -> list[str]:
    found, page = list[str](), list_games(store, status, None, limit)
    while True:
        found += names(page)
        if page.next is None:
            return found
        page = list_games(store, status, Cursor.parse(page.next.format()), limit)


def test_a_game_passes_the_lists(client: Client) -> None:
    """Open, playing, over: each game is in one list, with its names, version and time."""
    games = open_games(client)
    store = games.store
    games.create(listed("alpha", OPEN))
    games.create(listed("beta"))
    games.create(new_game("hidden"))
    game = games.load("alpha").game
    [shown] = list_games(store, "open", None, 5).games
    assert (shown.pop("id"), shown.pop("name")) == ("alpha", None)
    expected = {"status": "open", "seats": ["Anna", None], "bots": [None, None], "version": 2}
    assert shown == expected | {"updated_at": timestamp(game.at)}
    assert (everything(store), everything(store, "playing")) == (["beta", "alpha"], ["beta"])
    games.handle("alpha", JoinGame(name="Bert"))
    assert (everything(store, "open"), everything(store, "playing")) == ([], ["beta", "alpha"])
    assert list_games(store, None, None, 5).games[1]["seats"] == ["Anna", "Bert"]
    finish(games, "beta")
    games.handle("beta", PostMessage(seat=0, text="Again?"))
    assert (everything(store, "playing"), everything(store, "over")) == (["alpha"], ["beta"])
    assert everything(store) == ["beta", "alpha"]
    assert list_games(store, "over", None, 5).games[0]["version"] == games.load("beta").game.version


def test_a_game_that_is_scored_counts_as_playing(client: Client) -> None:
    games, chance = open_games(client), Random("scored")
    games.create(listed("scored"))
    while (game := games.load("scored").game).scoring is None:
        games.handle("scored", any_act(game, chance))
    assert [one["status"] for one in list_games(games.store, "playing", None, 5).games] == ["playing"]
    games.handle("scored", CompleteScoring(round=1))
    assert everything(games.store, "playing") == ["scored"]


def test_unlisted_games_leave_no_trace(client: Client) -> None:
    """Whatever happens to them, they write to no list."""
    games = open_games(client)
    games.create(new_game("hidden"))
    finish(games, "hidden")
    assert [key for key in client.keys("*") if b"listed" in key or b"summaries" in key] == []


def test_deleted_archived_and_forked_games(client: Client) -> None:
    """A deleted game is gone from the list, an archived one stays; a fork is as new as its opening."""
    games = open_games(client)
    store = games.store
    games.create(listed("unused", OPEN))
    loaded = games.load("unused")
    assert store.delete("unused", loaded.game.version, loaded.hash)
    assert everything(store) == []
    assert client.keys("*listed*") == client.keys("*summaries*") == []
    games.create(listed("kept"))
    finish(games, "kept")
    assert compact(store, "kept", "store", games.load("kept").game.at)
    before = list_games(store, "over", None, 5).games
    assert names(ListedGames(before, None)) == ["kept"]
    history = finished("parent of a listed fork")  # played long ago
    fork = Fork(
        game="fork",
        parent="parent of a listed fork",
        version=9,
        until=end_of_copy(history.events, 9),
        seats=(SeatPlan(name="Carla"), SeatPlan(bot="greedy")),
        listed=True,
    )
    games.open_copy(copy_game(history.entries, fork), fork.seats, key_of("fork"))
    assert everything(store) == ["fork", "kept"]
    assert list_games(store, "playing", None, 5).games[0]["seats"] == ["Carla", "greedy"]


@pytest.mark.parametrize(
    "text", ["", "1", "-", "1-", "x-game", "1-ga me", "-1-game", "1" * 17 + "-game", "1-" + "g" * 65]
)
def test_places_are_read_strictly(text: str) -> None:
    with pytest.raises(ValueError, match="no place"):
        Cursor.parse(text)
    assert Cursor.parse("12-a-b") == Cursor(12, "a-b")


def test_games_of_the_same_moment_are_all_listed(client: Client) -> None:
    """Pages of one game each, although the clock stood still for all of them."""
    games = open_games(client)
    for number in range(7):
        games.create(listed(f"same{number}"))
    for key in client.keys("*listed:playing"):
        for game in client.zrange(key, 0, -1):
            client.zadd(key, {game: 1_770_000_000_000_000})
    assert everything(games.store, limit=1) == [f"same{number}" for number in reversed(range(7))]
    assert everything(games.store, "playing", limit=3) == [f"same{number}" for number in reversed(range(7))]


class Reader:
    """A reader of pages, and people who open and join games meanwhile, in a store of their own."""

    def __init__(self, valkey: str, limit: int) -> None:
        client = connect(f"{valkey}{'&' if '?' in valkey else '?'}db=6")
        client.flushdb()
        self.games = open_games(client)
        self.limit = limit
        self.opened: list[str] = []
        self.found: list[str] = []
        self.after: Cursor | None = None
        self.is_done = False

    def create(self) -> None:
        self.opened.append(f"game{len(self.opened):03d}")
        self.games.create(listed(self.opened[-1], OPEN))

    def join(self) -> None:
        """Take the last seat of the oldest open game, which starts."""
        if waiting := [name for name in self.opened if not self.games.load(name).game.started]:
            self.games.handle(waiting[0], JoinGame(name="Bert"))

    def page(self) -> None:
        if not self.is_done:
            page = list_games(self.games.store, None, self.after, self.limit)
            assert len(page.games) <= self.limit
            self.found += names(page)
            self.after, self.is_done = page.next, page.next is None


@examples(0.4)
@given(st.lists(st.sampled_from(["create", "join", "page"]), max_size=30), st.integers(1, 4))
def test_pages_neither_repeat_nor_miss_a_game(valkey: str, steps: list[str], limit: int) -> None:
    """While others are opened, and games change their status: each game that was there at the first page comes once."""
    reader = Reader(valkey, limit)
    for step in ("create", "create", "create", "page", *steps, *["page"] * 40):
        getattr(reader, step)()
    assert reader.is_done
    assert len(reader.found) == len(set(reader.found))
    assert reader.found == sorted(reader.found, reverse=True)
    assert set(reader.found) >= {"game000", "game001", "game002"}
    assert everything(reader.games.store) == reader.opened[::-1]

"""New games are refused where too many are running that only bots play, or the store is nearly full; others go on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.commands import Act, Draw, JoinGame, Resign, SeatPlan
from service.connections.clients import Client, connect
from service.gamelog.admission import Admission
from service.gamelog.copies.forks import Fork, copy_game
from service.gamelog.log import GameLog, Outcome
from service.gamelog.store.errors import StoreFull, TooManyBotGames
from service.gamelog.store.health.memory import MemoryGauge
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, finish, finished, key_of, new_game
from tests.support.cases import cases
from tests.support.counting import CountingClient
from tests.support.stores import Server
from tests.support.waiting import patience
from tests.support.world import new_log

BOTS = (SeatPlan(bot="greedy"), SeatPlan(bot="random"))
OPEN = (SeatPlan(bot="greedy"), SeatPlan())
MOST = 5


def process(client: Client, most: int = MOST, gauge: MemoryGauge | None = None) -> GameLog:
    store = Store(client, SHARDS, patience(3))
    admission = Admission(store, most, gauge or MemoryGauge(client, 0))
    return new_log(store, admit=admission.admit)


def test_a_game_that_its_people_left_is_one_between_bots(real_client: Client) -> None:
    """It moves to their list with the append, and counts there; one whose person may come back, too."""
    games = process(real_client)
    games.create(new_game("left", (SeatPlan(name="Anna"), *BOTS)))
    own = games.store.keys("left")
    assert games.store.count_bot_games() == 0
    game = games.handle("left", Resign(seat=0)).loaded.game
    waits_in = [name for name in (own.due, own.turns, own.bots) if real_client.zscore(name, "left")]
    assert waits_in == [own.bots]
    assert games.store.count_bot_games() == 1
    for away in ("abandoned", None):
        game.seats[0].away = away
        assert game.bots_only == (away is not None)


def open_copy(games: GameLog, name: str) -> Outcome:
    """A fork for bots of a finished game, shortly before its end."""
    history = finished("parent")
    late = max(event["version"] for event in history.events if event["type"] == "TurnStarted")
    fork = Fork(game=name, parent="parent", version=late, until=late, seats=BOTS, listed=False)
    return games.open_copy(copy_game(history.entries, fork), BOTS, key_of(name))


def test_games_between_bots_are_limited_in_all(real_client: Client) -> None:
    """Counted in the store: for every process alike, after any crash, until one ends; other games are not limited."""
    for number in range(MOST - 1):
        process(real_client).create(new_game(f"bots {number}", BOTS))
    games = process(real_client)
    open_copy(games, "copy")
    for _ in range(2):
        with pytest.raises(TooManyBotGames):
            games.create(new_game("one more", BOTS))
    with pytest.raises(TooManyBotGames):
        open_copy(games, "one more copy")
    assert games.store.ids() == [*(f"bots {number}" for number in range(MOST - 1)), "copy"]
    games.create(new_game("people"))
    games.create(new_game("open", OPEN))
    games.handle("open", JoinGame(name="Anna"))
    finish(games, "copy")
    assert games.store.count_bot_games() == MOST - 1
    games.create(new_game("one more", BOTS))
    with pytest.raises(TooManyBotGames):
        games.create(new_game("and another", BOTS))
    process(real_client, 0).create(new_game("and another", BOTS))


def test_many_at_once_pass_the_limit_by_one_a_process(real_client: Client, server: Server) -> None:
    both = [process(connect(server("valkey"))) for _ in range(2)]

    def opens(number: int) -> bool:
        try:
            both[number % 2].create(new_game(f"bots {number}", BOTS))
        except TooManyBotGames:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        opened = sum(pool.map(opens, range(80)))
    assert MOST <= opened <= MOST + 1
    assert both[0].store.count_bot_games() == opened


def test_other_games_cost_no_round_trip_more(real_client: Client) -> None:
    """One trip opens a game with a named or open seat; two one that only bots play, whatever the number of shards."""
    counting = CountingClient(real_client)
    games = process(counting)
    games.create(new_game("warm"))  # the store has the script
    for name, seats, trips in (("people", 2, 1), ("open", OPEN, 1), ("bots", BOTS, 2)):
        counting.trips = 0
        games.create(new_game(name, seats))
        assert counting.trips == trips, name


def test_above_the_watermark_only_new_games_are_refused(real_client: Client) -> None:
    """Games that are there go on, with joins and repeats; below it games are opened again."""
    gauge = MemoryGauge(real_client, 1.0)
    games = process(real_client, gauge=gauge)
    games.create(new_game("open", OPEN), key_of("k", {}))
    gauge.read()  # the fraction of the machine's memory
    assert not gauge.is_full
    gauge._watermark = real_client.info("memory")["used_memory"] / 2  # in bytes
    gauge.read()
    for seats in (2, OPEN, BOTS):
        with pytest.raises(StoreFull):
            games.create(new_game("new", seats))
    assert games.create(new_game("open", OPEN), key_of("k", {})).repeated
    games.handle("open", JoinGame(name="Anna"))
    seat = games.load("open").game.turn_seat
    games.handle("open", Act(seat=seat, actions=(Draw(),)))
    assert games.store.ids() == ["open"]
    gauge._watermark = 1e12
    gauge.read()
    games.create(new_game("new"))


@pytest.mark.parametrize(("watermark", "maxmemory", "machine", "full"), cases(__file__, "the_watermark"))
def test_the_watermark(watermark: float, maxmemory: int, machine: int, full: bool) -> None:
    """Up to 1 a fraction of the store's limit, or of its machine's memory; above 1 bytes; 0: none."""

    class Client:
        def info(self, section: str) -> dict[str, int]:
            assert section == "memory"
            return {"used_memory": 80, "maxmemory": maxmemory, "total_system_memory": machine}

    gauge = MemoryGauge(Client(), watermark)
    gauge.read()
    assert gauge.is_full == full

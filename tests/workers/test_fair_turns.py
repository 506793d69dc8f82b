"""Fair turns: scoring rounds and time-outs go first, games with people before those that only bots play."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from domain.analysis import ENGINE
from domain.commands import SeatPlan
from service.bootstrap import Outside
from service.connections.clients import Client, connect_queue
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.analyses import Analysis
from service.gamelog.store.streams import Store
from service.jobs import PLAY_ORDERS, SCORE_ROUND, TIME_OUT, JobQueues
from tests.faults.served import before_scoring
from tests.gamelog.ledger import SHARDS, finish, new_game
from tests.gamelog.processes import Crash
from tests.support.stores import Server
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_services
from workers.__main__ import bind_jobs
from workers.threads import reconciler
from workers.threads.bot_player import _MOST_OF_BOTS, BotPlayer
from workers.threads.reconciler import _LEASE_MS, Reconciler

BOTS = [SeatPlan(bot="greedy"), SeatPlan(bot="random")]
MIXED = [SeatPlan(bot="greedy"), SeatPlan(name="Anna")]
FLOOD = 40
"""Bot-only games; more than the bot player claims at once."""


class Worker:
    """A worker in the test's process: its threads' rounds, and its jobs one by one, on a clock that the test moves."""

    def __init__(self, client: Client, url: str, bot_delay_s: float = 1.0) -> None:
        """`url`: of the queue's server."""
        self.now = BEGIN
        self.jobs = JobQueues(connect_queue(url))
        self.clear()
        store, outside = Store(client, SHARDS, patience(3)), Outside(clock=lambda: self.now)
        self.games = GameLog(store, Reactions(self._send, bot_delay_s), clock=outside.clock)
        self.services = new_services(self.games, outside=outside, jobs=self.jobs)
        self.functions = bind_jobs(self.services)
        self.reconciler = Reconciler(self.services)
        self.bots = BotPlayer(self.services, self.reconciler)
        self.played: list[str] = []
        """The games that the bot player has looked at."""
        self.meanwhile: Callable[[str], object] = lambda _game: None
        """What happens as it begins with a game."""
        play, self.bots._play_or_look = self.bots._play_or_look, self._play  # type: ignore[method-assign]
        self._play_really = play

    def open_games(self, name: str, number: int, seats: list[SeatPlan]) -> None:
        for index in range(number):
            self.games.create(new_game(f"{name}{index}", seats))

    def _send(self, function: str, job: str, arguments: list[str | int]) -> None:
        self.jobs.enqueue(function, arguments, job)

    def _play(self, game: str) -> None:
        self.played.append(game)
        self.meanwhile(game)
        self._play_really(game)

    def clear(self) -> None:
        """Lose all jobs."""
        for queue in (self.jobs.urgent, self.jobs.others):
            queue.empty()

    def queued(self) -> list[str]:
        return [str(job) for queue in (self.jobs.urgent, self.jobs.others) for job in queue.job_ids]

    def run_next(self) -> str:
        first = self.queued()[0]
        queue = self.jobs.urgent if first in self.jobs.urgent.job_ids else self.jobs.others
        job = queue.fetch_job(first)
        assert job is not None
        job.delete()
        self.functions[str(job.func_name)](*job.args)
        return first


@pytest.fixture
def worker(real_client: Client, server: Server) -> Worker:
    return Worker(real_client, server("valkey"))


@pytest.mark.parametrize(("function", "job"), [(SCORE_ROUND, "score-b-1"), (TIME_OUT, "time-out-b-1")])
def test_what_is_urgent_goes_first(worker: Worker, function: str, job: str) -> None:
    """Before all other jobs, and the oldest before newer ones."""
    worker.jobs.enqueue(PLAY_ORDERS, ["a"], "orders-a-7")
    worker.jobs.enqueue(function, ["b", 1], job)
    worker.jobs.enqueue(PLAY_ORDERS, ["c"], "orders-c-7")
    worker.jobs.enqueue(SCORE_ROUND, ["d"], "score-d-1")
    assert worker.queued() == [job, "score-d-1", "orders-a-7", "orders-c-7"]


def test_games_with_people_come_before_a_flood_of_bot_games(worker: Worker) -> None:
    """Those that are due at first, and one that becomes due meanwhile: it waits for the games that are claimed."""
    worker.open_games("bots", FLOOD, BOTS)
    worker.games.create(new_game("mixed", MIXED))
    worker.games.create(new_game("late", MIXED))
    store = worker.games.store
    store.client.zadd(store.keys("late").turns, {"late": worker.now + 1600})
    worker.now += 1500

    def pass_time(_game: str) -> None:
        if len(worker.played) == 3:
            worker.now += 100

    worker.meanwhile = pass_time
    assert worker.bots.run_once() == FLOOD + 2
    assert worker.played[0] == "mixed"
    assert worker.played.index("late") <= 3 + _MOST_OF_BOTS
    assert len(set(worker.played)) == FLOOD + 2


@pytest.mark.slow
def test_each_bot_game_gets_its_turn(worker: Worker) -> None:
    """Every game of a flood is played, and none at the expense of another."""
    worker.open_games("bots", FLOOD, BOTS)
    for _ in range(6):
        worker.now += 1500
        worker.bots.run_once()
        while worker.queued():
            worker.run_next()
    played = Counter(worker.played)
    assert len(played) == FLOOD
    assert max(played.values()) <= 2 * min(played.values()), played


def test_bot_games_are_not_starved(worker: Worker) -> None:
    """While games with people are always due, one game of bots is played in each round."""
    worker.open_games("bots", 3, BOTS)
    worker.games.create(new_game("mixed", MIXED))
    worker.now += 1500

    def keep_due(_game: str) -> None:
        if len(worker.played) < 6:
            worker.games.store.client.zadd(worker.games.store.keys("mixed").turns, {"mixed": 0})

    worker.meanwhile = keep_due
    worker.bots.run_once()
    assert sum(game.startswith("bots") for game in worker.played[:6]) == 3


def test_a_game_whose_turn_fails_stops_no_other(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    worker.open_games("mixed", FLOOD, MIXED)
    worker.now += 1500
    monkeypatch.setattr(worker.bots, "_play", lambda name: 1 / int(name.removeprefix("mixed")))
    assert worker.bots.run_once() == FLOOD


def test_a_worker_that_stops_ends_after_the_turn_that_it_plays(worker: Worker) -> None:
    worker.open_games("mixed", FLOOD, MIXED)
    worker.now += 1500
    worker.meanwhile = lambda _game: worker.bots.end()
    worker.bots.run_once()
    assert len(worker.played) == 1


def test_turns_of_a_crashed_worker_are_played_by_another(worker: Worker, server: Server) -> None:
    """Those that it had claimed, within four seconds."""
    worker.open_games("mixed", FLOOD, MIXED)
    worker.now += 1500

    def die(_game: str) -> None:
        raise Crash

    worker.meanwhile = die
    with pytest.raises(Crash):
        worker.bots.run_once()
    other = Worker(worker.games.store.client, server("valkey"))
    other.now = worker.now
    left = other.bots.run_once()
    assert left < FLOOD
    other.now += 3900
    assert left + other.bots.run_once() >= FLOOD
    assert {other.games.load(f"mixed{number}").game.turn for number in range(FLOOD)} == {2}


def test_a_queue_that_is_not_worked_off_does_not_grow(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while workers are suspended: the games wait in their lists."""
    monkeypatch.setattr(reconciler, "_QUEUED_AT_MOST", 3)
    for name in map(str, range(5)):
        worker.games.create(new_game(name))
        _, act = before_scoring(worker.games, name, Random(name))
        worker.games.handle(name, act)
    worker.clear()
    for _ in range(3):
        worker.now += 1500
        worker.reconciler.run_once()
        assert len(worker.queued()) == 3
    worker.clear()
    worker.now += 1500
    worker.reconciler.run_once()
    assert len(worker.queued()) == 3


def test_a_dear_bot_plays_in_time_that_nobody_else_needs(worker: Worker) -> None:
    """Its turn waits with the games of bots: a single one is played while others wait."""
    seats = [SeatPlan(bot="shark"), SeatPlan(name="Anna")]
    worker.open_games("dear", 6, seats)
    worker.now += 10
    worker.open_games("mixed", 30, MIXED)
    worker.now += 1500
    worker.bots.run_once()
    assert sum("mixed" in game for game in worker.played[:32]) == 30
    assert {game for game in worker.played if "dear" in game} == {f"dear{number}" for number in range(6)}


def test_an_analysis_waits_for_all_others(worker: Worker) -> None:
    """Its job is queued when no turn is due and no job waits, and gives way to those behind it."""
    finish(worker.games, worker.games.create(new_game("over")).head.id)
    worker.clear()
    worker.services.analyses.begin("over", None)
    worker.games.create(new_game("bots", BOTS))
    worker.now += 1500
    worker.reconciler.run_once()
    assert worker.queued() == []
    finish(worker.games, "bots")
    worker.clear()
    worker.jobs.enqueue(PLAY_ORDERS, ["over", 1], "orders-over-1")
    worker.reconciler.run_once()
    assert worker.queued() == ["orders-over-1"]
    worker.clear()
    worker.reconciler.run_once()
    (judge,) = worker.queued()
    worker.jobs.enqueue(PLAY_ORDERS, ["bots", 9], "orders-bots-9")
    worker.jobs.enqueue(SCORE_ROUND, ["bots", 1], "score-bots-1")
    assert [worker.run_next() for _ in range(3)] == ["score-bots-1", judge, "orders-bots-9"]
    assert worker.services.analyses.find("over") == Analysis(ENGINE)
    found = None
    for _ in range(20):  # slices: a turn may take several
        worker.now += _LEASE_MS
        worker.reconciler.run_once()
        worker.run_next()
        found = worker.services.analyses.find("over")
        if found is None or found.judged:
            break
    assert found is not None
    assert 0 < found.judged < found.total

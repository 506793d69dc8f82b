"""Fair turns: scoring rounds and time-outs go first, games with people before those that only bots play."""

from collections import Counter
from random import Random
from statistics import median

import pytest

from domain.analysis import ENGINE
from domain.commands import CompleteScoring, SeatPlan
from service.bootstrap import Outside
from service.connections.clients import Client, connect_queue
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.analyses import Analysis
from service.gamelog.store.streams import Store
from service.jobs import PLAY_TURN, SCORE_ROUND, TIME_OUT, enqueue, queue
from tests.faults.served import before_scoring
from tests.gamelog.ledger import SHARDS, finish, new_game
from tests.support.stores import Server
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_services
from workers.__main__ import bind_jobs
from workers.threads.reconciler import _DEAR_AT_MOST, _LEASE_MS, _QUEUED_AT_MOST, Reconciler

BOTS = [SeatPlan(bot="greedy"), SeatPlan(bot="random")]
MIXED = [SeatPlan(bot="greedy"), SeatPlan(name="Anna")]
FLOOD = 40
"""Bot-only games; more than the reconciler queues at once."""


class Worker:
    """A worker in the test's process: its reconciler, and its jobs one by one, on a clock that the test moves."""

    def __init__(self, client: Client, url: str, bot_delay_s: float) -> None:
        """`url`: of the queue's server."""
        self.now = BEGIN
        self.jobs = queue("fair", connect_queue(url))
        self.jobs.empty()
        store, outside = Store(client, SHARDS, patience(3)), Outside(clock=lambda: self.now)
        self.games = GameLog(store, Reactions(self._send, bot_delay_s), clock=outside.clock)
        self.services = new_services(self.games, outside=outside, jobs=self.jobs)
        self.reconciler = Reconciler(self.services)

    def _send(self, function: str, job: str, arguments: list[str | int]) -> None:
        enqueue(self.jobs, function, arguments, job)

    def queued(self) -> list[str]:
        return [str(job) for job in self.jobs.job_ids]

    def run_next(self) -> str:
        first = self.jobs.job_ids[0]
        job = self.jobs.fetch_job(first)
        assert job is not None
        self.jobs.remove(first)
        job.delete()
        bind_jobs(self.services)[str(job.func_name)](*job.args)
        return str(first)


@pytest.fixture
def worker(real_client: Client, server: Server) -> Worker:
    return Worker(real_client, server("valkey"), 1.0)


@pytest.mark.parametrize(("function", "job"), [(SCORE_ROUND, "score-b-1"), (TIME_OUT, "time-out-b-1")])
def test_what_is_urgent_goes_first(worker: Worker, function: str, job: str) -> None:
    """In front of every bot's turn that was queued before."""
    enqueue(worker.jobs, PLAY_TURN, ["a"], "play-a-7")
    enqueue(worker.jobs, function, ["b", 1], job)
    enqueue(worker.jobs, PLAY_TURN, ["c"], "play-c-7")
    assert worker.queued() == [job, "play-a-7", "play-c-7"]


def test_games_with_people_come_before_a_flood_of_bot_games(worker: Worker) -> None:
    """In one round; of the bots' games only as many are queued as leave the queue short."""
    for number in range(FLOOD):
        worker.games.create(new_game(f"bots{number}", BOTS))
    worker.games.create(new_game("mixed", MIXED))
    worker.now += 1500
    assert worker.reconciler.run_once() == _QUEUED_AT_MOST["bots"]
    games = [job.split("-")[1] for job in worker.queued()]
    assert games[0] == "mixed"
    assert len(games) == _QUEUED_AT_MOST["bots"]
    assert worker.reconciler.run_once() == 1  # a long queue doesn't stop them
    worker.games.create(new_game("late", MIXED))
    worker.now += 1500
    worker.reconciler.run_once()
    assert [job.split("-")[1] for job in worker.queued()].index("late") <= _QUEUED_AT_MOST["bots"] + 1


@pytest.mark.slow
def test_each_bot_game_gets_its_turn(worker: Worker) -> None:
    """While the queue is worked off, every game of a flood is played, and none at the expense of another."""
    for number in range(FLOOD):
        worker.games.create(new_game(f"bots{number}", BOTS))
    played: Counter[str] = Counter()
    for _ in range(6):
        worker.now += 1500
        worker.reconciler.run_once()
        while worker.queued():
            played[worker.run_next().split("-")[1]] += 1
    assert len(played) == FLOOD
    assert max(played.values()) <= 5 * min(played.values()), played


def test_the_scoring_pause_under_a_flood(real_client: Client, server: Server) -> None:
    """The number of jobs until a game's round is scored stays under ten times that of a quiet queue.

    The bots play at once, which is the worst case: each of the flood's games has a job in the queue.
    """
    worker = Worker(real_client, server("valkey"), 0.0)

    def pause(name: str) -> int:
        worker.games.create(new_game(name))
        _, act = before_scoring(worker.games, name, Random(name))
        worker.games.handle(name, act)
        jobs = 0
        while worker.games.load(name).game.status == "scoring":
            worker.run_next()
            jobs += 1
        return jobs

    quiet = median(pause(f"quiet{number}") for number in range(3))
    for number in range(FLOOD):
        worker.games.create(new_game(f"bots{number}", BOTS))
    assert len(worker.queued()) == FLOOD
    flooded = [pause(f"flooded{number}") for number in range(3)]
    assert max(flooded) < 10 * quiet, (quiet, flooded)


def test_bot_only_games_have_a_list_of_their_own(worker: Worker) -> None:
    """A bot-only game is one without a named or open seat; the list holds it exactly while it is running."""
    store, games = worker.games.store, worker.games

    def listed(kind: str) -> set[str]:
        keys = store.shard_keys(kind)
        return {game.decode() for key in keys for game in store.client.zrange(key, 0, -1)}

    for name, seats in {"bots": BOTS, "mixed": MIXED, "open": [BOTS[0], SeatPlan()]}.items():
        games.create(new_game(name, seats))
    assert (listed("bots"), listed("turns"), listed("due")) == ({"bots"}, {"mixed"}, set())
    while not (game := games.load("bots").game).over:
        assert listed("bots") == {"bots"}
        if game.scoring is not None:
            games.handle("bots", CompleteScoring(round=game.scoring))
        else:
            bind_jobs(worker.services)[PLAY_TURN]("bots")
    assert (listed("bots"), listed("turns"), listed("due")) == (set(), {"mixed"}, set())


def test_a_dear_bot_plays_in_time_that_nobody_else_needs(worker: Worker) -> None:
    """Its turn waits with the games of bots, behind those of other bots; then it is played."""
    seats = [SeatPlan(bot="shark"), SeatPlan(name="Anna")]
    for number in range(_QUEUED_AT_MOST["bots"]):
        worker.games.create(new_game(f"dear{number}", seats))
    worker.now += 10
    for number in range(30):
        worker.games.create(new_game(f"mixed{number}", MIXED))
    worker.now += 1500
    worker.reconciler.run_once()
    queued = [job.split("-")[1] for job in worker.queued()]
    assert {*queued[:30]} == {f"mixed{number}" for number in range(30)}
    assert len(queued) == 30
    for _ in range(2):
        while worker.queued():
            worker.run_next()
        worker.now += 5000
        worker.reconciler.run_once()
        assert ["dear" in job for job in worker.queued()] == [True] * _DEAR_AT_MOST


def test_an_analysis_waits_for_all_others(worker: Worker) -> None:
    """Its job is queued when no other is, and gives way to those behind it: they wait for one slice at most."""
    finish(worker.games, worker.games.create(new_game("over")).head.id)
    worker.jobs.empty()
    worker.services.analyses.begin("over", None)
    worker.games.create(new_game("bots", BOTS))
    worker.now += 1500
    worker.reconciler.run_once()
    assert [job.split("-")[0] for job in worker.queued()] == ["play"]
    finish(worker.games, "bots")
    worker.jobs.empty()
    worker.reconciler.run_once()
    assert worker.queued() == ["judge-over"]
    enqueue(worker.jobs, PLAY_TURN, ["bots"], "play-bots-9")
    enqueue(worker.jobs, SCORE_ROUND, ["bots", 1], "score-bots-1")
    assert [worker.run_next() for _ in range(3)] == ["score-bots-1", "judge-over", "play-bots-9"]
    assert worker.services.analyses.find("over") == Analysis(ENGINE)
    worker.now += _LEASE_MS
    worker.reconciler.run_once()
    worker.run_next()
    found = worker.services.analyses.find("over")
    assert found is not None
    assert 0 < found.judged < found.total

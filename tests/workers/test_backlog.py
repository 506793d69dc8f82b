"""A backlog of bots' turns: what is due for a person keeps its time, and a round's work doesn't grow."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from domain.bots import choose_actions
from domain.clock.pace import Pace
from domain.commands import Act, SeatPlan
from service.connections.clients import Client
from service.gamelog.store.health.heartbeat import find_alive
from service.jobs import PLAY_TURN
from tests.faults.served import before_scoring
from tests.gamelog.ledger import check_log, new_game
from tests.support.stores import Server
from tests.support.world import new_log
from tests.workers.test_fair_turns import BOTS, MIXED, Worker
from workers.__main__ import bind_jobs
from workers.counts import Counts
from workers.threads.reconciler import _LEASE_MS, _LEASE_OF_A_JOB_MS, _QUEUED_AT_MOST
from workers.threads.reporter import Reporter

BACKLOG = 5000
REAL = 300
"""The games that have waited for longest exist; whatever looks at more than these finds games that don't."""
ROUND_MS = 250
PLACE = 14
"""Store commands for a game that is due: its claim, its read and its job's."""


@pytest.fixture
def worker(real_client: Client, server: Server) -> Worker:
    return Worker(real_client, server("valkey"), 1.0)


def put_backlog(worker: Worker, count: int = BACKLOG) -> None:
    """So many games whose bot is due, REAL of them for longest."""
    for number in range(REAL):
        worker.games.create(new_game(f"real{number}", MIXED))
    store = worker.games.store
    with store.client.pipeline(transaction=False) as later:
        for name in (f"later{number}" for number in range(REAL, count)):
            later.zadd(store.keys(name).turns, {name: worker.now + 1100})
        later.execute()
    worker.now += 1200


def commands(worker: Worker) -> Counter[str]:
    stats = worker.games.store.client.info("commandstats")
    return Counter({name: given["calls"] for name, given in stats.items() if name != "cmdstat_info"})


def cost_of_round(worker: Worker) -> tuple[int, int]:
    """The number of games and of store commands of the reconciler's next round."""
    before = commands(worker)
    games = worker.reconciler.run_once()
    return games, (commands(worker) - before).total()


def pause_for_scoring(worker: Worker, name: str) -> None:
    """A game of people whose round is to be scored, and whose job is lost."""
    worker.games.create(new_game(name))
    _, act = before_scoring(worker.games, name, Random(name))
    worker.games.handle(name, act)
    worker.jobs.empty()


def test_what_is_due_for_people_is_queued_in_the_next_round(worker: Worker) -> None:
    """A deadline and a lost scoring round, behind 5,000 turns of bots; their jobs are at the queue's front."""
    worker.games.create(replace(new_game("paced"), pace=Pace(turn_seconds=60)))
    worker.now += 60_000 - 1200 - 3 * ROUND_MS
    pause_for_scoring(worker, "scored")
    put_backlog(worker)
    for _ in range(2):
        worker.reconciler.run_once()
        worker.now += ROUND_MS
    assert "score-scored-1" in worker.queued()[:2]
    worker.now += ROUND_MS
    worker.reconciler.run_once()
    assert worker.queued()[0] == "time-out-paced-1"
    assert worker.run_next() == "time-out-paced-1"
    assert worker.games.load("paced").game.timed_out


def test_a_lost_scoring_round_is_queued_again_at_once(worker: Worker) -> None:
    """After the same lease as without a backlog, however often its job is lost."""
    put_backlog(worker)
    pause_for_scoring(worker, "scored")
    worker.now += 1000
    for _ in range(3):
        worker.reconciler.run_once()
        assert worker.queued()[0] == "score-scored-1"
        worker.jobs.remove("score-scored-1")
        worker.jobs.connection.delete("rq:job:score-scored-1")
        worker.now += _LEASE_MS
    worker.reconciler.run_once()
    worker.run_next()
    assert len(worker.games.load("scored").game.rounds) == 1


def test_a_round_costs_the_same_whatever_waits(worker: Worker) -> None:
    """A round queues as many turns as the queue has room for; the next rounds look at one game each."""
    most = _QUEUED_AT_MOST["turns"]
    put_backlog(worker)
    games, cost = cost_of_round(worker)
    assert games == len(worker.queued()) == most
    assert cost < PLACE * most
    for _ in range(3 * _LEASE_MS // ROUND_MS):
        worker.now += ROUND_MS
        games, cost = cost_of_round(worker)
        assert games == 1
        assert cost < 2 * PLACE + 5 * worker.games.store.shards
    queued = worker.queued()
    assert len(queued) == len(set(queued)) == most + 3 * _LEASE_MS // ROUND_MS
    assert all("later" not in job for job in queued)


def test_the_oldest_turns_come_first(worker: Worker) -> None:
    """The backlog is worked off in the order in which it began; games that only bots play come after it."""
    turns = _QUEUED_AT_MOST["turns"]
    count = turns + turns // 2
    for number in range(turns // 2):
        worker.games.create(new_game(f"bots{number}", BOTS))
    for number in range(count):
        worker.now += 10
        worker.games.create(new_game(f"{number:04}", MIXED))
    worker.now += 1200
    played = []
    while len(played) < count:
        worker.reconciler.run_once()
        played += [worker.run_next().split("-")[1] for _ in range(min(turns // 2, len(worker.queued())))]
        worker.now += ROUND_MS
    ahead = [name for name in played if not name.startswith("bots")]
    assert len(ahead) >= count - 5, "one bot-only game a round"
    late = [place - int(name) for place, name in enumerate(ahead)]
    assert max(late) < turns, "no game waits longer than one more queue takes"


def test_lost_turns_are_found_again(worker: Worker) -> None:
    """All jobs of a full queue are lost: each game has one again when its lease has ended."""
    most = _QUEUED_AT_MOST["turns"]
    for number in range(most):
        worker.games.create(new_game(f"real{number}", [SeatPlan(bot="greedy"), SeatPlan(name="Anna")]))
    worker.now += 1200
    assert worker.reconciler.run_once() == most
    worker.jobs.empty()
    worker.now += _LEASE_MS + _LEASE_OF_A_JOB_MS * most
    assert worker.reconciler.run_once() == most
    assert len(set(worker.queued())) == most


def test_the_heartbeat_comes_from_a_thread_of_its_own(worker: Worker) -> None:
    """The reporter sends it, so a long round of the reconciler doesn't delay it; none is sent at the worker's end."""
    put_backlog(worker, REAL)
    worker.reconciler.run_once()
    store = worker.games.store
    assert find_alive(store) == (False, False, False)
    reporter = Reporter(worker.services, Counts())
    reporter.run_once()
    assert find_alive(store) == (True, False, False)
    store.client.delete("reibach:worker")
    Reporter(worker.services, Counts(), is_worker=False).run_once()
    reporter._stop.set()
    reporter.run_once()
    assert find_alive(store) == (False, False, False)


def test_a_turn_that_its_worker_left_half_played_is_finished(worker: Worker) -> None:
    """A worker dies between two appends of a bot that remembers; the next one continues there, on what it knew."""
    worker.games.create(new_game("half", [SeatPlan(bot="shark"), SeatPlan(name="Anna")]))
    worker.services.games.load("half")
    dead = new_log(worker.games.store, clock=lambda: worker.now)
    game = dead.load("half").game
    known = dead.load_events("half", 0)[1]
    dead.handle("half", Act(seat=0, actions=choose_actions("shark", game, Random(1), lambda: known), by_bot=True))
    assert dead.load("half").game.turn == 1
    worker.jobs.empty()
    worker.now += 1000
    bind_jobs(worker.services)[PLAY_TURN]("half", 1)
    assert worker.games.load("half").game.turn == 2
    assert check_log(dead.store, "half").turn == 2

"""A backlog of bots' turns: what is due for a person keeps its time, and a round's work doesn't grow."""

from dataclasses import replace
from random import Random

import pytest

from domain.bots import choose_actions
from domain.clock.pace import Pace
from domain.commands import Act, SeatPlan
from service.connections.clients import Client
from service.gamelog.store.health.heartbeat import find_alive
from tests.faults.served import before_scoring
from tests.gamelog.ledger import check_log, new_game
from tests.support.stores import Server
from tests.support.world import new_log
from tests.workers.test_fair_turns import MIXED, Worker
from workers.bots import play_turn
from workers.counts import Counts
from workers.threads.bot_player import _MOST_TURNS
from workers.threads.reconciler import _LEASE_MS
from workers.threads.reporter import Reporter

BACKLOG = 5000
REAL = 300
"""The games that have waited for longest exist; whatever looks at more than these finds games that don't."""
ROUND_MS = 250


@pytest.fixture
def worker(real_client: Client, server: Server) -> Worker:
    return Worker(real_client, server("valkey"))


def put_backlog(worker: Worker, count: int = BACKLOG) -> None:
    """So many games whose bot is due, REAL of them for longest."""
    worker.open_games("real", REAL, MIXED)
    store = worker.games.store
    with store.client.pipeline(transaction=False) as later:
        for name in (f"later{number}" for number in range(REAL, count)):
            later.zadd(store.keys(name).turns, {name: worker.now + 1100})
        later.execute()
    worker.now += 1200


def pause_for_scoring(worker: Worker, name: str) -> None:
    """A game of people whose round is to be scored, and whose job is lost."""
    worker.games.create(new_game(name))
    _, act = before_scoring(worker.games, name, Random(name))
    worker.games.handle(name, act)
    worker.clear()


def test_what_is_due_for_people_is_queued_in_the_next_round(worker: Worker) -> None:
    """A deadline and a lost scoring round, behind 5,000 turns of bots."""
    worker.games.create(replace(new_game("paced"), pace=Pace(turn_seconds=60)))
    worker.now += 60_000 - 1200 - 3 * ROUND_MS
    pause_for_scoring(worker, "scored")
    put_backlog(worker)
    for _ in range(2):
        worker.reconciler.run_once()
        worker.now += ROUND_MS
    assert worker.queued() == ["score-scored-1"]
    worker.now += ROUND_MS
    worker.reconciler.run_once()
    assert worker.queued() == ["score-scored-1", "time-out-paced-1"]
    assert [worker.run_next() for _ in range(2)] == ["score-scored-1", "time-out-paced-1"]
    assert worker.games.load("paced").game.timed_out


def test_a_lost_scoring_round_is_queued_again_at_once(worker: Worker) -> None:
    """After the same lease as without a backlog, however often its job is lost."""
    put_backlog(worker)
    pause_for_scoring(worker, "scored")
    worker.now += 1000
    for _ in range(3):
        worker.reconciler.run_once()
        assert worker.queued() == ["score-scored-1"]
        worker.clear()
        worker.now += _LEASE_MS
    worker.reconciler.run_once()
    worker.run_next()
    assert len(worker.games.load("scored").game.rounds) == 1


def test_the_oldest_turns_come_first(worker: Worker) -> None:
    """The backlog is worked off in the order in which it began, but for what is claimed at a time."""
    for number in range(REAL // 3):
        worker.now += 10
        worker.games.create(new_game(f"{number:04}", MIXED))
    worker.now += 1200
    worker.bots.run_once()
    late = [place - int(name) for place, name in enumerate(worker.played)]
    assert len(late) == REAL // 3
    assert max(late) < _MOST_TURNS


def test_the_heartbeat_comes_from_a_thread_of_its_own(worker: Worker) -> None:
    """The reporter sends it, so a long round doesn't delay it; none is sent at the worker's end. Post has its own."""
    put_backlog(worker, REAL)
    worker.bots.run_once()
    store = worker.games.store
    assert find_alive(store) == (False, False, False)
    reporter = Reporter(worker.services, Counts())
    reporter.run_once()
    assert find_alive(store) == (True, False, False)
    store.client.delete("reibach:worker")
    Reporter(worker.services, Counts(), is_worker=False).run_once()
    reporter._stop.set()
    reporter.run_once()
    assert find_alive(store) == (False, True, False)


def test_a_turn_that_its_worker_left_half_played_is_finished(worker: Worker) -> None:
    """A worker dies between two appends of a bot that remembers; the next one continues there, on what it knew."""
    worker.games.create(new_game("half", [SeatPlan(bot="shark"), SeatPlan(name="Anna")]))
    worker.services.games.load("half")
    dead = new_log(worker.games.store, clock=lambda: worker.now)
    game = dead.load("half").game
    known = dead.load_events("half", 0)[1]
    dead.handle("half", Act(seat=0, actions=choose_actions("shark", game, Random(1), lambda: known), by_bot=True))
    assert dead.load("half").game.turn == 1
    worker.now += 1000
    play_turn(worker.services, "half")
    assert worker.games.load("half").game.turn == 2
    assert check_log(dead.store, "half").turn == 2

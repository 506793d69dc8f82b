"""Concurrent requests on one game, through processes with caches of their own; and the due list."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import eq
from random import Random
from threading import Barrier
from typing import Any

import pytest
from structlog.testing import capture_logs

from domain.commands import Act, CompleteScoring
from domain.legality import legal_actions
from domain.refusals import Refused
from service.connections.clients import Client
from service.gamelog.log import GameLog, Outcome
from service.gamelog.store.errors import KeyReused, StaleVersion
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import any_act, check_log, key_of, new_game, open_games, play
from tests.support.world import Jobs, new_log, new_services
from workers.threads import reconciler
from workers.threads.reconciler import Reconciler


def at_once(logs: list[GameLog], **request: Any) -> list[Any]:
    """The outcomes or refusals of the same request on each log, begun at the same time."""
    barrier = Barrier(len(logs))

    def send(log: GameLog) -> Outcome | Exception:
        barrier.wait()
        try:
            return log.handle("g", **request)
        except (Refused, StaleVersion, KeyReused) as refusal:
            return refusal

    with ThreadPoolExecutor(len(logs)) as pool:
        return list(pool.map(send, logs))


def test_one_of_many_rivals_wins(real_client: Client) -> None:
    """Of ten requests for one version, through two processes with caches of their own, exactly one is applied."""
    logs = [open_games(real_client), open_games(real_client)]
    logs[0].create(new_game("g"))
    for _ in range(10):
        now = logs[0].load("g").game
        logs[1].load("g")
        act = Act(seat=now.turn_seat, actions=(next(legal_actions(now, now.turn_seat)),))
        results = at_once(logs * 5, command=act, matches=partial(eq, now.version))
        assert sum(isinstance(one, StaleVersion) for one in results) == 9
    state = check_log(logs[0].store, "g")
    assert len(real_client.xrange(logs[0].store.stream("g"))) == 11
    assert all(log.load("g").game == state for log in logs)


def test_ten_copies_of_a_request_are_one(real_client: Client) -> None:
    """Ten copies with one key, through two processes, are applied once and answered alike."""
    logs = [open_games(real_client), open_games(real_client)]
    logs[0].create(new_game("g"))
    for number in range(5):
        act, key = any_act(logs[0].load("g").game, Random(number)), key_of(f"k{number}")
        outcomes = at_once(logs * 5, command=act, key=key)
        assert sorted(outcome.repeated for outcome in outcomes) == [False] + [True] * 9
        assert all(outcome.events == outcomes[0].events for outcome in outcomes)
    check_log(logs[0].store, "g")


def test_ten_jobs_score_a_round_once(real_client: Client) -> None:
    logs = [open_games(real_client) for _ in range(10)]
    logs[0].create(new_game("g"))
    for number in (1, 2, 3):
        play(logs[0], "g", Random(number), lambda _: False)
        outcomes = at_once(logs, command=CompleteScoring(round=number))
        assert sorted(bool(outcome.events) for outcome in outcomes) == [False] * 9 + [True]
    assert check_log(logs[0].store, "g").over


def test_an_unreadable_game_holds_up_no_other(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game with a corrupt log that is due doesn't stop the reconciler from handling later ones.

    It is logged once, though it is looked at again and again.
    """
    monkeypatch.setattr(reconciler, "logger", reconciler.structlog.get_logger("workers.threads.reconciler"))
    jobs: Jobs = []
    store = Store(client, 1)
    games = new_log(store, jobs=jobs, clock=lambda: 0)
    games.create(new_game("b"))
    play(games, "b", Random(1), lambda _: False)
    jobs.clear()
    client.xadd(store.stream("a"), {"foreign": "entry"}, id="1-1")
    client.zadd(f"{store.tag('a')}:due", {"a": 0, "nowhere": 0})
    task = Reconciler(new_services(games))
    with capture_logs() as lines:
        assert task.run_once() == 3
        assert [arguments for _, arguments in jobs] == [["b", 1]]
        for _ in range(3):
            client.zadd(f"{store.tag('a')}:due", {"a": 0})
            assert task.run_once() == 1
    assert [line["game"] for line in lines if line["event"] == "a due game can't be read"] == ["a"]

"""Lists of what waits for workers are deleted, R21, and their rebuild is cancelled, R22."""

import time
from dataclasses import replace
from itertools import chain
from math import inf

import redis

from domain.clock.pace import Pace
from domain.commands import SeatPlan
from service.gamelog.store.keys import KeyNames
from service.gamelog.waiting_lists import KINDS, WHOLE
from tests.bench.fault_report.scene import Run, Scene, end, store_version
from tests.gamelog.ledger import new_game
from tests.support.waiting import wait_until

BACK = 20.0
"""Seconds within which each game goes on, from the end of a worker that is started again."""
AGAIN = 30.0
"""The same where the worker that rebuilds is killed, too."""
BOTS = (SeatPlan(name="a", bot="greedy"), SeatPlan(name="b", bot="greedy"))
_KEYS = {kind: KeyNames(16).shard_keys(kind) for kind in KINDS}
_ALL = [*chain(*_KEYS.values())]


def delete(run: Run) -> None:
    """R21: all lists are deleted under load, with all jobs, so that nothing but a rebuild can make games go on."""
    times, downs = run.size(3, 30), list[float]()
    with run.serve(REIBACH_WORKER_PROCESSES="2") as scene, scene.load(8) as load, scene.client() as client:
        run.outcome.store = store_version(client)
        wait_until(lambda: _are_whole(client), 30)
        bots = [_open_bots(scene) for _ in range(4)]
        for _ in range(times):
            load.wait_for(60)
            began = time.monotonic()
            client.delete(*_ALL, *client.scan_iter("rq:queue:reibach*", 1000), *client.scan_iter("rq:job:*", 1000))
            end(scene.part("worker"))  # the one that is started in its place looks at the lists
            wait_until(lambda: _are_whole(client), 60, poll=0.05)
            load.wait_for_all(time.monotonic())
            downs.append(time.monotonic() - began)
        load.stop()
        wait_until(lambda: not sum(client.zcount(key, 0, f"({inf}") for kind in KINDS[:3] for key in _KEYS[kind]), 120)
        games = scene.service.games()
        stuck = [game for game in (*load.games, *bots) if games.load(game).game.scoring is not None]
        run.need(not stuck, f"{len(stuck)} rounds are not scored")
        run.need(all(games.load(game).game.over for game in bots), "a game of bots has not come to its end")
        run.need(scene.get("/readyz")[0] == 200, "the service isn't ready afterwards")
        scene.judge(load)
    run.outcome.recovery = max(downs)
    run.outcome.how = (
        f"all lists of waiting games and all jobs deleted {times} times, 8 clients, one of two workers killed"
    )
    run.need_within("all clients went on after", max(downs), BACK)


def cancel(run: Run) -> None:
    """R22: the worker that rebuilds the lists is killed at any moment; the next one does it again."""
    times, waiting, chance = run.size(3, 100), 800, run.chance
    backs, cancelled = list[float](), 0
    with run.serve() as scene, scene.load(4) as load, scene.client() as client:
        run.outcome.store = store_version(client)
        games = scene.service.games()
        names = [f"paced-{number}" for number in range(waiting)]
        for name in names:
            games.create(replace(new_game(name), pace=Pace(turn_seconds=30 * 86400)))
        wait_until(lambda: _are_whole(client), 30)
        before = _times_of(client, names)
        run.need(None not in before, "a game with a deadline is in no list")
        for _ in range(times):
            client.delete(*_ALL)
            end(scene.part("worker"))
            wait_until(lambda: _is_taken(client), 60, poll=0.005)
            time.sleep(chance.random())  # no waiting for a condition: the moment of the fault
            began = end(scene.part("worker"))
            cancelled += not _are_whole(client)
            wait_until(lambda: _are_whole(client), 60, poll=0.05)
            backs.append(time.monotonic() - began)
            run.need(_times_of(client, names) == before, "a game is missing from its list, or waits for another time")
            load.wait_for_all(time.monotonic())
        scene.judge(load)
    run.need(cancelled, "no rebuild was cancelled")
    run.outcome.recovery = max(backs)
    run.outcome.how = f"SIGKILL of the worker {times} times within a second of a rebuild of {waiting} games, 4 clients"
    run.outcome.notes.append(f"{cancelled} of {times} rebuilds were cancelled")
    run.need_within("the lists were whole after", max(backs), AGAIN)


def _open_bots(scene: Scene) -> str:
    game = scene.service.games().create(new_game(f"bots-{scene.run.chance.getrandbits(60):x}", BOTS)).head
    return game.id


def _are_whole(client: redis.Redis) -> bool:
    pipeline = client.pipeline(transaction=False)
    for key in _ALL:
        pipeline.zscore(key, WHOLE)
    return None not in pipeline.execute()


def _is_taken(client: redis.Redis) -> bool:
    return any(mark != WHOLE.encode() for key in _KEYS["due"] for mark in client.zrangebyscore(key, inf, inf))


def _times_of(client: redis.Redis, names: list[str]) -> list[float | None]:
    pipeline = client.pipeline(transaction=False)
    for name in names:
        pipeline.zscore(KeyNames(16).keys(name).due, name)
    return list(pipeline.execute())

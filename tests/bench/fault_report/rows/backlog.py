"""What workers find in their queue and lists: poison, R19, and ten thousand rounds at once, R20."""

import os
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

import redis

from service.connections.clients import connect_queue
from service.jobs import SCORE_ROUND, JobQueues
from service.runtime.embedded import EmbeddedStore
from tests.bench.fault_report.scene import Run, Scene, ask, export, store_on, store_version
from tests.bench.fault_report.verifier import longest_pause, read_logs, verify
from tests.bench.games import Plan, filling, random_plans
from tests.oracle.terms import Event
from tests.support.waiting import patience, wait_until

POISON: Final = (b"\xff\xfe", b"no-such-job", b"", b"score-none-1", b"x" * 5000)
BURST: Final = 60.0
"""Seconds within which all rounds must be scored."""
PER_ROUND: Final = BURST * 4 / 10_000
"""Seconds that a worker with a processor of its own may take for a round: four score 10,000 within that time."""


def poison(run: Run) -> None:
    """R19: jobs and due games that no worker can do anything with; a game with an event that no release knows."""
    rounds = run.size(3, 100)
    with run.serve(REIBACH_WORKER_PROCESSES="2") as scene, scene.load(8) as load, scene.client() as client:
        run.outcome.store = store_version(client)
        jobs = JobQueues(connect_queue(EmbeddedStore(scene.data).url))
        load.wait_for(40)
        sick = _sicken(scene, client)
        for number in range(rounds):
            client.rpush(jobs.urgent.key, *POISON)
            jobs.enqueue("os.system", ["true"], f"poison-{number}")
            jobs.enqueue(SCORE_ROUND, ["\u2028", -1], f"poison-arguments-{number}")
            for shard in range(16):
                for kind in ("due", "turns", "bots"):
                    client.zadd(f"{{s{shard:02}}}:{kind}", {b"\xff": 1, "nobody": 1, "no.job": 1, sick[0]: 1})
            load.wait_for(60)
        status, _ = scene.get(f"/v1/games/{sick[0]}")
        run.need(status == 503, f"a game with an unknown event was answered {status}, not 503")
        client.xdel(*sick[1:])
        run.need(scene.get(f"/v1/games/{sick[0]}")[0] == 200, "a game without its unknown event is still refused")
        wait_until(lambda: jobs.count < 10, 60)
        run.need(scene.get("/readyz")[0] == 200, "the service isn't ready afterwards")
        scene.judge(load)
    longest = max(longest_pause(log) for log in read_logs(run.folder / "exports").values())
    run.need(longest < patience(10), f"a round waited {longest:.1f} s")
    run.outcome.how = (
        f"{rounds} x {2 + len(POISON)} poisoned jobs, entries of no game in all due lists, an unknown event"
    )


def _sicken(scene: Scene, client: redis.Redis) -> tuple[str, str, bytes]:
    """A game whose log goes on with an event that no release knows: its id, the stream's key, and the entry's id."""
    _, content = ask(scene.url, "POST", "/v1/games", {"seats": [{"name": "Anna"}, {"name": "Bert"}]})
    game = content["game"]["id"]
    [stream] = [key.decode() for key in client.scan_iter(f"*:game:{game}", 1000)]
    [(_, fields)] = client.xrevrange(stream, count=1)
    name = f"{content['game']['version'] + 1}-1"
    client.xadd(stream, {**fields, b"e": b'["unheard@9",1]'}, id=name)
    return game, stream, name.encode()


def burst(run: Run) -> None:
    """R20: many games reach a scoring round at the same moment."""
    count, workers, chance = run.size(400, 10_000), 2, run.chance
    plans = list(islice(random_plans(chance, lambda plan: plan.scoring_actions[0] < 60), 40))
    settings = {"REIBACH_WORKER_PROCESSES": str(workers), "REIBACH_ARCHIVE": "off"}
    with run.serve(**settings) as scene, scene.client() as client:
        run.outcome.store = store_version(client)
        began = _fill(scene.data, plans, count, chance)
        begun = time.monotonic()
        wait_until(lambda: not sum(client.zcard(f"{{s{shard:02}}}:due") for shard in range(16)), 600)
        ended = time.monotonic()
    logs = _logs_of(run, scene.data)
    findings = verify([], logs)
    run.outcome.faults += findings.faults()
    rounds = [sum(event["type"] == "RoundScored" for event in log) for log in logs.values()]
    run.need(rounds == [1] * count, f"{len(rounds)} games, rounds: {sorted(set(rounds))}")
    pause = max(longest_pause(log) for log in logs.values())
    run.need_within("the last round waited", pause, BURST)
    taken = (ended - began) * min(workers, os.cpu_count() or 1) / count
    run.need_within(f"{1 / taken:.0f} rounds a second by each worker, each of", taken, PER_ROUND)
    run.outcome.recovery, run.outcome.acknowledged = pause, count
    run.outcome.how = f"{count:,} games brought to a scoring round within {begun - began:.1f} s, {workers} workers"
    run.outcome.notes.append(
        f"all scored {ended - begun:.1f} s after the last one began; a worker's limit is that of 10,000 games in"
        f" {BURST:.0f} s on 4 processors, here beside the web processes and the store"
    )


def _fill(data: Path, plans: list[Plan], count: int, chance: Random) -> float:
    """Bring games with ids of their own to their first scoring round; when the first of them got there."""
    games = [(f"{chance.getrandbits(100):025x}", plans[number % len(plans)]) for number in range(count)]
    with filling(EmbeddedStore(data).url) as log:
        for game, plan in games:
            log.create(replace(plan.create, game=game))
            for command in plan.commands[: plan.actions[plan.scoring_actions[0] - 1]]:
                log.handle(game, command)
    with filling(EmbeddedStore(data).url) as log:
        began = time.monotonic()
        for game, plan in games:
            log.handle(game, plan.action(plan.scoring_actions[0]))
    return began


def _logs_of(run: Run, data: Path) -> dict[str, list[Event]]:
    with store_on(data):
        return read_logs(export(run, {"REIBACH_REDIS_URL": EmbeddedStore(data).url}))

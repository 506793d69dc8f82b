"""Processes die in every gap between two side effects, and jobs and requests come more than once: R7 to R11."""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TextIO

import httpx

from domain.decide import decide
from domain.events import ScoringStarted
from domain.orders.wishes import json_of
from service.connections.clients import connect_queue
from service.gamelog.log import GAPS
from service.jobs import SCORE_ROUND, JobQueues
from service.runtime.embedded import EmbeddedStore
from tests.bench.fault_report.crowd import run_together
from tests.bench.fault_report.gap_entry import WORKER_GAPS
from tests.bench.fault_report.load import Connection, Load
from tests.bench.fault_report.scene import Run, Scene, store_version
from tests.bench.fault_report.verifier import ack_of, line_of, longest_pause, read_logs
from tests.bench.games import filling, random_plans
from tests.gamelog.ledger import any_act
from tests.support.waiting import patience, wait_until

PAUSE = 10.0
"""Seconds that a scoring round may take, whichever process has died."""
QUEUED_AGAIN = 5.0
"""Seconds that it may take where the call alone is missing: the reconciler makes it."""
_ENDED = re.compile(r'^reibach_jobs_total\{function="score_round",outcome="(\w+)"\} (\S+)', re.MULTILINE)


def before_call(run: Run) -> None:
    """R7: the web process dies between an append that begins a scoring round, and the call of a worker."""
    deaths, markers = run.size(3, 500), run.folder / "markers"
    markers.mkdir()
    marker, downs = markers / f"web {GAPS[1]}", list[float]()
    with fragile(run, markers) as scene:
        run.outcome.store = store_version(scene.client())
        load = scene.load(0)
        with load, (load.journals / "0.journal").open("w", encoding="utf-8") as journal:
            downs += [_die_before_call(scene, load, journal, marker, number) for number in range(deaths)]
            journal.flush()
            scene.judge(load)
    run.outcome.recovery = max(downs)
    rounds = [event["type"] for log in read_logs(run.folder / "exports").values() for event in log]
    run.need(rounds.count("RoundScored") == deaths, f"{rounds.count('RoundScored')} of {deaths} rounds were scored")
    _need_quick_rounds(run, QUEUED_AGAIN)
    run.outcome.how = f"{deaths} deaths of a web process in a request that begins a scoring round: {GAPS[1]}"


def _die_before_call(scene: Scene, load: Load, journal: TextIO, marker: Path, number: int) -> float:
    """Play a game to its first scoring round, whose request kills its process; seconds until the retry's answer."""
    games, chance = scene.service.games(), Random(f"{scene.run.seed} {number}")
    http, key = Connection(load.urls, load.counts), f"creation-{number}".ljust(24, ".")
    body = {"seats": [{"name": "Anna"}, {"name": "Bert"}]}
    content = http.settle("POST", "/v1/games", None, body, {"Idempotency-Key": key}).content
    game, tokens = content["game"]["id"], [seat["token"] for seat in content["seats"]]
    load.games[game] = False
    journal.write(line_of(ack_of(game, key, content)))
    while True:
        now = games.load(game).game
        act = any_act(now, chance)
        is_last = any(isinstance(event, ScoringStarted) for event in decide(act, now).events)
        if is_last:
            marker.touch()
        began, key = time.monotonic(), f"at-{now.version}"
        path, action = f"/v1/games/{game}/actions", json_of(act.actions[0])
        answer = http.settle("POST", path, tokens[act.seat], action, {"Idempotency-Key": key})
        assert answer.status == 201, answer.text
        journal.write(line_of(ack_of(game, key, answer.content)))
        if is_last:
            marker.with_name(f"{marker.name}.hit").unlink()
            http.close()
            wait_until(lambda: games.load(game).game.scoring is None, PAUSE)
            return time.monotonic() - began


def before_answer(run: Run) -> None:
    """R8: the web process dies after its append; the client's retry gets the first answer."""
    die_in_gaps(run, "web", GAPS, run.size(6, 500))


def in_job(run: Run) -> None:
    """R9: the worker dies before, in and after the append of a job."""
    die_in_gaps(run, "worker", [*GAPS, *WORKER_GAPS[:2]], run.size(6, 500))


def die_in_gaps(run: Run, role: str, gaps: Sequence[str], deaths: int) -> None:
    """So many deaths in these gaps, under load."""
    markers = run.folder / "markers"
    markers.mkdir()
    with fragile(run, markers) as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        downs = []
        for number in range(deaths):
            marker = markers / f"{role} {gaps[number % len(gaps)]}"
            hit = marker.with_name(f"{marker.name}.hit")
            marker.touch()
            wait_until(lambda hit=hit: hit.exists() or load.errors or load.unexpected, 60)
            downs.append(load.wait_for_recovery(time.monotonic()))
            hit.unlink(missing_ok=True)
            load.wait_for(8)
        scene.judge(load)
    run.outcome.recovery = max(downs)
    _need_quick_rounds(run, PAUSE)
    run.outcome.how = f"{deaths} deaths of a {role} process: {'; '.join(gaps)}"


def _need_quick_rounds(run: Run, limit: float) -> None:
    longest = max((longest_pause(log) for log in read_logs(run.folder / "exports").values()), default=0)
    run.need_within("the longest wait for a scoring round", longest, limit)


def fragile(run: Run, markers: Path) -> Scene:
    """A service whose processes die where files in `markers` say."""
    argv = [sys.executable, "-m", "tests.bench.fault_report.gap_entry", str(markers), "serve"]
    return run.serve(argv=argv, REIBACH_WORKER_PROCESSES="2")


def same_job(run: Run) -> None:
    """R10: each scoring job comes ten times, and ten times more in play, under other names and by ten workers."""
    copies, workers, actions, count = 10, 10, run.size(400, 20_000), run.size(30, 1000)
    with run.serve(REIBACH_WORKER_PROCESSES=str(workers)) as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        jobs = JobQueues(connect_queue(EmbeddedStore(scene.data).url))
        games = _score_at_once(scene, jobs, count, copies)
        aim, sent = len(load.times) + actions, count * copies
        while len(load.times) < aim and not load.errors:
            load.wait_for(20)
            for game in [game for game, is_over in list(load.games.items()) if not is_over]:
                for copy in range(copies):
                    sent += 1
                    jobs.enqueue(SCORE_ROUND, [game, 1 + copy % 3], f"copy-{sent}")
        wait_until(lambda: not jobs.count, 120)
        scene.judge(load)
        wait_until(lambda: sum(_ended_jobs(scene).values()) >= sent, 10)
        failed = _ended_jobs(scene)["failed"]
        late = scene.log.read_text().count("round had been scored")
    logs = read_logs(run.folder / "exports")
    rounds = [sum(event["type"] == "RoundScored" for event in logs[game]) for game in games]
    run.need(rounds == [1] * count, f"rounds that came {copies} times at once: {Counter(rounds)} of {count} games")
    run.need(not failed, f"{failed} jobs failed, rather than find their round scored")
    run.need(late, "no job found its round scored: the fault wasn't made")
    run.outcome.notes.append(f"{late:,} jobs found their round scored, {failed} failed")
    run.outcome.how = (
        f"{sent} further scoring jobs, {copies} at a time, under 8 clients and {workers} workers; {count} of the rounds"
        " were due at that moment"
    )


def _score_at_once(scene: Scene, jobs: JobQueues, count: int, copies: int) -> list[str]:
    """Bring games to a scoring round, whose job is queued so many times in that moment; their ids."""
    chance = scene.run.chance
    plan = next(random_plans(chance, lambda plan: plan.scoring_actions[0] < 60))
    first = plan.scoring_actions[0]
    games, log = [f"{chance.getrandbits(100):025x}" for _ in range(count)], scene.service.games()
    with filling(EmbeddedStore(scene.data).url) as quick:
        for game in games:
            quick.create(replace(plan.create, game=game))
            for command in plan.before(first):
                quick.handle(game, command)
    for game in games:
        log.handle(game, plan.action(first))
        for copy in range(copies):
            jobs.enqueue(SCORE_ROUND, [game, 1], f"at-once-{game}-{copy}")
    return games


def _ended_jobs(scene: Scene) -> Counter[str]:
    """How many scoring jobs have ended, by outcome, as the workers have reported it."""
    text = httpx.get(f"{scene.url}/metrics", timeout=patience(10)).text
    return Counter({outcome: round(float(count)) for outcome, count in _ENDED.findall(text)})


def same_request(run: Run) -> None:
    """R11: fifty copies of a request at once have one effect and one answer."""
    copies, times = 50, run.size(6, 100)
    with run.serve() as scene:
        run.outcome.store = store_version(scene.client())
        load = scene.load(0)
        with load:
            table = Connection(load.urls, load.counts)
            seats = [{"name": "Anna"}, {"name": "Bert"}]
            created = table.settle("POST", "/v1/games", None, {"seats": seats}, {"Idempotency-Key": "k" * 24})
            table.close()
            game, token = created.content["game"]["id"], created.content["seats"][0]["token"]
            load.games[game] = False
            lines, differ = [line_of(ack_of(game, "k" * 24, created.content))], 0
            for number in range(times):
                answers = _at_once(
                    load, f"/v1/games/{game}/messages", token, {"text": f"{number}"}, f"key {number}", copies
                )
                lines += [line_of(ack_of(game, f"key {number}", one)) for one in answers]
                differ += len({json.dumps([one["version"], one["receipt"]]) for one in answers}) - 1
            (load.journals / "0.journal").write_text("".join(lines), encoding="utf-8")
            scene.judge(load)
    run.need(not differ, f"{differ} copies were answered otherwise")
    run.outcome.how = f"{copies} copies of a message at once, {times} times"


def _at_once(load: Load, path: str, token: str, body: Any, key: str, copies: int) -> list[Any]:
    """The contents of the answers to copies of one request, each on a connection of its own."""
    answers = []

    def send(_number: int) -> None:
        own = Connection(load.urls, load.counts)
        answer = own.settle("POST", path, token, body, {"Idempotency-Key": key})
        own.close()
        assert answer.status == 201, answer.text
        answers.append(answer.content)

    run_together(send, copies)
    return answers

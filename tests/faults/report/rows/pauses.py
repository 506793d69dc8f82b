"""Processes that stand still, R17, and clocks that jump, R16."""

import signal
import time

import httpx

from tests.faults.report.load import Load
from tests.faults.report.scene import Run, Scene, ask, build_shim, end, store_program, store_version
from tests.faults.report.verifier import read_logs
from tests.support.waiting import patience, wait_until

SLOW = 2.0
"""Seconds within which `/healthz` must answer, whatever the store does, on a quiet machine."""


def pause(run: Run) -> None:
    """R17: a process that stood still, or is thought dead, spoils nothing when it goes on."""
    plan = [("store", 0.5), ("store", 3), ("worker", 6), ("web process", 2), ("store", 8)]
    plan += run.size(0, 1) * [("store", 30), ("worker", 60), ("web process", 20), ("post", 20), ("store", 60)]
    with run.serve() as scene, scene.load(16) as load:
        run.outcome.store = store_version(scene.client())
        waits, alive = [], 0.0
        for name, seconds in plan:
            load.wait_for(40)
            victim = scene.part(name)
            end(victim, signal.SIGSTOP)
            alive = max(alive, _probe(scene, seconds))
            waits.append((load.wait_for_recovery(end(victim, signal.SIGCONT)), name, seconds))
            load.wait_for(40)
        scene.judge(load)
    run.outcome.recovery = max(waits)[0]
    run.need(max(waits)[0] <= patience(2.5), "after {2} s of a {1} it took {0:.1f} s".format(*max(waits)))
    run.need(alive <= patience(SLOW), f"/healthz took {alive:.1f} s")
    run.outcome.how = "SIGSTOP and SIGCONT: " + ", ".join(f"{name} {seconds} s" for name, seconds in plan)


def _probe(scene: Scene, seconds: float) -> float:
    """The slowest of the answers of `/healthz` for so long; a web process that stands still answers none."""
    until, slowest = time.monotonic() + seconds, 0.0
    while (began := time.monotonic()) < until:
        try:
            httpx.get(f"{scene.url}/healthz", timeout=max(0.2, until - began))
            slowest = max(slowest, time.monotonic() - began)
        except httpx.TransportError:
            continue
        time.sleep(0.05)  # no waiting for a condition: probes at intervals
    return slowest


def jump(run: Run) -> None:
    """R16: clocks of machines that are a day off, and a store's clock that jumps: play goes on, times never go back."""
    shim = build_shim(run.folder)
    store_clock, others = run.folder / "store-clock", run.folder / "other-clocks"
    program = store_program(run, preload=shim, FAULTS_CLOCK=str(store_clock))
    settings = {"REIBACH_VALKEY_BINARY": program, "LD_PRELOAD": str(shim), "FAULTS_CLOCK": str(others)}
    with run.serve(**settings) as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        for name, file in (("web and workers", others), ("store", store_clock)):
            for days in (1, -1, 10, 0):
                file.write_text(str(days * 86400))
                _play_on(run, load, f"{name} {days:+d} d")
        turn = _bots_play(scene)
        scene.judge(load)
    times = [[event["at"] for event in log] for log in read_logs(run.folder / "exports").values()]
    run.need(all(one == sorted(one) for one in times), "times in a log go back")
    run.need(turn <= patience(5), f"a bot that was on turn played after {turn:.1f} s")
    run.outcome.notes.append("times in logs are the store's: a wait that a jump fell into is longer by it")
    run.outcome.how = "clocks of web and workers, then of the store, +1, -1, +10, 0 days, under 8 clients"


def _play_on(run: Run, load: Load, what: str) -> None:
    began = time.monotonic()
    load.wait_for(60, 30)
    taken = time.monotonic() - began
    run.outcome.recovery = max(run.outcome.recovery or 0, load.wait_for_recovery(began))
    run.need(taken < patience(15), f"{what}: 60 requests took {taken:.1f} s")


def _bots_play(scene: Scene) -> float:
    """Seconds until a bot that begins has played its first turn."""
    body = {"seats": [{"name": "Anna"}, {"bot": "greedy"}], "starting_seat": 1}
    began = time.monotonic()
    status, content = ask(scene.url, "POST", "/v1/games", body)
    assert status == 201, content
    game = content["game"]["id"]

    def is_people_turn() -> bool:
        view = scene.get(f"/v1/games/{game}")[1]
        return bool(view) and view["turn"]["seat"] == 0

    wait_until(is_people_turn, 30)
    return time.monotonic() - began

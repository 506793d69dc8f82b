"""Processes of a loaded service are killed: R1, R2, and all parts many times over."""

import time
from collections import Counter, defaultdict

from service.runtime.supervisor import STABLE_AFTER
from tests.faults.report.load import Load
from tests.faults.report.scene import (
    Run,
    Scene,
    build_shim,
    end,
    lost_events_told,
    pardon_loss,
    store_program,
    store_version,
)
from tests.support.waiting import wait_until

PARTS = ("store", "web process", "web server", "worker", "keeper", "post")
BETWEEN = 8
"""Accepted requests between two kills, at most, for each client."""
BACK = 2.0
"""Seconds within which requests are accepted again after the store was killed."""


def kill_store(run: Run) -> None:
    """R1: every write is synced before it is answered, so a killed store loses nothing."""
    kills = run.size(6, 200)
    with run.serve() as scene, scene.load(16) as load:
        run.outcome.store = store_version(scene.client())
        downs = kill_again_and_again(scene, load, ["store"], kills)
        scene.judge(load)
    run.outcome.how = f"SIGKILL {kills} times under 16 clients"
    run.need_within("back after", max(downs), BACK)


def kill_store_everysec(run: Run) -> None:
    """R2: a store that syncs once a second, on a slow disk; the service says at its start what that means."""
    kills, delay = run.size(3, 100), 300
    shim = build_shim(run.folder)
    program = store_program(run, "--appendfsync everysec", preload=shim, FAULTS_SYNC_DELAY=str(delay))
    with run.serve(REIBACH_VALKEY_BINARY=program) as scene, scene.load(16) as load:
        run.outcome.store = store_version(scene.client())
        load.is_lossy = True
        began = time.monotonic()
        kill_again_and_again(scene, load, ["store"], kills)
        findings = scene.judge(load)
        rate = len(load.times) / (time.monotonic() - began)
        said, told = scene.log.read_text(), lost_events_told(scene)
        gone = pardon_loss(run, scene)
    run.outcome.how = f"SIGKILL {kills} times, appendfsync everysec, each sync {delay} ms slower"
    lost, allowed = len(findings.lost), round(2 * rate * kills)
    run.need(
        lost <= allowed, f"{lost} acknowledged requests are lost; this setting allows {allowed:,}, 2 s of each kill"
    )
    run.need(told or not lost, f"{lost} acknowledged requests are lost, and the metric tells of none")
    run.outcome.notes.append(
        f"allowed by this setting: {allowed:,} acknowledged requests, 2 s of each kill; the metric tells of {told} lost"
        f" events; {len(gone)} games are gone as a whole"
    )
    run.need("appendfsync is everysec" in said, "the log doesn't say that acknowledged events may be lost")


def kill_everything(run: Run) -> None:
    """1,000 kills over all processes, the supervisor's children and grandchildren."""
    kills = run.size(12, 1000)
    with run.serve() as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        kill_again_and_again(scene, load, PARTS, kills)
        scene.judge(load)
    run.outcome.how = f"SIGKILL {kills} times: {', '.join(PARTS)}, at random"


def kill_again_and_again(scene: Scene, load: Load, parts: "list[str] | tuple[str, ...]", kills: int) -> list[float]:
    """Kill a random part after a random number of requests; seconds until requests were accepted again, each time.

    A part that is killed twice in a row is restarted with a back-off: that isn't what is measured.
    """
    run, chance, downs = scene.run, scene.run.chance, defaultdict(list)
    counts: Counter[str] = Counter()
    last: dict[str, float] = defaultdict(float)
    for number in range(kills):
        load.wait_for(load.clients * chance.randint(1, BETWEEN))
        name = parts[number % len(parts)] if number < len(parts) else chance.choice(parts)
        wait_until(lambda name=name: time.monotonic() - last[name] > STABLE_AFTER, 10)
        last[name] = killed = end(scene.part(name))
        downs[name].append(load.wait_for_recovery(killed))
        counts[name] += 1
        if load.errors or load.unexpected:
            break
    run.outcome.recovery = max(max(some) for some in downs.values())
    slowest = ", ".join(f"{name} {max(some):.1f} s" for name, some in downs.items())
    run.outcome.notes.append(f"{sum(counts.values())} kills; slowest recovery: {slowest}")
    return [down for some in downs.values() for down in some]

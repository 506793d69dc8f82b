"""Processes of a loaded service are killed: R1, R2, and all parts many times over."""

import re
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from service.runtime.supervisor import STABLE_AFTER
from tests.bench.fault_report.load import Load
from tests.bench.fault_report.rows.gaps import PAUSE
from tests.bench.fault_report.scene import (
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

BETWEEN = 8
"""Accepted requests between two kills, at most, for each client."""
BACK = 2.0
"""Seconds within which requests are accepted again after the store was killed, the figure of R1, and those in which it
reads its files, which take longer the more was played."""
LIMITS: Final = {
    "store": BACK,
    "web process": BACK,
    "web server": 5.0,
    "worker": PAUSE,
    "post": PAUSE,
}
"""Seconds within which requests are accepted again after a part was killed. The store's and the worker's are the
figures of R1 and R9, the others our own choice."""
PARTS: Final = tuple(LIMITS)
_CALM: Final = STABLE_AFTER + 1
"""Seconds after which a part that was killed has been back for long enough."""
_READ: Final = re.compile(r"DB loaded from append only file: ([0-9.]+) seconds")
ALL_ACKS: Final = 1_000_000
"""Accepted requests of R1's long form, at least."""


def kill_store(run: Run) -> None:
    """R1: every write is synced before it is answered, so a killed store loses nothing."""
    kills, clients = run.size(6, 200), run.size(16, 32)
    with run.serve() as scene, scene.load(clients) as load:
        run.outcome.store = store_version(scene.client())
        downs = kill_again_and_again(scene, load, ["store"], kills, run.size(0, ALL_ACKS // 200))
        scene.judge(load)
    run.need(len(load.times) >= run.size(0, ALL_ACKS), f"only {len(load.times):,} requests were accepted")
    run.outcome.how = f"SIGKILL {kills} times under {clients} clients"
    run.need_within("back after, without the reading of its files,", max(downs["store"]), BACK)


def kill_store_everysec(run: Run) -> None:
    """R2: a store that syncs once a second, on a slow disk; the service says at its start what that means."""
    kills, clients, delay = run.size(3, 200), run.size(16, 32), 300
    shim = build_shim(run.folder)
    program = store_program(run, "--appendfsync everysec", preload=shim, FAULTS_SYNC_DELAY=str(delay))
    with run.serve(REIBACH_VALKEY_BINARY=program) as scene, scene.load(clients) as load:
        run.outcome.store = store_version(scene.client())
        load.is_lossy = True
        began = time.monotonic()
        kill_again_and_again(scene, load, ["store"], kills)
        findings = scene.judge(load)
        rate = len(load.times) / (time.monotonic() - began)
        said, told = scene.log.read_text(), lost_events_told(scene)
        gone = pardon_loss(run, scene)
    run.outcome.how = (
        f"SIGKILL {kills} times under {clients} clients, appendfsync everysec, each sync {delay} ms slower"
    )
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
        downs = kill_again_and_again(scene, load, PARTS, kills)
        scene.judge(load)
    for name, some in downs.items():
        run.need_within(f"back after a {name} was killed: {len(some)} times, at most", max(some), LIMITS[name])
    run.outcome.notes.append(
        "the limit of the store is that of R1, the worker's that of R9, the others are our own choice"
    )
    run.outcome.how = f"SIGKILL {kills} times: {', '.join(PARTS)}, at random"


def kill_again_and_again(
    scene: Scene, load: Load, parts: Sequence[str], kills: int, between: int = 0
) -> dict[str, list[float]]:
    """Kill a random part after a random number of requests: of each, seconds until requests were accepted again.

    Those of the store are without the seconds in which it read its files. `between`: how many requests there are at
    least between two kills. A part that is killed twice in a row is restarted with a back-off, which isn't what is
    measured: so one is chosen that is back for long enough.
    """
    run, chance, downs = scene.run, scene.run.chance, defaultdict[str, list[float]](list)
    reads = [0.0]
    last: dict[str, float] = defaultdict(float)

    def stable() -> list[str]:
        now = time.monotonic()
        found = [name for name in parts if now - last[name] > _CALM]
        return [name for name in found if name not in downs] or found  # first those that were never killed

    for _ in range(kills):
        load.wait_for(between + load.clients * chance.randint(1, BETWEEN), 60 + between / 100)
        wait_until(stable, 10)
        name = chance.choice(stable())
        last[name] = killed = end(scene.part(name))
        down = load.wait_for_recovery(killed)
        run.outcome.recovery = max(run.outcome.recovery or 0, down)
        if name == "store":
            reads.append(_seconds_of_reading(scene))
            down -= reads[-1]
        downs[name].append(down)
        if load.errors or load.unexpected:
            break
    slowest = ", ".join(f"{name} {max(some):.1f} s" for name, some in downs.items())
    run.outcome.notes.append(
        f"{sum(map(len, downs.values()))} kills; slowest recovery: {slowest}; the store's without the time in which it"
        f" read its files, {max(reads):.1f} s at most"
    )
    return downs


def _seconds_of_reading(scene: Scene) -> float:
    """How long the store has read its files at its last start, as its log says."""
    said = _READ.findall((scene.data / "store.log").read_text(encoding="utf-8", errors="replace"))
    return float(said[-1])

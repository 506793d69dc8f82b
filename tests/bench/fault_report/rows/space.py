"""The store can't take more: no space on its disk, R6, and no memory, R24."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.bench.fault_report.load import Load
from tests.bench.fault_report.result import NotRun
from tests.bench.fault_report.scene import Run, Scene, ask, reibach, store_program, store_version
from tests.support.waiting import wait_until

HEALED = 5.0
"""Seconds."""


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of its own in memory. Raises NotRun without the right to mount one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], capture_output=True, check=False
    )
    if os.geteuid() or mounted.returncode:
        raise NotRun("the right to mount a tmpfs is needed")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill_disk(run: Run) -> None:
    """R6: a full disk refuses writes only, and the service heals by itself when there is space."""
    seconds = run.size(8, 60)
    with small_disk(run.folder / "disk", 12) as disk, run.serve("disk/games", REIBACH_ARCHIVE="off") as scene:
        run.outcome.store = store_version(scene.client())
        with scene.load(8) as load:
            load.wait_for(60)
            filler = disk / "filler"
            with suppress(OSError), filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            reads = _look_while_refused(scene, load, seconds)
            filler.unlink()
            run.outcome.recovery = load.wait_for_recovery(time.monotonic())
            scene.judge(load)
    run.need(run.outcome.recovery <= HEALED, f"healed after {run.outcome.recovery:.1f} s")
    _judge_reads(run, reads)
    run.outcome.how = f"a disk of 12 MB filled for {seconds} s under 8 clients"


def _look_while_refused(scene: Scene, load: Load, seconds: float) -> list[int]:
    """The status of reads, one after the other, from the first refused write on."""
    wait_until(lambda: load.counts["503"], 60)
    game, reads, until = next(iter(load.games)), [], time.monotonic() + seconds
    while time.monotonic() < until:
        reads.append(ask(scene.url, "GET", f"/v1/games/{game}")[0])
    return reads


def _judge_reads(run: Run, reads: list[int]) -> None:
    answered = sum(status == 200 for status in reads)
    run.outcome.notes.append(f"{answered} of {len(reads)} reads were answered while writes weren't")
    run.need(answered > 0.9 * len(reads), f"only {answered} of {len(reads)} reads were answered")


def fill_memory(run: Run) -> None:
    """R24: out of memory the store refuses writes, whole ones; an eviction policy is refused at the start."""
    seconds = run.size(6, 60)
    with run.serve(REIBACH_MEMORY_WATERMARK="0") as scene, scene.load(8) as load, scene.client() as client:
        run.outcome.store = store_version(client)
        load.wait_for(60)
        client.config_set("maxmemory", int(client.info("memory")["used_memory"]))
        reads = _look_while_refused(scene, load, seconds)
        client.config_set("maxmemory", 0)
        run.outcome.recovery = load.wait_for_recovery(time.monotonic())
        scene.judge(load)
    run.need(run.outcome.recovery <= HEALED, f"healed after {run.outcome.recovery:.1f} s")
    _judge_reads(run, reads)
    _refuse_eviction(run)
    run.outcome.how = f"maxmemory at what is used for {seconds} s under 8 clients; started with allkeys-lru"


def _refuse_eviction(run: Run) -> None:
    program = store_program(run, "--maxmemory-policy allkeys-lru")
    data = str(run.folder / "evicting")
    ended = reibach("serve", "--port", "0", "--data", data, seconds=30, REIBACH_VALKEY_BINARY=program)
    is_refused = ended.returncode == 1 and "set it to noeviction" in ended.stderr
    run.need(is_refused, f"a store that evicts was not refused: {ended.stderr[-200:]}")

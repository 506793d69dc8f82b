"""`serve` with fault injection: its processes kill themselves in a gap between two side effects, on request.

    python -m tests.bench.fault_report.gap_entry FOLDER serve --port 0 --data DIR

A file in FOLDER named `<role> <gap>` (role: web or worker) has the next process of that role die in that gap, once; the
file is then renamed, with `.hit` behind its name.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

from config.settings import Settings
from service import bootstrap, cli
from service.gamelog.log import GameLog
from service.jobs import JobQueues
from service.runtime.supervisor import supervise
from workers import __main__ as worker

WORKER_GAPS = ("job begun, nothing done", "job done, not noted", "claimed, not enqueued")
"""As well as those of the log: before and after a scoring job's work, and between a reconciler's claim and call."""


def main(folder: Path, role: str, arguments: list[str]) -> None:
    """Run `role` as the command line does, with fault injection."""
    if role == "serve":
        again = [sys.executable, "-m", "tests.bench.fault_report.gap_entry", str(folder)]
        announce = partial(print, flush=True)
        settings = Settings.read(port=0, data=Path(arguments[-1]))
        parts = {part: partial(os.execv, sys.executable, [*again, part]) for part in ("web", "worker")}
        sys.exit(supervise(settings, announce=announce, parts=parts))

    def trapdoor(gap: str) -> None:
        marker = folder / f"{role} {gap}"
        try:
            marker.rename(f"{marker}.hit")
        except FileNotFoundError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    names = vars(bootstrap)
    names["GameLog"] = partial(GameLog, between=trapdoor)
    JobQueues.enqueue = _with_trapdoor(JobQueues.enqueue, trapdoor)  # type: ignore[method-assign]
    vars(worker)["score_round"] = _around(worker.score_round, trapdoor)
    cli.main([role])


def _with_trapdoor(called: Callable[..., None], trapdoor: Callable[[str], None]) -> Callable[..., None]:
    @wraps(called)
    def call(*arguments: Any) -> None:
        if threading.current_thread().name == "reconciler":
            trapdoor("claimed, not enqueued")
        called(*arguments)

    return call


def _around(job: Callable[..., None], trapdoor: Callable[[str], None]) -> Callable[..., None]:
    @wraps(job)
    def run(*arguments: Any) -> None:
        trapdoor("job begun, nothing done")
        job(*arguments)
        trapdoor("job done, not noted")

    return run


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])

"""Acknowledged moves that are lost when everything is killed: 8 clients play, kill -9, a start on the same data.

boardgame.io: its server is killed, a database isn't, and each match's state is compared with the last one that its
client received. The service: all of its processes, and the store, are killed; the fault report's clients and judge
compare all that was acknowledged with what is stored.
"""

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.bench.boardgame_io import Target, boardgame_io
from tests.bench.fault_report.scene import Run, export
from tests.bench.fault_report.verifier import read_journals, read_logs, verify
from tests.faults.parts import descendants

CLIENTS = 8
NEVER = 600
"""Seconds: the kill comes before."""


class Kill(NamedTuple):
    """What it has cost."""

    acknowledged: int
    lost: int
    unreadable: int = 0
    """Matches that end the server when somebody opens them."""


def kill_service(folder: Path, requests: int) -> Kill:
    """Kill the service after so many accepted requests."""
    run = Run(folder, str(folder))
    with run.serve() as scene, scene.load(CLIENTS) as load:
        load.wait_for(requests)
        number = scene.service.process.pid
        os.kill(number, signal.SIGSTOP)  # or it would start its children again
        for one in [*descendants(number), number]:
            os.kill(one, signal.SIGKILL)
        load.is_broken = True
        load.stop()
    logs = read_logs(export(run, {"REIBACH_DATA": str(scene.data)}))
    findings = verify(read_journals(load.journals), logs, None)
    return Kill(findings.acknowledged, len(findings.lost))


def kill_boardgame_io(modules: Path, at: Target, wait: float) -> Kill:
    """Kill its server after so many seconds of play."""
    with boardgame_io(modules, at) as server, server.clients("play", str(CLIENTS), str(NEVER)) as program:
        assert program.stdout is not None
        program.stdout.readline()  # they have begun
        with suppress(subprocess.TimeoutExpired):
            program.wait(wait)
        os.kill(server.process, signal.SIGKILL)
        states = json.loads(program.communicate()[0])
    kept = {match: state_of(modules, at, match) for match in states}
    lost = sum(max(0, state - max(0, kept[match])) for match, state in states.items())
    return Kill(sum(states.values()), lost, sum(state < 0 for state in kept.values()))


def state_of(modules: Path, at: Target, match: str) -> int:
    """The number of the state that a new server has of a match; -1 where it can't be read."""
    with boardgame_io(modules, at) as server, server.clients("check", match) as program:
        told = program.communicate()[0]
    return -1 if program.returncode else int(told)

"""Faults that are planted, to show that the report can fail: in logs, and in a store that keeps nothing on disk."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

from tests.bench.fault_report.result import Outcome, PlantedFault
from tests.bench.fault_report.scene import Run, judge, store_program
from tests.bench.fault_report.verifier import OF_PLAYERS, Ack, Findings, verify
from tests.oracle.play import play, rechain
from tests.oracle.terms import Event
from tests.support.shell import COMMAND, environment
from tests.support.waiting import wait_until

Log = list[Event]
Forgery = Callable[[Log], Log]


def remove(log: Log) -> Log:
    """An event in the middle is missing, and all behind it moved up, with hashes that a forger could compute."""
    kept = [dict(event) for event in log if event["version"] != len(log) // 2]
    return rechain([{**event, "version": version} for version, event in enumerate(kept, 1)])


def cut(log: Log) -> Log:
    """The last third is missing: what is left is a sound log."""
    return log[: len(log) * 2 // 3]


def tear(log: Log) -> Log:
    """The log ends in the midst of an append."""
    turn = next(event for event in log[len(log) // 2 :] if event["type"] == "TurnStarted")
    return log[: turn["version"] - 1]


def change_hash(log: Log) -> Log:
    """One hash differs."""
    middle = len(log) // 2
    return [{**event, "hash": "0" * 64} if event["version"] == middle else event for event in log]


def change_card(log: Log) -> Log:
    """One event tells of another seat, with hashes that fit."""
    place = next(index for index, event in enumerate(log) if event["type"] == "TurnStarted")
    changed = [dict(event) for event in log]
    changed[place]["data"] = {**log[place]["data"], "seat": 1 - log[place]["data"]["seat"]}
    return rechain(changed)


def append(log: Log) -> Log:
    """A message at the end that nobody has sent, as a request that was carried out twice would leave it."""
    told = next(event for event in reversed(log) if event["type"] == "MessagePosted")
    return rechain([*log, {**told, "version": len(log) + 1}])


def forget(_log: Log) -> Log:
    """The whole game is missing."""
    return []


FORGERIES: Final[dict[str, tuple[Forgery, str]]] = {
    "an acknowledged event removed": (remove, "lost"),
    "the last third cut off": (cut, "lost"),
    "an append torn": (tear, "torn"),
    "a hash changed": (change_hash, "broken"),
    "an event changed": (change_card, "broken"),
    "an event told twice": (append, "doubled"),
    "a game forgotten": (forget, "lost"),
}
"""What is done to a log, and the kind of fault that the verifier must report at least."""


def acks_of(log: Sequence[Event]) -> list[Ack]:
    """The answers that would have told of each act of a player in this log, and of its creation."""
    game = log[0]["data"]["game"]
    starts = [event["version"] for event in log if event["type"] in OF_PLAYERS]
    rounds = [event["version"] for event in log if event["type"] == "RoundScored"]
    acks = [_ack(game, log[: starts[0] - 1])._replace(events=())]
    for start, following in zip(starts, [*starts[1:], len(log) + 1], strict=True):
        last = min([*(one for one in rounds if start < one < following), following])
        acks.append(_ack(game, log[start - 1 : last - 1]))
    return acks


def _ack(game: str, events: Sequence[Event]) -> Ack:
    told = tuple((event["version"], event["type"], event["hash"]) for event in events)
    return Ack(game, f"key {told[0][0]}", told[-1][0], told, (told[-1][2], "", ""))


def sample_log(seed: int = 7) -> Log:
    """A whole game of two people, by the second engine."""
    return play(seed, 2, {"expensive_specials": False, "staggered_start": False}, asides=False)


def forge(name: str) -> Findings:
    """What the verifier says of a sound game's answers and its forged log."""
    log = sample_log()
    forged = FORGERIES[name][0](log)
    return verify(acks_of(log), {log[0]["data"]["game"]: forged} if forged else {})


def kill_volatile_store(run: Run) -> None:
    """A store without files, which is killed: whatever was acknowledged must be reported as lost.

    The service refuses to go on with what is left, until an operator says otherwise.
    """
    program = store_program(run, "--appendonly no")
    with run.serve(REIBACH_VALKEY_BINARY=program) as scene, scene.load(4) as load:
        load.wait_for(20)
        os.kill(scene.part("store"), signal.SIGKILL)
        wait_until(lambda: scene.get("/readyz")[0] != HTTPStatus.OK, 30)
        load.is_broken = True
        load.stop()
    source = {"REIBACH_DATA": str(scene.data), "REIBACH_VALKEY_BINARY": program}
    subprocess.run([*COMMAND, "accept-store"], env=environment(**source), check=True, stdout=subprocess.DEVNULL)
    judge(run, [load], source)


def plant_all(seed: int) -> Iterator[PlantedFault]:
    """Plant each fault, and look whether it is found; the log of the forgeries is the same each time."""
    for name, (_, kind) in FORGERIES.items():
        yield PlantedFault(name, kind, getattr(forge(name), kind))
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), f"{seed} planted", outcome=Outcome())
        kill_volatile_store(run)
    prefix = "lost: "
    lost = [fault.removeprefix(prefix) for fault in run.outcome.faults if fault.startswith(prefix)]
    yield PlantedFault(f"a store without files, killed after {run.outcome.acknowledged} answers", "lost", lost)


def show_planted(planted: PlantedFault) -> None:
    """Print what was found of a planted fault."""
    found = "found" if planted.reports else "MISSED"
    print(f"{found:7} {planted.name}: {len(planted.reports)} {planted.kind}", flush=True)

"""The audit of a whole game, compared with the time of serialising (JCS) and hashing its events.

Run: `python -m tests.bench.audit`. Needs nothing else.
"""

import statistics
import time
from collections.abc import Callable

from domain.audit.checks import audit
from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash, next_hash
from tests.bench.common import show
from tests.support.logs import random_log

ROUNDS = 7
GAMES = 40


def bare(log: list[EventRecord]) -> None:
    """Serialise and hash every event, and nothing else."""
    created = log[0]["data"]
    key = chain_key(bytes.fromhex(created["server_seed"]))
    previous = first_hash(key, created["game"])
    for event in log:
        content = {"version": event["version"], "type": event["type"], "at": event["at"], "data": event["data"]}
        previous = next_hash(key, previous, content)


def milliseconds(work: Callable[[list[EventRecord]], object], log: list[EventRecord]) -> float:
    """Processor time of the work: what else the machine does is not its fault."""
    begun = time.process_time()
    work(log)
    return 1000 * (time.process_time() - begun)


def main() -> None:
    """Interleaved game by game; medians over the games, then over the rounds."""
    logs = [random_log(2 + number % 4, f"benchmark/{number}") for number in range(GAMES)]
    figures: list[tuple[float, float]] = []
    for number in range(ROUNDS + 1):
        times = [(milliseconds(bare, log), milliseconds(audit, log)) for log in logs]
        if number:  # the first round warms up
            figures.append((statistics.median(one for one, _ in times), statistics.median(two for _, two in times)))
    floor, ours = (statistics.median(column) for column in zip(*figures, strict=True))
    events = statistics.median(len(log) for log in logs)
    show("bare serialising and hashing", ms=floor, events=events)
    show("audit", ms=ours)
    show("audit / bare", ratio=ours / floor, worst=max(two / one for one, two in figures))


if __name__ == "__main__":
    main()

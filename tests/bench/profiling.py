"""Where the processor time of a request goes, by module: samples of one process that answers requests in process.

Run: `python -m tests.bench.profiling [--kind action] [--requests 40000]`. The system's timer counts processor
time, and each of its signals finds the process in one module: the innermost of ours, or of a library on the way of
requests (Flask, Werkzeug, redis-py), which also has the time of what it calls of Python's own. Shares are of the
samples, and microseconds of the time a request.
"""

import argparse
import signal
import time
from collections import Counter
from itertools import islice
from pathlib import PurePath
from types import FrameType
from typing import Final

from config.settings import Settings
from service.app import create_app, open_web
from service.bootstrap import open_services
from tests.bench.common import durable_store, is_short, show
from tests.bench.processor_time import CHUNK, KINDS, NAMES, Requests

_EVERY_S: Final = 0.001
"""Of processor time; the system may count it more coarsely."""
_LIBRARIES: Final = ("flask", "werkzeug", "redis")
_FEWEST: Final = 0.01
"""The share below which a module isn't printed by itself."""


class Samples:
    """Counts samples by module while it is entered."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begun = time.process_time()
        signal.signal(signal.SIGPROF, self._take)
        signal.setitimer(signal.ITIMER_PROF, _EVERY_S, _EVERY_S)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.seconds += time.process_time() - self._begun

    def _take(self, _signal: int, frame: FrameType | None) -> None:
        while frame is not None:
            name = module_of(frame.f_code.co_filename)
            if name is not None:
                self.counts[name] += 1
                return
            frame = frame.f_back
        self.counts["the benchmark"] += 1


def module_of(path: str) -> str | None:
    """What the samples in a file count for: its path in the project without `.py`, or its library; None: neither."""
    parts = PurePath(path).with_suffix("").parts
    for place, part in enumerate(parts):
        if part == "site-packages":
            return parts[place + 1] if parts[place + 1] in _LIBRARIES else None
    for place, part in reversed(list(enumerate(parts))):
        if part in ("domain", "service"):
            return "/".join(parts[place:])
    return None


def main() -> None:
    """Answer requests, and print the modules by their shares."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.profiling")
    parser.add_argument("--kind", choices=KINDS, default="action")
    parser.add_argument("--requests", type=int, default=400 if is_short() else 40_000)
    chosen = parser.parse_args()
    samples = Samples()
    with durable_store(in_memory=True) as store:
        settings = Settings(redis_url=store, rate_limit=0, allow_fixed_seed=True)
        requests = Requests(create_app(open_web(open_services(settings))))
        stream = requests.endless(chosen.kind)
        for number in range(chosen.requests // CHUNK + 1):
            ready = list(islice(stream, CHUNK))
            if number == 0:  # the first ones warm up
                for environ in ready:
                    requests.send(environ)
                continue
            with samples:
                for environ in ready:
                    requests.send(environ)
    total, us = sum(samples.counts.values()), 1e6 * samples.seconds / chosen.requests
    show(f"{NAMES[chosen.kind]}, in process", us=us, samples=total)
    rest = 0.0
    for name, count in samples.counts.most_common():
        share = count / total
        if share < _FEWEST:
            rest += share
            continue
        show(name, **{"share %": 100 * share, "us": share * us})
    show("others", **{"share %": 100 * rest, "us": rest * us})


if __name__ == "__main__":
    main()

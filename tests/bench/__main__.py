"""The figures of docs/performance.md: `python -m tests.bench [--short] [--write DOCUMENT]`, about eight minutes.

A ratio that misses its goal is no error: another machine, or another load on it, gives other figures.
"""

import argparse
import os
import secrets
import tempfile
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from random import Random

from tests.bench.beside import MORE, SINGLE, THEIRS, Beside
from tests.bench.boardgame_io import node_modules, stores, target
from tests.bench.games import random_plans
from tests.bench.kills import Kill, kill_boardgame_io, kill_service
from tests.bench.summary import machine_lines, replace_measured, report_lines

PLANS = 60


def count_losses(runs: int, requests: int, seconds: float) -> dict[str, list[Kill]]:
    """Kill every side that is here, and count what it has lost."""
    kills: dict[str, list[Kill]] = {SINGLE: []}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            kills[SINGLE].append(kill_service(Path(folder), requests))
        modules = node_modules()
        for kind in stores(modules):
            assert modules is not None
            with target(kind) as at:
                kills.setdefault(THEIRS[kind], []).append(kill_boardgame_io(modules, at, seconds))
    return kills


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure the service.")
    parser.add_argument("--short", action="store_true", help="a minute, to see that it works")
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="put the figures between this document's marks")
    chosen = parser.parse_args()
    if chosen.write:
        replace_measured(chosen.write.read_text(encoding="utf-8"), [])
    rounds, seconds, more, requests = (2, 0.5, 100, 200) if chosen.short else (7, 3.0, MORE, 2000)
    if node_modules() is None:
        print("boardgame.io isn't here: REIBACH_BENCH_NODE names a folder with it (docs/performance.md)")
    about = machine_lines(short=chosen.short)
    # modules are compiled once a run, also in a checkout that nobody has started yet
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with ExitStack() as stack:
        plans = list(islice(random_plans(Random(secrets.randbits(32))), PLANS))
        seen = Beside(stack, plans, node_modules(), more).measure(rounds, seconds)
    lines = list(report_lines(about, seen, count_losses(1 if chosen.short else 3, requests, seconds)))
    print("\n".join(lines))
    if chosen.write:
        chosen.write.write_text(replace_measured(chosen.write.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()

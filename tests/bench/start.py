"""How long `reibach --help` takes, compared with an interpreter that does nothing.

Run: `python -m tests.bench --only start`. Processor time, and time from start to end, of the program that pip
makes; both take turns.
"""

import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from tests.bench.common import ROOT, block_ratios, is_short, show, show_ratio
from tests.bench.goals import Limit
from tests.bench.services import AFTER, BEFORE, checkouts

ROUNDS, SHORT_ROUNDS = 31, 6
LIMIT = Limit(relation="<=", bound=0.15)
HELP = "import sys; from service.cli import main; sys.exit(main())"
NOTHING = "python -c pass"


def start(arguments: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of processor time, and from start to end, of a Python program."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    begun = time.perf_counter()
    program = subprocess.Popen([sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(program.pid, 0)
    took = time.perf_counter() - begun
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise RuntimeError(f"{arguments} ended with status {program.returncode}")
    return used.ru_utime + used.ru_stime, took


def main() -> None:
    """Print medians and ratios."""
    programs = {name: (["-c", HELP, "--help"], folder) for name, folder in checkouts().items()}
    programs[NOTHING] = (["-c", "pass"], ROOT)
    processor: dict[str, list[float]] = defaultdict(list)
    whole: dict[str, list[float]] = defaultdict(list)
    for number in range((SHORT_ROUNDS if is_short() else ROUNDS) + 1):
        for name, (arguments, folder) in list(programs.items())[:: -1 if number % 2 else 1]:
            used, took = start(arguments, folder)
            if number:  # the first round compiles
                processor[name].append(used)
                whole[name].append(took)
    for name in programs:
        used, took = 1000 * statistics.median(processor[name]), 1000 * statistics.median(whole[name])
        least = 1000 * min(whole[name])
        show(f"start: {name}", **{"processor ms": used, "whole ms": took, "least ms": least})
    show_ratio("`reibach --help`: seconds of processor time", processor[AFTER], LIMIT, processor[BEFORE])
    show_ratio("`reibach --help`: seconds from start to end", whole[AFTER], LIMIT, whole[BEFORE])
    ours, before = (block_ratios(processor[name], processor[NOTHING]) for name in (AFTER, BEFORE))
    show_ratio(f"`reibach --help` / `{NOTHING}`: processor time", ours, before=before)


if __name__ == "__main__":
    main()

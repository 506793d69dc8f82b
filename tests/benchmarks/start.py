"""How long `reibach --help` takes, compared with an interpreter that does nothing.

Run: `python -m tests.benchmarks --only start`. Processor time, and time from start to end; the programs take turns.
"""

import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from tests.benchmarks.common import ROOT, block_ratios, is_short, show, show_aim, show_ratio
from tests.benchmarks.services import checkouts

ROUNDS, SHORT_ROUNDS = 31, 6
AIM = 0.15
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
    programs = {name: (["-m", "service.cli", "--help"], folder) for name, folder in checkouts().items()}
    programs[NOTHING] = (["-c", "pass"], ROOT)
    processor: dict[str, list[float]] = defaultdict(list)
    whole: dict[str, list[float]] = defaultdict(list)
    for number in range((SHORT_ROUNDS if is_short() else ROUNDS) + 1):
        for name, (arguments, folder) in programs.items():
            used, took = start(arguments, folder)
            if number:  # the first round compiles
                processor[name].append(1000 * used)
                whole[name].append(1000 * took)
    for name in programs:
        median, took = statistics.median(processor[name]), statistics.median(whole[name])
        show(f"start: {name}", **{"processor ms": median, "whole ms": took, "least ms": min(whole[name])})
    for name in checkouts():
        show_ratio(f"reibach --help / {NOTHING}, {name}", block_ratios(processor[name], processor[NOTHING]))
        show_aim(f"seconds of reibach --help, {name}", statistics.median(whole[name]) / 1000, "<=", AIM)


if __name__ == "__main__":
    main()

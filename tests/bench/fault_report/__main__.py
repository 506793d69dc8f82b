"""Run the rows of the report, and write their table: `python -m tests.bench.fault_report [--long] [--only R1,R5]`.

Each row runs on a service of its own. `--seed` repeats a run as far as threads and disks allow: the moments of the
faults, the players' choices and the places that are damaged follow from it. The exit status is 1 where a row fails.
"""

import argparse
import secrets
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Final

from tests.bench.fault_report.document import document, moment
from tests.bench.fault_report.matrix import BY_NAME, ROWS, Row
from tests.bench.fault_report.planted import plant_all, show_planted
from tests.bench.fault_report.result import (
    FAILS,
    HOLDS,
    NOT_RUN,
    NotRun,
    Outcome,
    PlantedFault,
    Result,
    keep_result,
    kept_results,
)
from tests.bench.fault_report.scene import Run

COMMAND: Final = "python -m tests.bench.fault_report"
RECORDED: Final = Path(__file__).with_name("long.jsonl")
"""Results of the long form, of several runs."""


def play(row: Row, seed: int, *, is_long: bool, keep: Path | None = None) -> Result:
    """One row, whatever happens in it. `keep`: the folder in which what it left stays."""
    began = time.monotonic()
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"reibach-{row.name}-", dir=keep))
    run = Run(folder, f"{seed} {row.name}", is_long)
    verdict = _verdict(row, run)
    if keep is None:
        shutil.rmtree(folder, ignore_errors=True)
    made = moment() if is_long else ""  # the short form's rows are those of one run
    return Result(row.name, row.fault, seed, verdict, run.outcome, time.monotonic() - began, made)


def _verdict(row: Row, run: Run) -> str:
    outcome: Outcome = run.outcome
    try:
        row.play(run)
    except NotRun as reason:
        outcome.notes.append(f"not run: {reason}")
        return NOT_RUN
    except Exception as error:  # noqa: BLE001 - a row that breaks down has failed, and the others still count
        traceback.print_exc()
        outcome.faults.append(f"{type(error).__name__}: {str(error)[:300]}")
    return FAILS if outcome.faults else HOLDS


def show(result: Result, must: str) -> None:
    """Print one row's result."""
    numbers = zip(("acknowledged", "lost", "doubled", "torn"), result.cells()[3:7], strict=True)
    figures = ", ".join(f"{number} {name}" for name, number in numbers if number)
    recovery = f", back after {result.outcome.recovery:.1f} s" if result.outcome.recovery is not None else ""
    print(f"{result.row:6} {result.verdict:9} {result.seconds:6.1f} s  {result.fault} ({must}): {figures}{recovery}")
    for remark in (*result.outcome.notes, *result.outcome.faults):
        print(f"         {remark}")
    sys.stdout.flush()


def chosen(only: str) -> list[Row]:
    """The rows of these names, separated by commas; all without a name. SystemExit for an unknown one."""
    names = [name for name in only.split(",") if name]
    if unknown := [name for name in names if name not in BY_NAME]:
        raise SystemExit(f"no such row: {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    return [BY_NAME[name] for name in names] if names else list(ROWS)


def find_planted(seed: int) -> list[PlantedFault]:
    """Plant each fault, and print whether it was found."""
    planted = []
    for one in plant_all(seed):
        show_planted(one)
        planted.append(one)
    return planted


def main() -> None:
    """All rows, or those that were asked for."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").partition("\n")[0])
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--short", action="store_true", help="about ten minutes for all rows (the default)")
    form.add_argument("--long", action="store_true", help="hours")
    parser.add_argument("--only", default="", metavar="ROWS", help="names of rows, separated by commas")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--write", type=Path, metavar="FILE", help="plant the faults, too, and write all to this file")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what the rows leave in this folder")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="keep each row's result here, and don't run those again that it has",
    )
    parser.add_argument("--planted", action="store_true", help="plant faults that the verifier must find")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    planted = find_planted(options.seed) if options.planted or options.write else []
    has_failed = not all(one.reports for one in planted)
    if options.planted:
        raise SystemExit(has_failed)
    done = {result.row: result for result in kept_results(options.results)} if options.results else {}
    for row in chosen(options.only):
        if row.name not in done:
            done[row.name] = play(row, options.seed, is_long=options.long, keep=options.keep)
            if options.results:
                keep_result(options.results, done[row.name])
        show(done[row.name], row.must)
    results = [done[row.name] for row in ROWS if row.name in done]
    if options.write:
        missing = [row.name for row in ROWS if row.name not in done]
        recorded = [] if options.long else list(kept_results(RECORDED))
        text = document(
            results, options.seed, is_long=options.long, missing=missing, recorded=recorded, planted=planted
        )
        options.write.write_text(text, encoding="utf-8")
    raise SystemExit(has_failed or any(result.verdict == FAILS for result in results))


if __name__ == "__main__":
    main()

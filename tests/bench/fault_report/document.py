"""The report as a document in Markdown."""

import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from tests.bench.fault_report.result import FAILS, HOLDS, NOT_RUN, PlantedFault, Result
from tests.support.shell import ROOT

COLUMNS: Final = (
    "row",
    "fault",
    "how it was made",
    "acknowledged",
    "lost",
    "doubled",
    "torn",
    "recovery",
    "verdict",
)
PLANTED_COLUMNS: Final = ("planted fault", "must be reported as", "reports", "the first of them")
_PREFACE: Final = """\
# Faults

While clients played, every part of the service was killed, stopped, cut off or filled up on purpose.
{lost}
A verifier that shares no code with the service has judged each row, and one command makes all of it again.

## How it is judged

Each row has a service of its own. Clients repeat each request under its `Idempotency-Key` until it is settled,
and note each 201 with its version, hashes and receipt.
Then every game is exported, and the verifier compares both:

- each acknowledged event is in the log once, at its version and with its hash;
- versions have no gap; hashes, rules and scores are those of a second engine;
- the log has no act of a player that no answer confirmed; receipts are signed;
- the service's own audit passes, and a finished game is served as the bytes that were exported.

"""
_NOTHING_LOST: Final = "Nothing that the service had acknowledged was lost, doubled or torn"
_PLANTED: Final = """\
## Planted faults

What shows that the report can fail: logs of a sound game that were forged, with hashes that fit where a forger could
compute them, and a service whose store keeps nothing on its disk. {found} of {count} were found.
"""
_AGAIN: Final = """\
## How to run it again

After [the README's test line](../README.md#contribute), on Linux:

```sh
.venv/bin/python -m tests.bench.fault_report --short --write docs/faults.md    # about ten minutes
.venv/bin/python -m tests.bench.fault_report --long --only kills --results tests/bench/fault_report/long.jsonl
.venv/bin/python -m tests.bench.fault_report --only R1,R5 --seed {seed}
.venv/bin/python -m tests.bench.fault_report --planted                         # faults that must be found
```

A seed decides the moments of the faults, the players' choices and the damaged bytes; threads and disks differ from
run to run. A run prints remarks on each row; rows that need a C compiler or the right to mount say so.
`--write FILE` plants the faults, too, before the first row.
`--results FILE` keeps the result of each row, and continues a run that was interrupted. Those in
`tests/bench/fault_report/long.jsonl` are the long forms above: delete a row's line there before it runs again.
`--keep DIR` keeps journals, exports, logs and stores; `python -m tests.bench.fault_report.verifier JOURNALS EXPORTS`
reads the first two.

- `acknowledged`: requests that were answered 201. `lost`: those that aren't in the log as they were answered.
- `doubled`: effects that no answer confirmed, or two answers claim. `torn`: requests of which only a part is there.
- `recovery`: the longest time from a fault to the answer of the next accepted request that was sent after it.
"""


def document(
    results: Sequence[Result],
    seed: int,
    *,
    is_long: bool,
    missing: Sequence[str] = (),
    recorded: Sequence[Result] = (),
    planted: Sequence[PlantedFault] = (),
) -> str:
    """Three sentences, how it is judged, the table, planted faults, and how to run it again.

    `missing`: names of rows without a result; `recorded`: results of the long form that are on record.
    """
    counts = {verdict: sum(one.verdict == verdict for one in results) for verdict in (HOLDS, FAILS, NOT_RUN)}
    said = f"{counts[HOLDS]} rows hold, {counts[FAILS]} fail, {counts[NOT_RUN]} were not run."
    said += f" No result yet: {', '.join(missing)}." if missing else ""
    parts = [_PREFACE.format(lost=_tell_lost([*results, *recorded])), "## The table", ""]
    parts += [_circumstances(results, is_long=is_long), said, "", *table_lines(results), ""]
    if remarks := list(remark_lines(results)):
        parts += [*remarks, ""]
    if recorded:
        parts += ["## Long forms", "", *table_lines(recorded), "", *remark_lines(recorded), ""]
    if planted:
        found = sum(bool(one.reports) for one in planted)
        parts += [_PLANTED.format(found=found, count=len(planted)), *planted_lines(planted), ""]
    return "\n".join([*parts, _AGAIN.format(seed=seed)])


def moment() -> str:
    """When, and of which commit, results are made that are made now."""
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return f"{datetime.now(UTC):%d %B %Y}, commit {commit or 'unknown'}"


def _tell_lost(results: Iterable[Result]) -> str:
    """In which rows something was lost, or doubled; and in which of these that is a fault."""
    lost = {one.row: one.verdict for one in results if one.outcome.lost or one.outcome.doubled or one.outcome.torn}
    if FAILS in lost.values():
        return f"**{', '.join(row for row in lost if lost[row] == FAILS)}** lost, doubled or tore events."
    if not lost:
        return f"{_NOTHING_LOST}."
    rows = ", ".join(lost)
    return f"{_NOTHING_LOST}, except where a store was made to lose its past ({rows}): there metric and log told of it."


def _circumstances(results: Sequence[Result], *, is_long: bool) -> str:
    """When, where, how long, by which seeds, and with which stores."""
    minutes = sum(result.seconds for result in results) / 60
    form = "long" if is_long else "short"
    machine = f"{os.cpu_count()} processors, Python {platform.python_version()}"
    chosen = {f"seed {one.seed}" for one in results} | {one.outcome.store for one in results if one.outcome.store}
    return f"{moment()}, {form} form, {minutes:.0f} minutes, {machine}, {', '.join(sorted(chosen))}."


def remark_lines(results: Iterable[Result]) -> Iterator[str]:
    """Of rows that don't hold, what the table has no column for; of results on record, their commit."""
    for one in results:
        told = one.remarks() if one.verdict != HOLDS else []
        remarks = [*([f"{one.made}, seed {one.seed}"] if one.made else []), *told]
        if remarks:
            yield f"- {one.row}: {'; '.join(remarks)}."


def table_lines(results: Iterable[Result]) -> Iterator[str]:
    """The table of rows."""
    return _lines(COLUMNS, (result.cells() for result in results))


def planted_lines(planted: Iterable[PlantedFault]) -> Iterator[str]:
    """The table of planted faults."""
    return _lines(PLANTED_COLUMNS, (one.cells() for one in planted))


def _lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for cells in rows:
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"

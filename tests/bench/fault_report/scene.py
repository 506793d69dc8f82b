"""Where rows play: a service that is started, loaded, hurt and judged."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import httpx
import redis

from service.runtime.embedded import EmbeddedStore, _find_binary
from tests.bench.fault_report.load import Connection, Load
from tests.bench.fault_report.result import NotRun, Outcome
from tests.bench.fault_report.verifier import Findings, longest_pause, read_journals, read_keys, read_logs, verify
from tests.faults.parts import part
from tests.faults.served import Served, served
from tests.support.servers import running_store
from tests.support.shell import COMMAND, ROOT, environment
from tests.support.waiting import patience, stated, wait_until

SERVE: Final = (*COMMAND, "serve")
MOST_CACHED: Final = 2000
"""Games that a process of the service caches."""
_SHIM: Final = Path(__file__).with_name("shim.c")
_COUNTED: Final = re.compile(r"^reibach_lost_events_total(?:\{[^}]*\})? (\d+)", re.MULTILINE)


@dataclass
class Run:
    """What a row gets: a folder of its own, its chance, and how much it should do."""

    folder: Path
    seed: str
    """The report's seed and the row's name."""
    is_long: bool = False
    outcome: Outcome = field(default_factory=Outcome)
    """What the row fills in; a row that raises keeps what it has filled in until then."""

    def __post_init__(self) -> None:
        """The same chance for each run of this seed."""
        self.chance = Random(self.seed)

    def size(self, short: int, long: int) -> int:
        """How often something is done."""
        return long if self.is_long else short

    def serve(self, name: str = "games", argv: Sequence[str] = SERVE, **settings: str) -> "Scene":
        """A service on a folder of this run, started by `argv`."""
        return Scene(self, self.folder / name, settings, argv)

    def need(self, holds: object, fault: str) -> None:
        """Fail the row, for this reason, unless it holds."""
        self.outcome.need(holds, fault)

    def need_within(self, what: str, seconds: float, limit: float, *, queue: float = 1.0) -> None:
        """Say what was measured and its limit, and fail the row above it.

        The limit is that of a quiet machine. The long form has it as it stands; the short one, which runs beside other
        tests, allows for the machine's load. `queue`: how many clients wait for each processor by the row's own making.
        """
        allowed = max(stated(limit) if self.is_long else patience(limit / 2), queue * limit)
        told = f"{what} {_duration(seconds)}, limit {_duration(limit)}"
        if allowed > limit:
            told += f", {_duration(allowed)} on this machine now"
        self.outcome.notes.append(told)
        self.need(seconds <= allowed, told)


@dataclass
class Scene:
    """A running `serve`, its load, and the judgement of both. A context manager."""

    run: Run
    data: Path
    settings: dict[str, str]
    argv: Sequence[str] = SERVE

    def __enter__(self) -> Self:
        """Start the service."""
        settings = {"REIBACH_WEB_THREADS": "384", "REIBACH_POLL_LIMIT": "512"} | self.settings
        self._context = served(self.argv, self.data, errors=self.log, **settings)
        self.service: Served = self._context.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """End it; processes that were stopped must go on, or they couldn't end."""
        self._context.__exit__(*error)

    @property
    def url(self) -> str:
        """Of the service."""
        return self.service.url

    @property
    def log(self) -> Path:
        """What the service wrote to standard error."""
        return self.run.folder / f"{self.data.name}.log"

    def load(self, clients: int = 8, interval: float = 0.0, seed: object = "") -> Load:
        """People who will play here."""
        journals = self.run.folder / f"{self.data.name}.journals"
        return Load([self.url], journals, f"{self.run.seed} {seed}", clients, interval)

    def part(self, name: str) -> int:
        """The process id of a running part; waits for it while it is being restarted."""
        found: list[int] = []

        def look() -> bool:
            with suppress(StopIteration, ValueError, KeyError):
                found.append(part(self.service, name))
            return bool(found)

        wait_until(look, 30)
        return found[0]

    def client(self) -> redis.Redis:
        """A connection of the row's own to the embedded store."""
        return redis.Redis.from_url(EmbeddedStore(self.data).url)

    def get(self, path: str) -> tuple[int, Any]:
        """Status and JSON of one answer, whatever it is; status 0 without an answer."""
        return ask(self.url, "GET", path)

    def judge(self, load: Load) -> Findings:
        """Compare all that was promised with all that is stored; fills the row's numbers."""
        load.stop()
        source = {"REIBACH_DATA": str(self.data)} | self.settings
        return judge(self.run, [load], source, load.urls)


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def ask(url: str, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """Status and JSON of one try; 0 and None where there is no answer, or not in time."""
    try:
        answer = httpx.request(method, url + path, json=body, headers=headers, timeout=patience(10))
    except httpx.TransportError:
        return 0, None
    try:
        return answer.status_code, answer.json()
    except ValueError:
        return answer.status_code, answer.text


def judge(run: Run, loads: Sequence[Load], source: dict[str, str], urls: Sequence[str] = ()) -> Findings:
    """The verdict over the loads of one store: exports, own chain, own fold, receipts, audits.

    `source`: the settings by which `reibach export` reaches the store. `urls`: of the running service, for its keys,
    its audits and its own exports; without it these aren't asked.
    """
    outcome, journals = run.outcome, loads[0].journals
    for load in loads:
        load.stop()
        outcome.need(not load.errors, f"a client gave up: {[repr(error) for error in load.errors[:2]]}")
    exports = export(run, source)
    http = Connection(urls, Counter()) if urls else None  # the players' answers alone are counted
    keys = read_keys(http.settle("GET", "/v1/keys").content) if http else None
    if http:
        http.close()  # to verify may take longer than the service keeps an idle connection
    logs = read_logs(exports)
    findings = verify(read_journals(journals), logs, keys)
    outcome.acknowledged = findings.acknowledged + (outcome.acknowledged or 0)
    outcome.lost = len(findings.lost) + (outcome.lost or 0)
    outcome.doubled = len(findings.doubled) + (outcome.doubled or 0)
    outcome.torn = len(findings.torn) + (outcome.torn or 0)
    outcome.faults += findings.faults()
    unexpected = [one for load in loads for one in load.unexpected]
    outcome.need(not unexpected, f"{len(unexpected)} unexpected answers: {sorted(set(unexpected))[:3]}")
    if http:
        _compare_served(outcome, http, exports, [game for load in loads for game in load.games])
    outcome.notes.append(answers_of(loads))
    if pauses := [longest_pause(log) for log in logs.values()]:
        outcome.notes.append(f"{findings.games} games, longest wait for a scoring round {max(pauses):.1f} s")
    return findings


def pardon_loss(run: Run, scene: Scene) -> set[str]:
    """Where the store may lose what was acknowledged: strike that off the row's faults; any other fault stays.

    What was lost is played anew under the same versions. Returns the games that are gone as a whole.
    """
    acks = read_journals(run.folder / f"{scene.data.name}.journals")
    gone = {ack.game for ack in acks} - set(read_logs(run.folder / "exports"))
    allowed = ("lost: ", "doubled: ", *(f"audit of {game}: " for game in gone))
    run.outcome.faults[:] = [one for one in run.outcome.faults if not one.startswith(allowed)]
    return gone


def lost_events_told(scene: Scene) -> int:
    """How many lost events the service's metric tells of."""
    return sum(map(int, _COUNTED.findall(httpx.get(f"{scene.url}/metrics", timeout=patience(10)).text)))


def answers_of(loads: Sequence[Load]) -> str:
    """How many answers of each status there were."""
    total = sum((load.counts for load in loads), start=type(loads[0].counts)())
    return "answers: " + ", ".join(f"{count:,} x {status}" for status, count in sorted(total.items()))


def export(run: Run, source: dict[str, str], name: str = "exports") -> Path:
    """All games of a store, as files in a new folder, by the product's own command."""
    folder = run.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    ended = reibach("export", "--all", "--running", "--to", str(folder), **source)
    run.need(ended.returncode == 0, f"export: {ended.stderr.strip()[-300:]}")
    folder.mkdir(exist_ok=True)
    return folder


def reibach(*words: str, seconds: float = 1800, **settings: str) -> "subprocess.CompletedProcess[str]":
    """A command of the product, until it ends."""
    return subprocess.run(
        [*COMMAND, *words],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=patience(seconds),
        check=False,
    )


def _compare_served(outcome: Outcome, http: Connection, exports: Path, games: Sequence[str]) -> None:
    """Each game's audit finds no fault, and the service gives out a finished game as the same bytes."""
    for game in games:
        audit = http.settle("GET", f"/v1/games/{game}/audit")
        outcome.need(audit.status == 200 and audit.content["ok"] is True, f"audit of {game}: {audit.text[:200]!r}")
        kept = exports / f"{game}.ndjson"
        if kept.exists():
            told = http.settle("GET", f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"})
            outcome.need(told.text == kept.read_bytes(), f"{game}: the service's events differ from the export")
    http.close()


def end(pid: int, signal_number: int = signal.SIGKILL) -> float:
    """Send the signal; when, by the monotonic clock. A process that has ended meanwhile is no error."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal_number)
    return time.monotonic()


def store_version(client: redis.Redis) -> str:
    """Name and version of the server."""
    info = client.info("server")
    name = info.get("server_name", "redis")
    return f"{name} {info.get(f'{name}_version', info.get('redis_version'))}"


# Store programs that differ from the packaged one by options, or by what is preloaded into them.


def store_program(run: Run, *options: str, preload: Path | None = None, **variables: str) -> str:
    """A program for REIBACH_VALKEY_BINARY: the packaged server with further options, the last of which win."""
    path = run.folder / f"store-{len(list(run.folder.glob('store-*')))}"
    lines = ["#!/bin/sh", *(f"export {name}='{value}'" for name, value in variables.items())]
    lines += [f"export LD_PRELOAD='{preload}'"] if preload else ["unset LD_PRELOAD"]
    path.write_text("\n".join([*lines, f'exec "{_find_binary("")}" "$@" {" ".join(options)}', ""]), encoding="utf-8")
    path.chmod(0o700)
    return str(path)


def build_shim(folder: Path) -> Path:
    """The library of `shim.c`. Raises NotRun where there is no C compiler, or another system than Linux."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        raise NotRun("a C compiler on Linux is needed")
    path = folder / "shim.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, _SHIM, "-ldl"], check=True, capture_output=True)
    return path


@contextmanager
def store_on(data: Path, binary: str = "") -> Iterator[redis.Redis]:
    """A store alone over a folder. Raises StoreError where it refuses to start."""
    with running_store(data, binary) as store, redis.Redis.from_url(store.url) as client:
        yield client

"""The service as processes: store, web processes and worker of this checkout or another one, and what they use."""

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from redis import Redis

from service.connections.clients import connect
from tests.bench.common import ROOT, durable_store, process, serve

AGAINST = "REIBACH_BENCH_AGAINST"
"""Environment variable: the path of another checkout of this project, which is measured beside this one."""
AFTER, BEFORE = "service", "before"
"""Names of both."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service."""

    port: int
    url: str
    """Of its store."""
    store: Redis
    web: int
    """Process id of the web server, whose children are the web processes."""
    worker: int
    """Process id; 0: there is none."""

    def used(self) -> dict[str, float]:
        """Processor seconds so far: of the web processes, the worker and the store."""
        times = self.store.info("cpu")
        used = {"web": processor_seconds(self.web)}
        if self.worker:
            used["worker"] = processor_seconds(self.worker)
        return used | {"store": times["used_cpu_user"] + times["used_cpu_sys"]}


@contextmanager
def service(checkout: Path = ROOT) -> Iterator[Service]:
    """Run a store on the disk, two web processes and a worker, with the code of the checkout."""
    with ExitStack() as stack:
        url = stack.enter_context(durable_store())
        store = stack.enter_context(connect(url))
        port, web = stack.enter_context(serve(url, checkout=checkout))
        worker = stack.enter_context(run_worker(url, checkout))
        yield Service(port, url, store, web, worker)


@contextmanager
def bare_route(beside: Service) -> Iterator[Service]:
    """Run the bare route, of this checkout, on the store of a service."""
    with serve(beside.url, "tests.bench.bare_app:create") as (port, web):
        yield Service(port, beside.url, beside.store, web, 0)


@contextmanager
def run_worker(url: str, checkout: Path = ROOT, **environment: str) -> Iterator[int]:
    """Run `reibach worker` until the block ends; gives its process id once it is ready."""
    command = [sys.executable, "-m", "service.cli", "worker"]
    settings = os.environ | {"REIBACH_REDIS_URL": url} | environment
    with (
        connect(url) as store,
        process(command, lambda: store.smembers("rq:workers"), settings, quiet=True, folder=checkout) as number,
    ):
        yield number


def processor_seconds(number: int) -> float:
    """Processor time of a process and of all that it has started and that still run. Linux only."""
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = path.read_text(encoding="utf-8").rpartition(") ")[2].split()
            ticks[int(path.parent.name)] = int(fields[11]) + int(fields[12])
            children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    family = [number]
    for one in family:
        family += children.get(one, [])
    return sum(ticks[one] for one in family) / os.sysconf("SC_CLK_TCK")


@contextmanager
def other_checkout(name: str) -> Iterator[Path]:
    """The folder `name`, or a commit of that name, unpacked until the block ends."""
    if Path(name).is_dir():
        yield Path(name).absolute()
        return
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(["git", "archive", name], cwd=ROOT, stdout=subprocess.PIPE) as archive:
            assert archive.stdout is not None
            with tarfile.open(fileobj=archive.stdout, mode="r|") as content:
                content.extractall(folder, filter="data")
        if archive.returncode:
            raise SystemExit(f"{name} is neither a folder nor a commit")
        yield Path(folder)


def checkouts() -> dict[str, Path]:
    """What is measured side by side: this checkout, and the one that `AGAINST` names, if there is one."""
    other = os.environ.get(AGAINST)
    return {AFTER: ROOT} | ({BEFORE: Path(other)} if other else {})

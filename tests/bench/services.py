"""The service as processes: store, web processes and worker, and what they use."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from redis import Redis

from service.connections.clients import connect
from tests.bench.common import durable_store, process, serve


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
def service() -> Iterator[Service]:
    """Run a store on the disk, two web processes and a worker."""
    with ExitStack() as stack:
        url = stack.enter_context(durable_store())
        store = stack.enter_context(connect(url))
        port, web = stack.enter_context(serve(url))
        yield Service(port, url, store, web, stack.enter_context(run_worker(url)))


@contextmanager
def bare_route(beside: Service) -> Iterator[Service]:
    """Run the bare route on the store of a service."""
    with serve(beside.url, "tests.bench.bare_app:create") as (port, web):
        yield Service(port, beside.url, beside.store, web, 0)


@contextmanager
def run_worker(url: str) -> Iterator[int]:
    """Run a worker until the block ends; gives its process id once it is ready."""
    command = [sys.executable, "-m", "tests.bench.worker"]
    settings = os.environ | {"REIBACH_REDIS_URL": url}
    with (
        connect(url) as store,
        process(command, lambda: store.smembers("rq:workers"), settings, quiet=True) as number,
    ):
        yield number


def processor_seconds(number: int) -> float:
    """Processor time of a process and of all that it has started. Linux only."""
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = path.read_text(encoding="utf-8").rpartition(") ")[2].split()
            ticks[int(path.parent.name)] = sum(map(int, fields[11:15]))  # with children that have ended
            children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    family = [number]
    for one in family:
        family += children.get(one, [])
    return sum(ticks[one] for one in family) / os.sysconf("SC_CLK_TCK")

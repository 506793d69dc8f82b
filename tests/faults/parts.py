"""The parts of a running `serve`: found, killed, and waited for until they are back."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.health.heartbeat import POST, WORKER
from service.runtime.clock import now_ms
from tests.faults.served import Served
from tests.support.waiting import is_running, wait_until

PARTS: Final = ("store", "web process", "worker", "post")
_BEAT_MS: Final = 5000
"""How long a heartbeat lasts in the store."""


class Outage(NamedTuple):
    """From the death of a part until everything runs again; times in ms since 1970."""

    name: str
    began: int
    ended: int


def parents() -> dict[int, int]:
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    return found


def descendants(pid: int) -> dict[int, str]:
    """Their names, as `ps -o comm` shows them, by process id."""
    of = parents()
    found: dict[int, str] = {}
    ancestors = {pid}
    while new := {one for one, parent in of.items() if parent in ancestors} - ancestors:
        ancestors |= new
    for one in ancestors - {pid}:
        try:
            found[one] = Path(f"/proc/{one}/comm").read_text().rstrip()
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def find_post(serving: int) -> int:
    """The post process of a `serve`; 0 where it is missing."""
    return next((pid for pid, line in descendants(serving).items() if line == "reibach-post"), 0)


def part(service: Served, name: str) -> int:
    word = {"store": "valkey-server", "worker": "reibach-worker", "post": "reibach-post"}.get(name, "reibach-web")
    everyone, of = descendants(service.process.pid), parents()
    own = next(pid for pid, line in everyone.items() if word in line and of.get(pid) == service.process.pid)
    return min(descendants(own)) if name == "web process" else own


def kill(service: Served, name: str) -> Outage:
    everyone, victim = len(descendants(service.process.pid)), part(service, name)
    os.kill(victim, signal.SIGKILL)
    began = now_ms()
    wait_until(lambda: not is_running(victim), 30)
    wait_until(lambda: len(descendants(service.process.pid)) >= everyone and _works(service, began), 60, poll=0.05)
    return Outage(name, began, now_ms())


def _works(service: Served, since: int) -> bool:
    """Whether the service is ready, and its worker and post have said so since then."""
    try:
        left = [service.store.client.pttl(key) for key in (WORKER, POST)]
        is_ready = httpx.get(f"{service.url}/readyz", timeout=2).status_code == httpx.codes.OK
    except (StoreUnavailable, *STORE_ERRORS, httpx.TransportError):
        return False
    return is_ready and all(ttl > 0 and now_ms() - (_BEAT_MS - ttl) > since for ttl in left)

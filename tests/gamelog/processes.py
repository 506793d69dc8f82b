"""Processes of the state machine: each has its own cache, clock and connection, and can crash at a gap."""

from itertools import count

from service.connections.clients import Client
from service.gamelog.log import GAPS, GameLog
from service.gamelog.store.form.places import ArchiveFiles
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from tests.gamelog.ledger import SHARDS, LosingClient
from tests.support.world import Jobs, new_log, new_services

DEPLOYMENT = Deployment.new(SHARDS)


class Crash(BaseException):
    """The end of a process at a gap between two side effects."""


class Memory:
    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def write(self, name: str, value: bytes) -> None:
        assert self.files.setdefault(name, value) == value

    def read(self, name: str) -> bytes:
        return self.files[name]

    def names(self, prefix: str) -> list[str]:
        return [name for name in self.files if name.startswith(prefix)]

    def delete(self, name: str) -> None:
        self.files.pop(name, None)


class Process:
    """A process with a log: its cache, its clock, its connection."""

    def __init__(self, client: Client, jobs: Jobs, number: int, patience: float, files: ArchiveFiles) -> None:
        """The second process's clock is an hour behind."""
        self.client = LosingClient(client)
        self.crash_at = ""
        clock = count(10_000_000 - 3_600_000 * number)
        store = Store(self.client, SHARDS, patience, files=files)
        self.games = new_log(store, jobs=jobs, clock=lambda: next(clock), between=self.between)
        self.services = new_services(self.games, deployment=DEPLOYMENT)

    def between(self, gap: str) -> None:
        assert gap in GAPS
        if gap == self.crash_at:
            raise Crash(gap)


class Losing:
    """A process whose connection loses the calls or answers that `fates` names, for one request."""

    def __init__(self, process: Process, fates: list[str]) -> None:
        self.process, self.fates = process, fates

    def __enter__(self) -> GameLog:
        self.process.client.plan.extend(self.fates)
        return self.process.games

    def __exit__(self, *_: object) -> None:
        self.process.client.plan.clear()

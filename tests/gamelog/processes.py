"""Processes of the state machine: each has its own cache, clock and connection, and can crash at a gap."""

from itertools import count
from typing import Any, TypeAlias

from config.settings import Settings
from service.bootstrap import assemble
from service.connections.clients import Client
from service.gamelog.archive.places import ArchiveFiles
from service.gamelog.log import GAPS, GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from tests.gamelog.ledger import SHARDS, LosingClient

Jobs: TypeAlias = list[tuple[str, list[Any]]]
DEPLOYMENT = Deployment.new(SHARDS)


class Crash(BaseException):
    """The end of a process at a gap between two side effects."""


class Memory:
    """Archive files that are kept in memory."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def write(self, name: str, value: bytes) -> None:
        """One name, one value."""
        assert self.files.setdefault(name, value) == value

    def read(self, name: str) -> bytes:
        """No file is ever missing."""
        return self.files[name]


class Process:
    """A process with a log: its cache, its clock, its connection."""

    def __init__(self, client: Client, jobs: Jobs, number: int, patience: float, files: ArchiveFiles) -> None:
        """The second process's clock is an hour behind."""
        self.client = LosingClient(client)
        self.crash_at = ""
        clock = count(10_000_000 - 3_600_000 * number)
        reactions = Reactions(lambda function, _id, arguments: jobs.append((function, arguments)), 0.0)
        store = Store(self.client, SHARDS, patience, files=files)
        self.games = GameLog(store, reactions, clock=lambda: next(clock), between=self.between)
        self.services = assemble(Settings(), DEPLOYMENT, self.games)

    def between(self, gap: str) -> None:
        """Where it may end."""
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

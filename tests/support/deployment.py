"""A whole deployment in the tests' own process: web, worker and post on a real store, and a clock that a test moves."""

from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from random import Random

import httpx

from config.settings import Settings
from service.app import create_app, open_web
from service.bootstrap import Outside, assemble
from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from tests.support.waiting import patience
from workers.__main__ import bind_jobs
from workers.post.office import open_post
from workers.threads.reconciler import Reconciler

_BEGIN = 1_770_000_000_000
"""In ms since 1970."""
_SHARDS = 2
_STEPS = 1000
"""More than anything takes that is due at one moment."""


class DeploymentInProcess:
    """Requests go through `transport`; nothing else happens but in `work` and `later`."""

    def __init__(self, client: Client) -> None:
        """On an empty store. Bots play at once, webhooks may go to this machine."""
        self._now = _BEGIN
        self._jobs: deque[tuple[str, list[str | int]]] = deque()
        settings = Settings(rate_limit=0, allow_fixed_seed=True, webhook_allow_private=True)
        reactions = Reactions(lambda function, _, arguments: self._jobs.append((function, arguments)), bot_delay_s=0)
        games = GameLog(Store(client, _SHARDS, patience(3)), reactions, clock=lambda: self._now)
        outside = Outside(clock=lambda: self._now, chance=Random(1))
        services = assemble(settings, Deployment.new(_SHARDS), games, outside)
        self.web = open_web(services)
        self.transport = httpx.WSGITransport(create_app(self.web))
        self._functions = bind_jobs(services)
        self._reconciler = Reconciler(services)
        self._office = open_post(services, is_steady=lambda: True, threads=16)  # a game gets a quarter of them
        self._office.follower.follow()

    def work(self) -> None:
        """Let everything happen that is due now: jobs, orders, reminders, notices."""
        for _ in range(_STEPS):
            lines = self._office.follower.follow()  # first: it finds the orders of a turn that has begun
            due = self._reconciler.run_once()
            jobs = len(self._jobs)
            while self._jobs:
                function, arguments = self._jobs.popleft()
                self._functions[function](*arguments)
            self._office.reminders.tell_due()
            sent = self._office.lanes.send_due()
            assert self._office.lanes.wait(patience(30))
            if not (lines or due or jobs or sent):
                return
        raise AssertionError("there is always something due")

    def later(self, seconds: float) -> None:
        """Let time pass, and everything happen that is due then."""
        self._now += round(seconds * 1000)
        self.work()


@contextmanager
def deployment_on(client: Client) -> Iterator[DeploymentInProcess]:
    """A deployment on this store, which is empty."""
    deployment = DeploymentInProcess(client)
    with closing(deployment.web.hub):
        yield deployment

"""A whole deployment in the tests' own process: web, worker and post on a real store, and a clock that a test moves."""

from random import Random

from config.settings import Settings
from service.bootstrap import Outside
from service.connections.clients import Client
from tests.support.waiting import patience
from tests.support.world import Clock, Process
from workers.__main__ import bind_jobs
from workers.post.process import open_post
from workers.threads.bot_player import BotPlayer
from workers.threads.reconciler import Reconciler

_STEPS = 1000
"""More than anything takes that is due at one moment."""


class DeploymentInProcess(Process):
    """On an empty store. Nothing happens but requests, and what `work` and `later` do.

    Bots play at once, webhooks may go to this machine.
    """

    def __init__(self, client: Client) -> None:
        self._clock = Clock()
        settings = Settings(rate_limit=0, allow_fixed_seed=True, webhook_allow_private=True)
        outside = Outside(clock=self._clock, chance=Random(1))
        super().__init__(client, settings, services={"outside": outside}, clock=self._clock)
        self._functions = bind_jobs(self.services)
        self._reconciler = Reconciler(self.services)
        self._bots = BotPlayer(self.services, self._reconciler)
        self._office = open_post(self.services, is_steady=lambda: True, threads=16)  # a game gets a quarter of them
        self._office.follower.follow()

    def work(self) -> None:
        """Let everything happen that is due now: jobs, bots, orders, reminders, notices."""
        for _ in range(_STEPS):
            lines = self._office.follower.follow()  # first: it finds the orders of a turn that has begun
            due = self._reconciler.run_once() + self._bots.run_once()
            jobs = len(self.jobs)
            while self.jobs:
                function, arguments = self.jobs.pop(0)
                self._functions[function](*arguments)
            self._office.reminders.add_due()
            sent = self._office.pool.send_due()
            assert self._office.pool.wait(patience(30))
            if not (lines or due or jobs or sent):
                return
        raise AssertionError("there is always something due")

    def later(self, seconds: float) -> None:
        """Let time pass, and everything happen that is due then."""
        self._clock.now += round(seconds * 1000)
        self.work()

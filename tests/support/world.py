"""The one builder of what tests run in their own process: logs, services, web applications and their clients."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import fakeredis
import httpx
from flask.testing import FlaskClient

from config.settings import Settings
from service.api.protocol.request import Web
from service.app import create_app, open_web
from service.bootstrap import Services
from service.connections.clients import Client
from service.gamelog.archive.retention import Retention
from service.gamelog.live.hub import Hub
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from service.signing.deployment import Deployment
from tests.support.client import Api
from tests.support.closing import OPEN
from tests.support.waiting import patience

BEGIN = 1_770_000_000_000
"""Where clocks begin that a test moves, in ms since 1970."""
Jobs = list[tuple[str, list[Any]]]
"""What was enqueued: functions and arguments."""


class Clock:
    """Milliseconds since 1970, which only a test moves."""

    def __init__(self, now: int = BEGIN) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def new_client() -> Client:
    """fakeredis with a server of its own."""
    return fakeredis.FakeRedis(server=fakeredis.FakeServer())


def new_log(
    store: Store,
    *,
    jobs: Jobs | None = None,
    bot_delay_s: float = 0.0,
    retention: Retention = Retention(),  # noqa: B008 - it never changes
    clock: Callable[[], int] = now_ms,
    **more: Any,
) -> GameLog:
    """A log with an empty cache; `jobs` gets what is enqueued, `more` is GameLog's."""
    kept = [] if jobs is None else jobs
    reactions = Reactions(lambda name, _job, arguments: kept.append((name, arguments)), bot_delay_s, retention)
    return GameLog(store, reactions, clock=clock, **more)


def new_services(log: GameLog, settings: Settings | None = None, **more: Any) -> Services:
    """Around a log, of a deployment of its own; `more` is that of Services."""
    more.setdefault("deployment", Deployment.new(log.store.shards))
    return Services(settings or Settings(rate_limit=0, public_url="https://a.org"), games=log, **more)


def http_of(services: Services) -> FlaskClient:
    """werkzeug's client of a web application around them."""
    return create_app(open_web(services)).test_client()


class Process:
    """A process of a deployment around a log: one of its own on an empty fakeredis, unless one is given.

    Its jobs are kept. What a test doesn't ask for isn't built: the web application, werkzeug's client of it (`http`)
    and httpx's (`api`). It is closed at the end of the test, or of the test module, that makes it.
    """

    def __init__(
        self,
        log: GameLog | Store | Client | None = None,
        settings: Settings | None = None,
        *,
        shards: int = 2,
        services: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """`log`: also a store, or a client of so many shards. `services`: of Services; `more`: of `new_log`."""
        self.jobs: Jobs = []
        if not isinstance(log, GameLog):
            store = log if isinstance(log, Store) else Store(log or new_client(), shards, patience(3))
            log = new_log(store, jobs=self.jobs, **more)
        self.log = log
        self.services = new_services(log, settings, **services or {})
        OPEN.add(self)

    @cached_property
    def web(self) -> Web:
        return open_web(self.services)

    @property
    def hub(self) -> Hub:
        return self.services.hub

    @cached_property
    def http(self) -> FlaskClient:
        return create_app(self.web).test_client()

    @cached_property
    def api(self) -> Api:
        transport = httpx.WSGITransport(self.http.application)
        return Api(httpx.Client(transport=transport, base_url="http://reibach.test"))

    def close(self) -> None:
        if "api" in vars(self):
            self.api.http.close()
        self.hub.close()

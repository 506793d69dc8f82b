"""The service in the tests' own process, over a real store: for answers that no property of processes changes."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx

from config.settings import Settings
from service.app import create_app, open_web
from service.bootstrap import assemble
from service.connections.clients import connect
from service.gamelog.archive.places import open_archive_files
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from tests.support.client import Api
from tests.support.waiting import patience


@contextmanager
def log_over(address: str, shards: int) -> Iterator[GameLog]:
    """A log of the test's own on a service's store, to play games without requests. No worker plays its bots."""
    with closing(connect(address)) as client:
        yield GameLog(Store(client, shards, patience(3)), Reactions(lambda *_: None, bot_delay_s=3600))


@contextmanager
def api_over(address: str, deployment: Deployment, files: str = "") -> Iterator[Api]:
    """A client of a service with an empty cache over the store at `address`; `files`: its folder of archives.

    No worker scores its rounds or plays its bots: a test does so through a log of its own.
    """
    with closing(connect(address)) as client:
        folder = open_archive_files(files) if files else None
        store = Store(client, deployment.shards, patience(3), files=folder)
        log = GameLog(store, Reactions(lambda *_: None, 0.0))
        settings = Settings(rate_limit=0, allow_fixed_seed=True)
        web = open_web(assemble(settings, deployment, log))
        transport = httpx.WSGITransport(create_app(web))
        with closing(web.hub), httpx.Client(transport=transport, base_url="http://reibach.test") as http:
            yield Api(http)

"""The service in the tests' own process, over a real store: for answers that no property of processes changes."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx

from config.settings import Settings
from service.app import create_app, open_web
from service.bootstrap import assemble
from service.gamelog.archive.places import open_archive_files
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store, connect
from service.signing.deployment import open_deployment
from tests.support.client import Api
from tests.support.waiting import patience


@contextmanager
def api_over(address: str, shards: int, files: str) -> Iterator[Api]:
    """A client of a service with an empty cache; the store at `address` has its secrets, `files` its archives.

    It has no workers: rounds are scored, and bots played, by who calls it.
    """
    with closing(connect(address)) as client:
        store = Store(client, shards, patience(3), files=open_archive_files(files))
        log = GameLog(store, Reactions(lambda *_: None, 0.0))
        settings = Settings(rate_limit=0, allow_fixed_seed=True)
        web = open_web(assemble(settings, open_deployment(client, shards, ""), log))
        transport = httpx.WSGITransport(create_app(web))
        with closing(web.hub), httpx.Client(transport=transport, base_url="http://reibach.test") as http:
            yield Api(http)

"""The service in the tests' own process, over a real store: for answers that no property of processes changes."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from config.settings import Settings
from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from tests.support.client import Api
from tests.support.waiting import patience
from tests.support.world import Process, new_log


@contextmanager
def log_over(address: str, shards: int) -> Iterator[GameLog]:
    """A log of the test's own on a service's store, to play games without requests. No worker plays its bots."""
    with closing(connect(address)) as client:
        yield new_log(Store(client, shards, patience(3)), bot_delay_s=3600)


@contextmanager
def api_over(address: str, deployment: Deployment, files: str = "") -> Iterator[Api]:
    """A client of a service with an empty cache over the store at `address`; `files`: its folder of archives.

    No worker scores its rounds or plays its bots: a test does so through a log of its own.
    """
    with closing(connect(address)) as client:
        store = Store(client, deployment.shards, patience(3), files=open_archive_files(files) if files else None)
        settings = Settings(rate_limit=0, allow_fixed_seed=True)
        with closing(Process(store, settings, services={"deployment": deployment})) as process:
            yield process.api

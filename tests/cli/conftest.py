"""A store that the commands find and that nobody serves."""

from collections.abc import Iterator

import pytest
import redis

from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import open_deployment

SHARDS = 4


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address."""
    store = EmbeddedStore(tmp_path_factory.mktemp("unserved") / "store")
    store.start()
    yield store.url
    store.stop()


@pytest.fixture
def empty(address: str) -> dict[str, str]:
    """The settings by which a command finds it, empty."""
    with redis.Redis.from_url(address) as client:
        client.flushall()
    return {"REIBACH_REDIS_URL": address}


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """The same, with a deployment and no game."""
    with redis.Redis.from_url(address) as client:
        client.flushall()
        open_deployment(client, SHARDS, "")
        yield Store(client, SHARDS)

"""A log on each kind of store."""

import pytest

from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, open_games
from tests.support.waiting import patience


@pytest.fixture
def log_store(client: Client) -> Store:
    """The log's store, with a short retry time: these stores don't become unavailable."""
    return Store(client, SHARDS, patience=patience(0.5))


@pytest.fixture
def games(client: Client) -> GameLog:
    return open_games(client)

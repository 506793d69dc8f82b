"""What tests of workers share."""

import signal
from collections.abc import Iterator

import pytest

from service.bootstrap import Services
from service.connections.clients import Client
from tests.gamelog.ledger import open_games
from tests.support.world import new_services


@pytest.fixture
def services(real_client: Client) -> Services:
    return new_services(open_games(real_client))


@pytest.fixture
def own_signals() -> Iterator[None]:
    """RQ's worker takes over the signals of its process: here of the tests', which gets its own back."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)

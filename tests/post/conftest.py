"""Fixtures of the tests of post."""

from collections.abc import Iterator

import pytest

from service.connections.clients import Client
from tests.gamelog.ledger import open_games
from tests.post.inbox import Table
from tests.post.processes import World
from tests.post.test_smtp import Inbox
from tests.support.receivers import Receiver, answer, receiver


@pytest.fixture
def table(client: Client) -> Table:
    """A game for two whose seats can answer mails, at a time of the test's own."""
    return Table(open_games(client), client, [1_800_000_000_000])


@pytest.fixture
def world(real_client: Client) -> World:
    return World(real_client)


@pytest.fixture
def found() -> Iterator[Receiver]:
    with receiver(answer()) as found:
        yield found


@pytest.fixture
def mailbox() -> Inbox:
    return Inbox()

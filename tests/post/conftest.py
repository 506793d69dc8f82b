"""Fixtures of the tests of post."""

import pytest

from service.connections.clients import Client
from tests.gamelog.ledger import open_games
from tests.post.inbox import Table


@pytest.fixture
def table(client: Client) -> Table:
    """A game for two whose seats can answer mails, at a time of the test's own."""
    return Table(open_games(client), client, [1_800_000_000_000])

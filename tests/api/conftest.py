"""Fixtures of the tests of conditions and credentials and of notifications."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.gamelog.log import GameLog
from tests.api.desks import House, house_on
from tests.api.worlds import World
from tests.gamelog.ledger import finish
from tests.support.client import Api, Table


@pytest.fixture
def game(api: Api) -> Table:
    return api.create(2)


@pytest.fixture
def table(api: Api) -> Iterator[Table]:
    """A game of two with seat 0 on turn, which the test must not change: it stays at version 5."""
    table = api.create(2)
    yield table
    assert api.version(table) == 5


@pytest.fixture(scope="session")
def over(api: Api, service_log: GameLog) -> Table:
    table = api.create(2)
    finish(service_log, table.id)
    return table


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def house(server: Any) -> House:
    return house_on(server("valkey"))


@pytest.fixture
def limited(server: Any) -> House:
    return house_on(server("valkey"), rate_limit=1000)


@pytest.fixture
def without_mail(server: Any) -> House:
    return house_on(server("valkey"), mail=False)


@pytest.fixture
def delivering(server: Any) -> House:
    return house_on(server("valkey"), delivers=True)

"""Fixtures of the tests of conditions and credentials, of notifications and of the generated client."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.desks import House, house_on
from tests.api.generated import GeneratedClient, generated_client
from tests.support.client import Api, Table


@pytest.fixture
def game(api: Api) -> Table:
    """A new game of two, seat 0 to play."""
    return api.create(2)


@pytest.fixture
def house(server: Any) -> Iterator[House]:
    """With a mail server, without limits of a client."""
    yield from house_on(server("valkey"))


@pytest.fixture
def limited(server: Any) -> Iterator[House]:
    """With all limits."""
    yield from house_on(server("valkey"), rate_limit=1000)


@pytest.fixture
def without_mail(server: Any) -> Iterator[House]:
    """Without a mail server."""
    yield from house_on(server("valkey"), mail=False)


@pytest.fixture
def delivering(server: Any) -> Iterator[House]:
    """With an outbox."""
    yield from house_on(server("valkey"), delivers=True)


@pytest.fixture(scope="session")
def generated(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedClient]:
    """Made from the running service's document."""
    document = api.get("/v1/openapi.json").content
    with generated_client(document, tmp_path_factory.mktemp("generated")) as client:
        yield client

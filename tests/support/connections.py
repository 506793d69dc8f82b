"""A pytest plugin: connections to stores, and whatever says so, are closed at the end of the test, or of the test
module, that opens them.

redis-py's connections are cycles of references, which only the garbage collector frees; where it comes to a socket
before it comes to the socket's connection, it warns, in whichever test that is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakSet

import pytest
from redis.connection import AbstractConnection

from tests.support.closing import OPEN

_CONNECTED: Final[list[WeakSet[AbstractConnection]]] = [WeakSet()]
"""Those of the session, of the module, and of the test that runs."""
_connect: Final = AbstractConnection.connect_check_health


def _connect_and_note(connection: AbstractConnection, *args: Any, **kwargs: Any) -> None:
    _connect(connection, *args, **kwargs)
    _CONNECTED[-1].add(connection)


AbstractConnection.connect_check_health = _connect_and_note  # type: ignore[method-assign]


@contextmanager
def _closed_connections() -> Iterator[None]:
    """Close all connections that are new at the end. One that is used again connects again."""
    opened = set(OPEN)
    _CONNECTED.append(WeakSet())
    yield
    for one in set(OPEN) - opened:
        one.close()
    for connection in set(_CONNECTED.pop()):
        connection.disconnect()


@pytest.fixture(autouse=True, scope="module")
def _connections_of_module() -> Iterator[None]:
    with _closed_connections():
        yield


@pytest.fixture(autouse=True)
def _connections_of_test() -> Iterator[None]:
    with _closed_connections():
        yield

"""When a process compares all games that it remembers: as soon as the store's history may have changed."""

from collections.abc import Callable
from typing import Any, Final

from redis.exceptions import ResponseError

from service.connections.clients import STORE_ERRORS, Client
from service.connections.topology import server_states

_UNKNOWN: Final[tuple[Any, ...]] = ("unknown",)


class Review:
    """Calls `compare` when a server's replication id has changed, or the store could not be reached for a moment.

    A restart, a failover and a full synchronisation change that id.
    """

    def __init__(self, client: Client, compare: Callable[[], None]) -> None:
        """`compare`: compares what is remembered; raises one of STORE_ERRORS, or StoreUnavailable, to be called again.

        Not called for the history in which the process has begun.
        """
        self._client = client
        self._compare = compare
        self._failures = 0
        self._compared: tuple[Any, ...] = ()

    def ask(self) -> None:
        """Ask for the ids: one round trip for each primary. Raises one of STORE_ERRORS, and what `compare` does."""
        try:
            history = (*self._ids(), self._failures)
        except STORE_ERRORS:
            self._failures += 1
            raise
        if self._compared and history != self._compared:
            self._compare()
        self._compared = history

    def _ids(self) -> tuple[Any, ...]:
        try:
            return tuple(state["master_replid"] for state in server_states(self._client, "replication"))
        except (ResponseError, KeyError):  # managed services may forbid INFO
            self._client.ping()
            return _UNKNOWN

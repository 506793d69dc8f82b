"""Refuses a store that isn't the one with which the process was started: emptied, or another deployment's.

A process must open no game there: its tokens would be invalid after the next start.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import redis
import structlog
from redis.exceptions import ResponseError

from service.connections.clients import Client
from service.signing.deployment import Deployment, identity_in, identity_place

logger = structlog.get_logger("service.gamelog")

_WRONG: Final = "this store isn't the deployment's"


class WrongStoreReached(ResponseError):
    """A connection leads to a store that isn't the deployment's. Every command on it is refused."""


class StoreGuard:
    """Looks at each new connection of a client, and at the store whenever it is asked to. Safe for threads."""

    def __init__(
        self, client: Client, deployment: Deployment, keys_file: str, on_wrong: Sequence[Callable[[], None]] = ()
    ) -> None:
        """From now on new connections of `client` are checked; not a cluster's: a node has some of the keys alone.

        `on_wrong` is called when the store has become a wrong one, and with each `check` while it is.
        """
        self._client = client
        self._identity = deployment.identity
        self._keys_file = keys_file
        self._place = identity_place(keys_file)
        self.is_wrong = False
        self._on_wrong = on_wrong
        if type(client) is redis.Redis:
            client.connection_pool.connection_kwargs["redis_connect_func"] = self._greet

    def check(self) -> None:
        """Look at the store: one round trip. Raises WrongStoreReached, and redis-py's errors."""
        try:
            self._judge(self._client.get(self._place))
        except WrongStoreReached:
            # Connections that are open may lead there, too, if the store was emptied under them.
            disconnect = getattr(self._client, "connection_pool", None)
            if disconnect is not None:
                disconnect.disconnect(inuse_connections=False)
            for tell in self._on_wrong:
                tell()
            raise

    def _greet(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("GET", self._place)
        self._judge(connection.read_response())

    def _judge(self, value: bytes | None) -> None:
        is_wrong = identity_in(value, self._keys_file) != self._identity
        if is_wrong != self.is_wrong:
            self.is_wrong = is_wrong
            if is_wrong:
                logger.error("the store isn't this deployment's: all requests get 503 (see `reibach accept-store`)")
            else:
                logger.warning("the store is this deployment's again")
        if is_wrong:
            raise WrongStoreReached(_WRONG)

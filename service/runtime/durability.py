"""Whether a store keeps what it acknowledges, by its own settings: the embedded one does, others may not."""

from collections.abc import Iterable

from redis import Redis
from redis.exceptions import NoPermissionError, ResponseError
from redis.utils import str_if_bytes

from service.runtime.embedded import StoreError


def check_servers(servers: Iterable[Redis], replicas: int = 0) -> str | None:
    """The first warning about any server of a store; None where there is none. Raises redis-py's errors."""
    warnings = [check_store(server, replicas) for server in servers]
    return next((warning for warning in warnings if warning), None)


def check_store(client: Redis, replicas: int = 0) -> str | None:
    """A warning if acknowledged events may be lost in this server, or if that can't be known; None if it is durable.

    `replicas`: how many must have an event on disk. Raises StoreError if the server may evict games, or can't wait.
    """
    unknown = "The store doesn't tell its settings: acknowledged events may not be on disk."
    try:
        policy = client.info("memory").get("maxmemory_policy")
        if policy is None:
            policy = _setting(client, "maxmemory-policy")
        if policy != "noeviction":
            raise StoreError(f"the store would evict games (maxmemory-policy is {policy}): set it to noeviction")
        state = client.info("persistence")
        # While it reads its files a store reports that it writes none.
        is_durable = _setting(client, "appendonly") == "yes" if state.get("loading") else bool(state.get("aof_enabled"))
        missing = _missing_replicas(client, replicas) if replicas else None
        if not is_durable:
            return "The store isn't durable (appendonly is no): acknowledged events can be lost when it stops."
        fsync = _setting(client, "appendfsync")
    except ResponseError:  # managed services may forbid CONFIG, or even INFO
        if replicas:
            _check_wait(client)
        return unknown
    if fsync != "always":
        return f"The store isn't durable (appendfsync is {fsync}): the last acknowledged events can be lost in a crash."
    return missing


def _missing_replicas(client: Redis, replicas: int) -> str | None:
    """A warning if a primary has too few replicas now. Raises StoreError if it can't wait for them."""
    state = client.info("replication")
    if state.get("role") != "master":
        return None
    _check_wait(client)
    there = int(state.get("connected_slaves", 0))
    if there >= replicas:
        return None
    return (
        f"The store has {there} replicas (REIBACH_REPLICAS is {replicas}): until there are more, no action is accepted."
    )


def _check_wait(client: Redis) -> None:
    """Raise StoreError if the server can't wait until replicas have a write on disk."""
    try:
        client.execute_command("WAITAOF", 1, 0, 1)  # type: ignore[no-untyped-call]
    except NoPermissionError:
        raise StoreError("REIBACH_REPLICAS needs WAIT and WAITAOF, which this user of the store may not use") from None
    except ResponseError as error:
        text = str(error)
        if "unknown command" in text:
            raise StoreError("REIBACH_REPLICAS needs a store with WAITAOF: Redis 7.2 or newer, or Valkey") from None
        if "appendonly" in text:
            raise StoreError("REIBACH_REPLICAS needs a store that writes to disk: set appendonly to yes") from None
        if "replica" not in text:
            raise


def _setting(client: Redis, name: str) -> str:
    for key, value in client.config_get(name).items():
        if key and value and str_if_bytes(key) == name:
            return str_if_bytes(value)
    raise ResponseError(f"the store doesn't tell its {name}")

"""Whether a store keeps what it acknowledges, by its own settings: the embedded one does, others may not."""

from redis import Redis
from redis.exceptions import ResponseError
from redis.utils import str_if_bytes

from service.runtime.embedded import StoreError


class StoreUnfit(StoreError):
    """The store is configured to evict games."""


def check_store(client: Redis) -> str | None:
    """A warning if acknowledged events may be lost in this store, or if that can't be known; None if it is durable.

    Raises StoreUnfit if the store may evict games.
    """
    unknown = "The store doesn't tell its settings: acknowledged events may not be on disk."
    try:
        policy = client.info("memory").get("maxmemory_policy")
        if policy is None:
            policy = _setting(client, "maxmemory-policy")
        if policy != "noeviction":
            raise StoreUnfit(f"the store would evict games (maxmemory-policy is {policy}): set it to noeviction")
        if not client.info("persistence").get("aof_enabled"):
            return "The store isn't durable (appendonly is no): acknowledged events can be lost when it stops."
        fsync = _setting(client, "appendfsync")
    except ResponseError:  # managed services may forbid CONFIG, or even INFO
        return unknown
    if fsync != "always":
        return f"The store isn't durable (appendfsync is {fsync}): the last acknowledged events can be lost in a crash."
    return None


def _setting(client: Redis, name: str) -> str:
    for key, value in client.config_get(name).items():
        if key and value and str_if_bytes(key) == name:
            return str_if_bytes(value)
    raise ResponseError(f"the store doesn't tell its {name}")

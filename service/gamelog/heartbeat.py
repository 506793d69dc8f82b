"""Whether a worker is alive: each shows a sign of life every second, and is believed dead after a few without."""

from service.gamelog.store.streams import Store

_PREFIX = "reibach:worker"
_BELIEVED_MS = 5000


def send_heartbeat(store: Store) -> None:
    """Called by a worker about every second."""
    store.client.set(_PREFIX, 1, px=_BELIEVED_MS)


def is_worker_alive(store: Store) -> bool:
    """Whether any worker has shown a sign of life lately."""
    return bool(store.with_retries(lambda: store.client.exists(_PREFIX)))

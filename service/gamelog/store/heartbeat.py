"""The workers' heartbeat: a key that each worker renews every second, and that expires after 5 s."""

from service.gamelog.store.streams import Store

_KEY = "reibach:worker"
_EXPIRES_MS = 5000


def send_heartbeat(store: Store) -> None:
    """Renew the heartbeat; a worker calls this about every second."""
    store.client.set(_KEY, 1, px=_EXPIRES_MS)


def is_worker_alive(store: Store) -> bool:
    """Whether any worker has sent a heartbeat in the last 5 seconds. Raises StoreUnavailable."""
    return bool(store.with_retries(lambda: store.client.exists(_KEY)))

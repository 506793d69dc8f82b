"""The store of a deployment, for an operator's command: whether or not it is being served at the moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from config.settings import Settings
from service.gamelog.store.scripts import Client
from service.gamelog.store.streams import connect
from service.runtime.embedded import EmbeddedStore, StoreFailed, StoreInUse


@contextmanager
def store_at_hand(settings: Settings, *, new: bool = False) -> Iterator[Client]:
    """A client of the store that `settings` name; an embedded one that isn't running is started for the while.

    Raises StoreError; unless `new`, also where there is no such store yet.
    """
    if settings.redis_url:
        yield from _client(settings.redis_url)
        return
    if not new and not settings.data.is_dir():
        raise StoreFailed(f"there is no folder {settings.data}")
    store = EmbeddedStore(settings.data, settings.valkey_binary)
    try:
        store.start()
    except StoreInUse:
        if not store.socket_file.is_socket():
            raise
        yield from _client(store.url)
        return
    try:
        yield from _client(store.url)
    finally:
        store.stop()


def _client(url: str) -> Iterator[Client]:
    client = connect(url)
    try:
        yield client
    finally:
        client.close()

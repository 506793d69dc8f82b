"""The assets of the last releases, in the store: a page of one release finds its scripts at a process of another.

Rule 1: what is read is served only where its digest is the one that the page asks for.
Rule 2: the release that a process has started with last is the newest. The oldest go, with what no other one has.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain
from threading import Event, Thread
from typing import Final

import structlog

from service.api.docs.static_content import StaticContent
from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store
from service.runtime.guards.threads import name_fault

KEY: Final = "reibach:assets"
RELEASES: Final = 4
"""So many are kept."""
LARGEST: Final = 1 << 20
"""Bytes of a release's assets, all together; one with more isn't published."""
_REMEMBERED: Final = 32
"""Assets of other releases that a process keeps."""
_PAUSE_S: Final = 30.0
"""Between two tries to publish."""
_PUBLISH: Final = Script.load("releases_publish.lua", room="service.web")

logger = structlog.get_logger("service.web")


def publish(store: Store, contents: Mapping[str, bytes]) -> None:
    """Put a release's assets, by `<digest>/<name>`, into the store. Raises ValueError, StoreUnavailable, CorruptLog.

    One round trip where they are there, from the start of another process.
    """
    if sum(map(len, contents.values())) > LARGEST:
        raise ValueError("the assets are too large")

    def run(*words: object) -> bool:
        release = " ".join(sorted(contents))
        return bool(
            store.with_retries(lambda: store.client.eval(_PUBLISH.text, 1, KEY, release, RELEASES, *words), KEY)
        )

    if not run():
        run(*chain.from_iterable(contents.items()))


def start_publishing(store: Store, load: Callable[[], Mapping[str, bytes]], stopped: Event) -> Thread:
    """Publish what `load` gives in a thread of its own, which tries until it has, or until `stopped` is set."""

    def run() -> None:
        is_logged = False
        while not stopped.is_set():
            try:
                publish(store, load())
            except Exception as error:  # noqa: BLE001 - this process serves its own assets all the same
                if not is_logged:
                    logger.warning("other releases can't serve this one's assets yet", reason=name_fault(error))
                is_logged = True
                stopped.wait(_PAUSE_S)
            else:
                return

    thread = Thread(target=run, name="assets", daemon=True)
    thread.start()
    return thread


@lru_cache(_REMEMBERED)  # what raises isn't kept
def find_asset(store: Store, digest: str, name: str) -> StaticContent:
    """An asset of another release. Raises LookupError where none of the last ones has it; and StoreUnavailable."""
    content = store.with_retries(lambda: store.client.hget(KEY, f"{digest}/{name}"), KEY)
    if content is None or (asset := StaticContent.of(content)).digest != digest:
        raise LookupError(name)
    return asset

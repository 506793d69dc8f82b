"""What becomes of a game to which nothing was appended for long: archived, or deleted if it was never used.

Rule 1: nothing is decided on a list or a memory: the whole game is read when its look is due, and each script compares
version and hash. An append at the same moment wins, or is refused because the game is gone.
Rule 2: only unused games are deleted (`retention.py`), and none that waits for a worker.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from domain.clock.waiting import WaitingFor, waiting_for
from domain.state import Game
from service.gamelog.archive.compaction import compact
from service.gamelog.archive.retention import Retention, is_unused
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.history import decode_events
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.streams import Store

GAP: Final = "read, not written"
"""Between reading a game and writing: in tests something happens to the game here."""
_FOR_WORKERS: Final = (WaitingFor.SCORING, WaitingFor.BOT)


class Expiry(StrEnum):
    KEPT = "kept"
    """Nothing: it isn't quiet, has changed meanwhile, or doesn't exist."""
    ARCHIVED = "archived"
    DELETED = "deleted"


def expire(  # noqa: PLR0913 - what the archiver is made with, and the moment
    store: Store,
    game: str,
    retention: Retention,
    kind: str,
    now: int,
    between: Callable[[str], None] = lambda _gap: None,
    warn: Callable[[Game, int], None] = lambda _game, _until: None,
) -> Expiry:
    """Archive or delete a game if it has been quiet for long enough, or put off its next look.

    `kind`: of a finished game's archive, `store` or `files`; `now`: ms since 1970. `warn` is called before an unused
    game is deleted, with the time of that, and may be called again. Raises CorruptLog and StoreUnavailable.
    """
    reading = store.read(game)
    head = apply_entries(EMPTY, reading.entries, reading.hash).game
    if bool(reading.hash) != bool(head.version):
        raise CorruptLog(f"game {game} has lost its log, or its header")
    if not head.version:
        store.forget_missing(game)
        return Expiry.KEPT
    waiting = waiting_for(head)
    unused = is_unused(head, decode_events(reading.entries)) and waiting is not None
    limit = retention.limit_ms(head, unused=unused)
    between(GAP)
    if limit is None or head.at + limit > now:
        look = None if limit is None else head.at + limit
        if look is not None and unused and retention.unused_ms is not None:
            if now >= look - retention.warning_ms:
                warn(head, look)
            else:
                look -= retention.warning_ms
        store.postpone(game, head.version, reading.hash, look)
        return Expiry.KEPT
    if unused and retention.unused_ms is not None and waiting and waiting.reason not in _FOR_WORKERS:
        return Expiry.DELETED if store.delete(game, head.version, reading.hash) else Expiry.KEPT
    if compact(store, game, kind, now - limit, running_until=now + limit):
        return Expiry.ARCHIVED
    store.postpone(game, head.version, reading.hash, None if head.over else now + limit)  # archived already
    return Expiry.KEPT

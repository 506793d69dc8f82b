"""Archives finished games that have been quiet for long enough, beside the jobs and at its own pace.

Not a job: a thousand games that were brought in at once would stand in the queue before a scoring round.
"""

import threading
from typing import Any, Final

import redis
import structlog

from service.gamelog.codec import CorruptLog
from service.gamelog.compaction import compact
from service.gamelog.handle import now_ms
from service.gamelog.open import OpenLog
from service.gamelog.store import StoreUnavailable
from workers.claims import CLAIM

_TICK_S: Final = 5.0
_AT_ONCE: Final = 20
"""Games of a shard in one pass: each takes some milliseconds of a processor that players wait for, too."""
_LEASE_MS: Final = 3600_000
"""A game that couldn't be archived is tried again after this time."""

log = structlog.get_logger("workers.archive")


class Archiver:
    """Looks through the lists of quiet games every few seconds."""

    def __init__(self, opened: OpenLog, kind: str, quiet_s: float) -> None:
        """`kind`: `store` or `files`; `quiet_s`: how long a game must have been quiet. Begins with `start`."""
        self._store = opened.store
        self._kind = kind
        self._quiet_ms = round(quiet_s * 1000)
        self._stop = threading.Event()
        self._claim: Any = opened.store.client.register_script(CLAIM)
        self._thread = threading.Thread(target=self._run, name="archiver", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End, after the game that is being archived."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.archive_quiet()
            except (redis.exceptions.RedisError, StoreUnavailable, OSError) as error:
                log.warning("the store is away", reason=type(error).__name__)
            self._stop.wait(_TICK_S)

    def archive_quiet(self) -> int:
        """Archive the games whose time has come; returns how many were."""
        done = 0
        for quiet in self._store.shard_keys("quiet"):
            now = now_ms()
            for game in self._claim(keys=[quiet], args=[now, now + _LEASE_MS, _AT_ONCE]):
                if self._stop.is_set():
                    return done
                done += self._archive(game.decode(), now - self._quiet_ms)
        return done

    def _archive(self, game: str, quiet_since: int) -> bool:
        try:
            compacted = compact(self._store, game, self._kind, quiet_since)
        except (CorruptLog, StoreUnavailable) as error:  # of this game, or of the place of the files
            log.error("a game can't be archived", game=game, reason=str(error))
            return False
        if compacted:
            log.info("a game is archived", game=game, before=compacted.before, after=compacted.after)
        return compacted is not None

"""Archives finished games that have been quiet for long enough, beside the jobs and at its own pace.

Not a job: a thousand games that were brought in at once would stand in the queue before a scoring round.
"""

from typing import Final

import structlog

from service.bootstrap import Services
from service.gamelog.archive.compaction import compact
from service.gamelog.errors import CorruptLog, StoreUnavailable
from service.runtime.clock import now_ms
from workers.periodic import PeriodicTask

_TICK_S: Final = 5.0
_AT_ONCE: Final = 20
"""Games of a shard in one pass: each takes some milliseconds of a processor that players wait for, too."""
_LEASE_MS: Final = 3600_000
"""A game that couldn't be archived is tried again after this time."""

logger = structlog.get_logger("workers.archiver")


class Archiver(PeriodicTask):
    """Looks through the lists of quiet games every few seconds."""

    def __init__(self, services: Services, kind: str, quiet_s: float) -> None:
        """`kind`: `store` or `files`; `quiet_s`: how long a game must have been quiet. Begins with `start`."""
        super().__init__(services, "archiver", _TICK_S)
        self._kind = kind
        self._quiet_ms = round(quiet_s * 1000)

    def run_once(self) -> int:
        """Archive the games whose time has come; returns how many were."""
        done = 0
        for quiet in self._services.store.shard_keys("quiet"):
            for game in self._due(quiet, _LEASE_MS, _AT_ONCE):
                if self._stop.is_set():
                    return done
                done += self._archive(game, now_ms() - self._quiet_ms)
        return done

    def _archive(self, game: str, quiet_since: int) -> bool:
        try:
            compacted = compact(self._services.store, game, self._kind, quiet_since)
        except (CorruptLog, StoreUnavailable) as error:  # of this game, or of the place of the files
            logger.error("a game can't be archived", game=game, reason=str(error))
            return False
        if compacted:
            logger.info("a game is archived", game=game, before=compacted.before, after=compacted.after)
        return compacted is not None

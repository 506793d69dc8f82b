"""The archiver: archives finished games that have been quiet for long enough.

A thread, not a job: a thousand games imported at once would otherwise queue ahead of a scoring round.
"""

from typing import Final

import structlog

from service.bootstrap import Services
from service.gamelog.archive.compaction import compact
from service.gamelog.errors import CorruptLog, StoreUnavailable
from workers.periodic import PeriodicTask

_PAUSE_S: Final = 5.0
_LIMIT: Final = 20
"""Games of a shard in one round: each takes milliseconds of a processor that players need, too."""
_LEASE_MS: Final = 3600_000
"""A game that couldn't be archived is tried again after this time."""

logger = structlog.get_logger("workers.archiver")


class Archiver(PeriodicTask):
    """Reads the lists of quiet games every few seconds."""

    def __init__(self, services: Services, kind: str, quiet_s: float) -> None:
        """`kind`: `store` or `files`; `quiet_s`: how long a game must have been quiet. Begins with `start`."""
        super().__init__(services, "archiver", _PAUSE_S)
        self._kind = kind
        self._quiet_ms = round(quiet_s * 1000)

    def run_once(self) -> int:
        """Archive the games that are due; returns how many were archived."""
        count = 0
        (quiet,) = self._find_due("quiet")
        for game in self._claim(quiet, _LEASE_MS, _LIMIT):
            if self._stop.is_set():
                break
            count += self._archive(game, self._services.outside.clock() - self._quiet_ms)
        return count

    def _archive(self, game: str, quiet_since: int) -> bool:
        try:
            compacted = compact(self._services.store, game, self._kind, quiet_since)
        except (CorruptLog, StoreUnavailable) as error:  # of this game, or of the archive files
            logger.error("a game can't be archived", game=game, reason=str(error))
            return False
        if compacted:
            logger.info("a game is archived", game=game, before=compacted.before, after=compacted.after)
        return compacted is not None

"""The archiver: archives games that have been quiet for long enough, and deletes unused ones.

A thread, not a job: a thousand games imported at once would otherwise queue ahead of a scoring round.
"""

from itertools import chain
from typing import Final

import structlog

from domain.state import Game
from service.bootstrap import Services
from service.gamelog.archive.expiry import Expiry, expire
from service.gamelog.archive.retention import Retention
from service.gamelog.store.errors import CorruptLog, StoreUnavailable
from service.post.notices import UNUSED
from workers.counts import COUNTS
from workers.threads.periodic import PeriodicTask

_PAUSE_S: Final = 5.0
_LIMIT: Final = 20
"""Games of a shard in one round: each takes milliseconds of a processor that players need, too."""
_LEASE_MS: Final = 3600_000
"""A game that couldn't be archived is tried again after this time."""

logger = structlog.get_logger("workers.threads.archiver")


class Archiver(PeriodicTask):
    def __init__(self, services: Services, kind: str, retention: Retention) -> None:
        """`kind`: of a finished game's archive, `store` or `files`. Begins with `start`."""
        super().__init__(services, "archiver", _PAUSE_S)
        self._kind = kind
        self._retention = retention

    def run_once(self) -> int:
        """Archive or delete the games that are due; returns for how many that was done."""
        count = 0
        (quiet,) = self._find_due("quiet")
        for game in chain.from_iterable(self._claim([key], _LEASE_MS, _LIMIT) for key in quiet):
            if self._stop.is_set():
                break
            count += self._expire(game) is not Expiry.KEPT
        return count

    def _expire(self, game: str) -> Expiry:
        try:
            now = self._services.outside.clock()
            done = expire(self._services.store, game, self._retention, self._kind, now, warn=self._warn)
        except (CorruptLog, StoreUnavailable) as error:  # of this game, or of the archive files
            logger.error("a quiet game can't be archived", game=game, reason=str(error))
            return Expiry.KEPT
        if done is not Expiry.KEPT:
            COUNTS.add("reibach_games_expired", done.value)
            logger.info("a quiet game is archived or deleted", game=game, done=done.value)
        return done

    def _warn(self, game: Game, until: int) -> None:
        """Mail its subscribers that it is about to be deleted; each once, as the outbox knows."""
        for seat, kept in self._services.subscriptions.load(game.id).items():
            if kept.confirmed_email is not None:
                queue, detail = self._services.registrar.queue, {seat: str(until)}
                queue.send_mails(UNUSED, game.id, detail, kept.generation, game.version)

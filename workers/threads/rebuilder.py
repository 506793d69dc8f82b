"""The rebuilder: when a worker starts, it fills lists of what waits that were deleted again, from the games.

A thread of its own: a rebuild of many games takes minutes, in which the reconciler has to work.
"""

from typing import Final

import structlog

from service.bootstrap import Services
from service.gamelog.waiting_lists import find_broken
from workers.counts import COUNTS
from workers.threads.periodic import PeriodicTask

_PAUSE_S: Final = 10.0
"""After one that has failed."""
_GAMES: Final = 50
"""After so many that were read there is a pause: they take the processor that also runs the jobs."""
_BREAK_S: Final = 0.05

logger = structlog.get_logger("workers.threads.rebuilder")


class Rebuilder(PeriodicTask):
    """Ends when the lists have been found whole, or were rebuilt."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, "rebuilder", _PAUSE_S)

    def run_once(self) -> int:
        """Rebuild the lists that aren't whole; returns how many games the due lists lacked.

        A rebuild that is stopped, or fails, leaves no mark, so it is done again.
        """
        restored = 0
        try:
            if shards := find_broken(self._services.store):
                for number, is_new in enumerate(self._services.waiting_lists.rebuild(shards), 1):
                    restored += is_new
                    if self._stop.wait(0 if number % _GAMES else _BREAK_S):
                        return restored
            self.end()
        finally:  # also of a rebuild that fails: the next one doesn't find these missing
            if restored:
                COUNTS.add("reibach_games_relisted", amount=restored)
                logger.warning("games were missing from the lists of due games, and are back", games=restored)
        return restored

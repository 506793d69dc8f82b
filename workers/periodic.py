"""What a worker does beside its jobs, again and again, in a thread of its own."""

import threading
from abc import ABC, abstractmethod
from typing import Any, Final

import redis
import structlog

from service.bootstrap import Services
from service.gamelog.errors import StoreUnavailable
from service.runtime.clock import now_ms

_CLAIM: Final = """
-- KEYS 1 list of games by the time they are due   ARGV 1 now  2 when to look again (both ms since 1970)  3 how many
-- Whoever claims a game puts it off in the same step, so that no two workers claim it at once.
local games = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, game in ipairs(games) do
  redis.call('ZADD', KEYS[1], 'XX', ARGV[2], game)
end
return games
"""

logger = structlog.get_logger("workers.periodic")


class PeriodicTask(ABC):
    """A thread that looks round after each pause; a store that is away does not end it."""

    def __init__(self, services: Services, name: str, pause_s: float) -> None:
        """Begins with `start`."""
        self._services = services
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._claim: Any = services.store.client.register_script(_CLAIM)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End, after the game that is in hand."""
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def run_once(self) -> int:
        """Do what is due; returns for how many games. Raises StoreUnavailable and redis-py's errors."""

    def _due(self, key: str, lease_ms: int, at_once: int) -> list[str]:
        """Games whose time in the list has come, claimed for `lease_ms`: no other worker gets them meanwhile."""
        now = now_ms()
        return [game.decode() for game in self._claim(keys=[key], args=[now, now + lease_ms, at_once])]

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.run_once()
            except (redis.exceptions.RedisError, StoreUnavailable, OSError) as error:
                logger.warning("the store is away", reason=type(error).__name__)
            self._stop.wait(self._pause_s)

"""The bot player: plays the turns of bots that are due, one after the other, without a job for each.

Rule 1: games with people come first. Of games that only bots play, or that wait for a dear bot, few are claimed at a
time, and a single one while others wait.
Rule 2: what is claimed is played before its lease ends. If the worker crashes, the turns that it had claimed are due
again at that time; when it stops, at most the turn that is being played delays it.
"""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import CorruptLog, NoSuchGame, StoreUnavailable
from workers.bots import play_turn, plays_bot
from workers.counts import PLAY_TURN, counted_job
from workers.threads.periodic import PeriodicTask, QueueUnavailable
from workers.threads.reconciler import Reconciler

_LONGEST_PAUSE_S: Final = 0.1
_SHORTEST_PAUSE_S: Final = 0.02
_LEASE_S: Final = 3.0
_MOST_TURNS: Final = 20
_MOST_OF_BOTS: Final = 5
"""Games that are claimed at a time: of those with people, and of the others."""


class BotPlayer(PeriodicTask):
    """Looks for due turns after a tenth of the time that a bot waits."""

    def __init__(self, services: Services, reconciler: Reconciler) -> None:
        """`reconciler`: looks at listed games that wait for no bot. Begins with `start`."""
        pause_s = max(_SHORTEST_PAUSE_S, min(services.settings.bot_delay / 10, _LONGEST_PAUSE_S))
        super().__init__(services, "bots", pause_s)
        self._look_at = reconciler.look_at
        self._play = counted_job(PLAY_TURN, partial(play_turn, services))

    def run_once(self) -> int:
        """Play until no turn is due; returns the number of games."""
        count = 0
        while not self._stop.is_set():
            turns, bots = self._find_due("turns", "bots")
            if not turns and not bots:
                break
            for keys, most in ((turns, _MOST_TURNS), (bots, 1 if turns else _MOST_OF_BOTS)):
                count += self._play_some(keys, most) if keys else 0
        return count

    def _play_some(self, keys: Sequence[str], most: int) -> int:
        count, ends = 0, time.monotonic() + _LEASE_S
        for name in self._claim(keys, round(1000 * _LEASE_S), most):
            if self._stop.is_set() or time.monotonic() >= ends:
                break
            try:
                self._play_or_look(name)
            except (StoreUnavailable, QueueUnavailable, *STORE_ERRORS):
                raise
            except Exception as error:  # noqa: BLE001 - one game stops no other
                self._note(error)
            count += 1
        return count

    def _play_or_look(self, name: str) -> None:
        games = self._services.games
        try:
            if any(plays_bot(load(name).game) for load in (games.load_cached, games.load)):
                self._play(name)
                return
        except (NoSuchGame, CorruptLog):
            pass
        self._look_at(name)

"""The rebuilder: notices that a list of what waits was deleted, and fills it again from the games.

A thread of its own: a rebuild of many games takes minutes, in which the reconciler has to go on.
"""

import time
from typing import Final

import structlog

from domain.clock.waiting import WaitingFor, waiting_for
from domain.state import Game
from service.bootstrap import Services
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.errors import CorruptLog
from service.gamelog.store.waiting_lists import Place, Rebuild, find_broken
from workers.counts import COUNTS
from workers.threads.periodic import PeriodicTask

_PAUSE_S: Final = 10.0
_RENEW_S: Final = 2.0
_GAMES: Final = 50
"""After so many that were read there is a pause: they take the processor that also runs the jobs."""
_BREAK_S: Final = 0.05
_BREAK_OF_A_PAGE_S: Final = 0.01

logger = structlog.get_logger("workers.threads.rebuilder")


class Rebuilder(PeriodicTask):
    """Looks at the lists' marks every ten seconds: one round trip, however many games there are."""

    def __init__(self, services: Services) -> None:
        """Begins with `start`."""
        super().__init__(services, "rebuilder", _PAUSE_S)
        self._renewed = 0.0
        self._read = 0
        self._restored = 0

    def run_once(self) -> int:
        """Rebuild the lists that aren't whole; returns how many games the due lists lacked.

        A rebuild that is stopped, or fails, leaves no mark, so it is done again.
        """
        store = self._services.store
        broken = find_broken(store)
        if not broken:
            return 0
        rebuild, self._renewed, self._read = Rebuild(store), time.monotonic(), 0
        if not (shards := rebuild.take(broken)):  # another worker is at it
            return 0
        self._restored = 0
        try:
            self._rebuild(rebuild, len(shards))
        finally:  # also of a rebuild that fails: the next one doesn't find these missing
            if self._restored:
                COUNTS.add("reibach_games_relisted", amount=self._restored)
                logger.warning("games were missing from the lists of due games, and are back", games=self._restored)
        return self._restored

    def _rebuild(self, rebuild: Rebuild, shards: int) -> None:
        is_told = False
        for page, is_archived in rebuild.find_missing():
            for game in page:
                if not self._go_on(rebuild):
                    return
                if not is_told:  # a new store has nothing to look at, and nothing to tell
                    logger.info("lists of waiting games without the mark of whole ones are rebuilt", shards=shards)
                    is_told = True
                self._restored += self._restore(rebuild, game, is_archived=is_archived)
            self._stop.wait(_BREAK_OF_A_PAGE_S)
            if not self._go_on(rebuild):
                return
        if not rebuild.finish():
            logger.warning("servers were replaced or slots moved during a rebuild of lists: it is done again")

    def _go_on(self, rebuild: Rebuild) -> bool:
        """Whether the worker isn't ending, and no other one has taken the lists."""
        if self._read >= _GAMES:
            self._read = 0
            self._stop.wait(_BREAK_S)
        if self._stop.is_set():
            return False
        if time.monotonic() - self._renewed >= _RENEW_S:
            self._renewed = time.monotonic()
            return rebuild.renew()
        return True

    def _restore(self, rebuild: Rebuild, name: str, *, is_archived: bool) -> bool:
        """Put a game into the lists that lack it; whether the due lists did."""
        store = self._services.store
        self._read += 1
        judged = None
        while not self._stop.is_set():
            try:
                # Not by the cache: games that nobody plays would push others out.
                reading = store.read(name)
                head = apply_entries(EMPTY, reading.entries, reading.hash)
                if head is EMPTY and not reading.hash:  # it was deleted meanwhile
                    return False
                # No append was in the way where it is as it was before: then the header says otherwise.
                if head is EMPTY or judged == (head.game.version, head.hash):
                    raise CorruptLog(f"the log of game {name} isn't the one of its header")
                judged = head.game.version, head.hash
                place = self._place(head.game, head.hash, is_archived=is_archived)
            except CorruptLog as error:
                logger.error("a game that can't be read is in no list of waiting games", game=name, reason=str(error))
                return False
            is_new = rebuild.place(place)
            if is_new is not None:
                return is_new
            # An append has placed it, unless that was a message. These are limited, so this ends.
        return False

    def _place(self, game: Game, last_hash: bytes, *, is_archived: bool) -> Place:
        services, now = self._services, self._services.clock.now_ms()
        reactions = services.reactions
        waiting = waiting_for(game)
        due_in, due_at = reactions.due(game, waiting, now)
        if waiting and waiting.reason is WaitingFor.SEAT and services.orders.load_active(game):
            due_at = now  # the reconciler looks at orders, and sets the time at which the turn ends
        is_done = game.over and is_archived
        look_at = None if is_done else reactions.look_at(game, opened=None if game.over else now)
        return Place(game.id, game.version, last_hash, due_in, due_at, look_at)

"""Whether a new game may be opened: what games that only bots play may take in all, and what the store has room for.

Both limits concern new games alone. Every running game continues, whatever they say.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final

from domain.commands import SeatPlan
from service.gamelog.store.errors import StoreFull, TooManyBotGames
from service.gamelog.store.health.memory import MemoryGauge
from service.gamelog.store.streams import Store

_WAIT_S: Final = 1.0
"""How long a request waits for those of this process that are opening bot-only games, too."""


class Admission:
    """Admits new games. Safe for threads."""

    def __init__(self, store: Store, most_bot_games: int, memory: MemoryGauge) -> None:
        """`most_bot_games`: running games that only bots play, in the whole deployment; 0: no limit."""
        self._store = store
        self._most = most_bot_games
        self._memory = memory
        self._opening = Lock()

    @contextmanager
    def admit(self, seats: Sequence[SeatPlan]) -> Iterator[None]:
        """Open a game within the `with` block. Raises StoreFull and TooManyBotGames; StoreUnavailable.

        Games with a named or open seat cost no round trip. The others are counted in the store, one at a time in each
        process, so that the limit is passed by no more than the number of other processes that open one at that moment.
        """
        if self._memory.is_full:
            raise StoreFull
        if not self._most or not all(seat.bot for seat in seats):
            yield
            return
        if not self._opening.acquire(timeout=_WAIT_S):
            raise TooManyBotGames(self._most)
        try:
            if self._store.count_bot_games() >= self._most:
                raise TooManyBotGames(self._most)
            yield
        finally:
            self._opening.release()

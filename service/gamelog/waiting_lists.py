"""Rebuilds the lists of what waits for a worker or the archiver from the games, for a host who has lost some of them.

Rule: workers and players go on meanwhile. A game is put into a list in one step with the check that it is as it was
judged, and never over a time that is there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import structlog

from domain.clock.waiting import WaitingFor, waiting_for
from domain.state import Game
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.orders.book import OrderBook
from service.gamelog.reactions import Reactions
from service.gamelog.store.commit import Expect
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.keys import DueList
from service.gamelog.store.streams import Store

KINDS: Final = ("due", "turns", "bots", "quiet")
"""The lists of a shard."""

logger = structlog.get_logger("service.gamelog")


def is_waiting(store: Store, game: str, version: int) -> bool:
    """Whether the game is in a due list of its shard, or is no longer at that version: one read."""
    keys = store.keys(game)
    scores = (("ZSCORE", getattr(keys, kind), game) for kind in KINDS[:3])
    now, *times = store.read_together(("HGET", keys.head, "version"), *scores)
    return now != str(version).encode() or any(time is not None for time in times)


class _Place(NamedTuple):
    due_in: DueList
    due_at: int | None
    """When a worker must look at the game, in ms since 1970; None: no worker has to."""
    look_at: int | None
    """When the archiver must; None: never."""


@dataclass(frozen=True, slots=True)
class WaitingLists:
    _store: Store
    _reactions: Reactions
    _orders: OrderBook
    _clock: Callable[[], int]
    """The store's time, in ms since 1970."""

    def rebuild(self) -> int:
        """Put the games into the lists that lack them; how many the due lists lacked.

        Raises StoreUnavailable and redis-py's errors.
        """
        names = (name for games in self._store.scan_headers(500) for name in games)
        return sum(self._restore(name) for name in names if self._is_missing(name))

    def _is_missing(self, game: str) -> bool:
        """Whether it is in no due list, or not in the archiver's: one round trip.

        In a file is no running game, and it may be out of reach.
        """
        keys = self._store.keys(game)
        scores = (("ZSCORE", getattr(keys, kind), game) for kind in KINDS)
        field, *times, look_at = self._store.read_together(("HGET", keys.head, "archive"), *scores)
        return b":files:" not in (field or b"") and (look_at is None or times == [None] * len(times))

    def _restore(self, name: str) -> bool:
        """Put a game into the lists that lack it; whether the due lists did. Raises StoreUnavailable."""
        judged = None
        while True:
            try:
                # Not by the cache: games that nobody plays would push others out.
                reading = self._store.read(name)
                head = apply_entries(EMPTY, reading.entries, reading.hash)
                if head is EMPTY and not reading.hash:  # it was deleted meanwhile
                    return False
                # No append was in the way where it is as it was before: then the header says otherwise.
                if head is EMPTY or judged == (head.game.version, head.hash):
                    raise CorruptLog(f"the log of game {name} isn't the one of its header")
                judged = head.game.version, head.hash
                is_archived = reading.place is not None and reading.place.version == head.game.version
                place = self._judge(head.game, is_archived=is_archived)
            except CorruptLog as error:
                logger.error("a game that can't be read is in no list of waiting games", game=name, reason=str(error))
                return False
            is_new = self._put(name, *judged, place)
            if is_new is not None:
                return is_new
            # An append has placed it, unless that was a message. These are limited, so this ends.

    def _judge(self, game: Game, *, is_archived: bool) -> _Place:
        now, waiting = self._clock(), waiting_for(game)
        due_in, due_at = self._reactions.due(game, waiting, now)
        if waiting and waiting.reason is WaitingFor.SEAT and self._orders.may_end_turn(game):
            due_at = now  # the reconciler looks at orders, and sets the time at which the turn ends
        is_done = game.over and is_archived
        look_at = None if is_done else self._reactions.look_at(game, opened=None if game.over else now)
        return _Place(due_in, due_at, look_at)

    def _put(self, game: str, version: int, last_hash: bytes, place: _Place) -> bool | None:
        """Put a game into the lists that lack it; whether the due lists did. None if it has changed meanwhile.

        A time that is there stays: it is an append's, or the lease of a worker that is at the game. No round trip for
        one that waits for nothing. May run twice.
        """
        store, keys, state = self._store, self._store.keys(game), Expect(version=version, hash=last_hash)
        look = "ZADD", keys.quiet, "NX", place.look_at, game
        if place.look_at is not None and store.commit(game, state, [look], safely=False):
            return None
        if place.due_at is None:
            return False
        state = state._replace(unlisted=[(key, game) for key in keys.due_lists.values()])
        due = "ZADD", keys.due_lists[place.due_in], place.due_at, game
        refused = store.commit(game, state, [due], safely=False)
        return None if refused and refused.word == "conflict" else refused is None

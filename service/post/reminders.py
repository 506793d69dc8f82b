"""When players are reminded of their turns.

Rule 1: the plan may be lost or old. A reminder is judged by the game's state when it is due, and once more when it
is sent; the outbox takes each reminder once.
Rule 2: no reminder is sent while the clock isn't steady.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import structlog

from domain.clock.deadline import reminder_at
from domain.state import Game
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.reader import GameReader
from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store
from service.post.notices import due_reminders, is_reminder_time
from service.post.outbox import Outbox
from service.post.subscriptions import Subscriptions

_PLAN: Final = Script.load("reminders_plan.lua", room="service.post")
_REMOVE: Final = """
-- KEYS 1 the shard's reminders   ARGV 1 game   2 its time, as it was read: another one is another reminder
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if at and tonumber(at) == tonumber(ARGV[2]) then
  redis.call('ZREM', KEYS[1], ARGV[1])
end
"""
_KIND: Final = "reminders"
_LIMIT: Final = 20
"""Games of a shard in one round."""

logger = structlog.get_logger("service.post.reminders")


def plan_reminder(store: Store, game: Game) -> None:
    """Set the reminder of the running turn, as the game is now; a newer version's plan stays.

    Raises StoreUnavailable.
    """
    if game.pace is None:
        return
    at = reminder_at(game)
    keys = store.outbox(game.id), f"{store.tag(game.id)}:{_KIND}"
    words = game.id, game.version, "" if at is None else at
    store.with_retries(lambda: store.client.eval(_PLAN.text, len(keys), *keys, *words))


class _Planned(NamedTuple):
    game: str
    at: int
    """In ms since 1970."""


class Reminders:
    """The planned reminders of all games: one sorted set for each shard."""

    def __init__(  # noqa: PLR0913 - what they are made of
        self,
        store: Store,
        games: GameReader,
        subscriptions: Subscriptions,
        outbox: Outbox,
        clock: Callable[[], int],
        is_steady: Callable[[], bool],
    ) -> None:
        """`clock`: milliseconds since 1970; `is_steady`: whether it can be trusted."""
        self._store = store
        self._games = games
        self._subscriptions = subscriptions
        self._outbox = outbox
        self._clock = clock
        self._is_steady = is_steady

    def tell_due(self) -> int:
        """Add the reminders that are due to the outbox; returns for how many games one was due.

        Raises StoreUnavailable.
        """
        if not self._is_steady():
            return 0
        due = self._find_due()
        found = self._subscriptions.load_many([planned.game for planned in due])
        for planned, subscriptions in zip(due, found, strict=True):
            try:
                game = self._games.load(planned.game).game
            except NoSuchGame:  # deleted meanwhile
                self._remove(planned)
                continue
            except CorruptLog as error:
                logger.error("a game with a reminder can't be read", game=planned.game, reason=str(error))
                self._remove(planned)
                continue
            now, at = self._clock(), reminder_at(game)
            if at is not None and at > now:
                plan_reminder(self._store, game)
                continue
            if is_reminder_time(game, now):
                self._outbox.add(due_reminders(game, subscriptions))
            self._remove(planned)
        return len(due)

    def _find_due(self) -> list[_Planned]:
        now = self._clock()

        def look() -> list[list[tuple[bytes, float]]]:
            pipeline = self._store.client.pipeline(transaction=False)
            for key in self._store.shard_keys(_KIND):
                pipeline.zrangebyscore(key, "-inf", now, start=0, num=_LIMIT, withscores=True)
            return list(pipeline.execute())

        return [_Planned(game.decode(), int(at)) for found in self._store.with_retries(look) for game, at in found]

    def _remove(self, planned: _Planned) -> None:
        key = f"{self._store.tag(planned.game)}:{_KIND}"
        self._store.with_retries(lambda: self._store.client.eval(_REMOVE, 1, key, planned.game, planned.at))

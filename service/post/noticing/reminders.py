"""When players are reminded of their turns.

Rule 1: the plan may be lost or old. A reminder is judged by the game's state when it is due, and once more when it
is sent; the outbox takes each reminder once.
Rule 2: no reminder is sent while the clock isn't steady.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from domain.clock.deadline import reminder_times
from domain.state import Game
from service.connections.scripts import Script
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame
from service.gamelog.store.streams import Store
from service.post.noticing.due import due_reminders
from service.post.outbox import Outbox
from service.post.subscriptions import Subscriptions

_PLAN: Final = Script.load("reminders_plan.lua", room="service.post.noticing")
_KIND: Final = "reminders"
_LIMIT: Final = 20
"""Games of a shard in one round."""

logger = structlog.get_logger("service.post.noticing.reminders")


def plan_reminder(store: Store, game: Game) -> None:
    """Set the first reminder of the running turn, as the game is now; a newer version's plan stays."""
    if game.pace is not None:
        _plan(store, game, next(iter(reminder_times(game)), None))


def _plan(store: Store, game: Game, at: int | None) -> None:
    """Set the game's reminder; None removes it."""
    keys = store.outbox(game.id), f"{store.tag(game.id)}:{_KIND}"
    store.run(_PLAN, keys, game.id, game.version, "" if at is None else at)


@dataclass(frozen=True, slots=True)
class Reminders:
    """The planned reminders of all games: one sorted set for each shard. Methods raise StoreUnavailable."""

    store: Store
    games: GameReader
    subscriptions: Subscriptions
    outbox: Outbox
    clock: Callable[[], int]
    """Milliseconds since 1970."""
    is_steady: Callable[[], bool]
    """Whether it can be trusted."""

    def add_due(self) -> int:
        """Add the reminders that are due to the outbox; returns for how many games one was due."""
        if not self.is_steady():
            return 0
        rows = "-inf", self.clock(), "LIMIT", 0, _LIMIT
        lists = self.store.call_each(*(("ZRANGEBYSCORE", key, *rows) for key in self.store.shard_keys(_KIND)))
        due = [game.decode() for games in lists for game in games]
        each_game = self.subscriptions.load_many(due)
        for name, subscriptions in zip(due, each_game, strict=True):
            try:
                game = self.games.load(name).game
            except (NoSuchGame, CorruptLog) as error:  # deleted meanwhile
                if isinstance(error, CorruptLog):
                    logger.error("a game with a reminder can't be read", game=name, reason=str(error))
                self.store.call_each(("ZREM", f"{self.store.tag(name)}:{_KIND}", name))
                continue
            now = self.clock()
            if notices := due_reminders(game, subscriptions, now):
                self.outbox.add(notices)
            _plan(self.store, game, next((at for at in reminder_times(game) if at > now), None))
        return len(due)

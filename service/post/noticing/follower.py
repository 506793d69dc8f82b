"""Follows every game through the feed, and adds the notices that its players must get to the outbox.

Rule 1: a line is dealt with before the position moves past it, so a crash repeats it; the outbox takes nothing twice.
Rule 2: a line of a game without subscriptions costs its share of two reads for many lines, one of them for orders.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from domain.events import EventRecord
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame, NoSuchVersion
from service.gamelog.store.feed import Feed, FeedLine, PositionLost
from service.post.notices import MESSAGE, PEOPLE, PEOPLE_EVENTS, POSTED, WORDS_OF_TYPES
from service.post.noticing.due import due_notices, news
from service.post.noticing.reminders import plan_reminder
from service.post.outbox import Outbox
from service.post.subscriptions import Subscription, Subscriptions

READER: Final = "post"
_MOST_TOLD: Final = 50
"""Messages and events about people of a game, notified of after the reader has lost its position: the newest."""

logger = structlog.get_logger("service.post.noticing.follower")


@dataclass(frozen=True, slots=True)
class Follower:
    """A reader of the feed. Several processes may follow at the same time."""

    feed: Feed
    games: GameReader
    subscriptions: Subscriptions
    outbox: Outbox
    note_lines: Callable[[Sequence[FeedLine]], None] = lambda _lines: None
    """Gets all lines, those of games without subscriptions, too: standing orders may have something to do."""

    def follow(self) -> int:
        """Deal with the next lines; returns their number. Raises StoreUnavailable, and redis-py's errors."""
        try:
            batches = self.feed.read()
            lines = [line for batch in batches for line in batch.lines]
            if lines:
                self._deal(lines)
                self.feed.advance(batches)
        except PositionLost:
            return self._rebuild()
        return len(lines)

    def _rebuild(self) -> int:
        count = 0
        for page in self.feed.rebuild_pages():
            self._deal(page)
            count += len(page)
        if count:
            logger.info("the feed was read anew", games=count)
        return count

    def _deal(self, lines: Sequence[FeedLine]) -> None:
        """Notify of what the lines say, game by game. The games' newest state counts, so each is loaded once."""
        self.note_lines(lines)
        by_game: dict[str, list[FeedLine]] = {}
        for line in lines:
            by_game.setdefault(line.game, []).append(line)
        every = self.subscriptions.load_many(list(by_game))
        for (name, news_of_game), subscriptions in zip(by_game.items(), every, strict=True):
            if subscriptions:
                try:
                    self._notify(name, news_of_game, subscriptions)
                except (NoSuchGame, NoSuchVersion):
                    pass  # deleted meanwhile
                except CorruptLog as error:  # the other games are still followed
                    logger.error("a game with subscriptions can't be read", game=name, reason=str(error))

    def _notify(self, name: str, lines: Sequence[FeedLine], subscriptions: Mapping[int, Subscription]) -> None:
        game = self.games.load(name).game
        first, until = lines[0], lines[-1].version
        on = {word for subscription in subscriptions.values() for word in subscription.on}
        wanted = {POSTED} if WORDS_OF_TYPES[MESSAGE] in on else set()
        wanted |= PEOPLE_EVENTS if WORDS_OF_TYPES[PEOPLE] in on else set()
        if first.types:
            after = first.version - len(first.types)
            has_some = any(not wanted.isdisjoint(line.types) for line in lines)
            told = self._read(name, wanted, after, until) if has_some else []
        else:  # a rebuild
            read = self.outbox.read_until(name)
            after = until if read is None else read
            told = self._read(name, wanted, after, until)[-_MOST_TOLD:]
        notices = due_notices(game, subscriptions) + news(game, subscriptions, after, until, told)
        if notices or game.over:
            self.outbox.add(notices, {name: until})
        plan_reminder(self.games.store, game)

    def _read(self, game: str, wanted: set[str], after: int, until: int) -> list[EventRecord]:
        """The events of these types among those versions."""
        if after >= until or not wanted:
            return []
        _, events = self.games.load_events(game, after, until - after)
        return [event for event in events if event["type"] in wanted]

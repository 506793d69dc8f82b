"""Follows every game through the feed, and adds the notices that its players must get to the outbox.

Rule 1: a line is dealt with before the position moves past it, so a crash repeats it; the outbox takes nothing twice.
Rule 2: a line of a game without subscriptions costs its share of two reads for many lines, one of them for orders.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from domain.state import Game
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion
from service.gamelog.reader import GameReader
from service.gamelog.store.feed import Feed, FeedBatch, FeedLine, PositionLost
from service.post.due import due_notices, news
from service.post.notices import MESSAGE, POSTED, WORDS_OF_TYPES
from service.post.outbox import Outbox
from service.post.reminders import plan_reminder
from service.post.subscriptions import Subscription, Subscriptions

READER: Final = "post"
_MOST_MESSAGES: Final = 50
"""Of a game, notified of after the reader has lost its position: the newest."""
_PORTION: Final = 100
"""Lines after which positions move: so a process that is killed repeatedly makes progress all the same."""

logger = structlog.get_logger("service.post.follower")


@dataclass(frozen=True, slots=True)
class Follower:
    """A reader of the feed. Several processes may follow at the same time."""

    feed: Feed
    games: GameReader
    subscriptions: Subscriptions
    outbox: Outbox
    note_lines: Callable[[Sequence[FeedLine]], None] = lambda _lines: None
    """Gets all lines, those of games without subscriptions, too: standing orders may have something to do."""

    def follow(self, heartbeat: Callable[[], None] = lambda: None) -> int:
        """Deal with the next lines; returns their number. Raises StoreUnavailable, and redis-py's errors.

        `heartbeat` is called repeatedly meanwhile: to read the feed anew takes as long as there are games.
        """
        try:
            batches = self.feed.read()
            for portion in _portions(batches):
                self._deal([line for batch in portion for line in batch.lines], heartbeat)
                self.feed.advance(portion)
        except PositionLost:
            return self._rebuild(heartbeat)
        return sum(len(batch.lines) for batch in batches)

    def _rebuild(self, heartbeat: Callable[[], None]) -> int:
        count = 0
        for page in self.feed.rebuild_pages():
            heartbeat()
            self._deal(page, heartbeat)
            count += len(page)
        if count:
            logger.info("the feed was read anew", games=count)
        return count

    def _deal(self, lines: Sequence[FeedLine], heartbeat: Callable[[], None]) -> None:
        """Notify of what the lines say, game by game. The games' newest state counts, so each is loaded once."""
        self.note_lines(lines)
        by_game: dict[str, list[FeedLine]] = {}
        for line in lines:
            by_game.setdefault(line.game, []).append(line)
        found = self.subscriptions.load_many(list(by_game))
        for (name, own), subscriptions in zip(by_game.items(), found, strict=True):
            if subscriptions:
                heartbeat()
                try:
                    self._notify(name, own, subscriptions)
                except (NoSuchGame, NoSuchVersion):
                    pass  # deleted meanwhile
                except CorruptLog as error:  # the other games are still followed
                    logger.error("a game with subscriptions can't be read", game=name, reason=str(error))

    def _notify(self, name: str, lines: Sequence[FeedLine], subscriptions: Mapping[int, Subscription]) -> None:
        game = self.games.load(name).game
        first, until = lines[0], lines[-1].version
        if first.types:
            after, has_message = first.version - len(first.types), any(POSTED in line.types for line in lines)
        else:  # a rebuild
            read = self.outbox.read_until(name)
            after, has_message = (until if read is None else read), game.messages > 0
        authors: dict[int, int] = {}
        if has_message and any(WORDS_OF_TYPES[MESSAGE] in one.on for one in subscriptions.values()):
            authors = self._authors(game, after, until)
            if not first.types:
                authors = dict(list(authors.items())[-_MOST_MESSAGES:])
        notices = due_notices(game, subscriptions) + news(game, subscriptions, after, until, authors)
        if notices or game.over:
            self.outbox.add(notices, {name: until})
        plan_reminder(self.games.store, game)

    def _authors(self, game: Game, after: int, until: int) -> dict[int, int]:
        """The seats that wrote the messages among those versions, in their order."""
        if after >= until:
            return {}
        _, events = self.games.load_events(game.id, after, until - after)
        return {event["version"]: event["data"]["seat"] for event in events if event["type"] == POSTED}


def _portions(batches: Sequence[FeedBatch]) -> Iterator[list[FeedBatch]]:
    """The batches in their order, few at a time, but for those that have many lines."""
    portion: list[FeedBatch] = []
    for batch in batches:
        portion.append(batch)
        if sum(len(one.lines) for one in portion) >= _PORTION:
            yield portion
            portion = []
    if portion:
        yield portion

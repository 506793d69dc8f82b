"""Reading games: the cache first, then the entries that it lacks. Each read makes one trip to the store.

Rule: the store is right. The cache may be behind the store, and ahead of one that isn't durable and has lost entries. A
cached game is never served before the store's own hash has confirmed it, except by `load_cached`.
"""

from domain.events import EventRecord
from service.gamelog.cache import EMPTY, GameCache, LoadedGame, apply_entries
from service.gamelog.entry import Entry
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion
from service.gamelog.history import History, decode_events, leads_to
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import Store


class GameReader:
    """All games of a store, for reading, with a cache for one process. Safe for threads."""

    def __init__(self, store: Store) -> None:
        """Nothing is loaded yet."""
        self.store = store
        self._cache = GameCache()

    def load_cached(self, game: str) -> LoadedGame:
        """The game as this process knows it, perhaps not at its newest version. No read, or one. Raises NoSuchGame."""
        return self._cache.get(game) or self.load(game)

    def load(self, game: str) -> LoadedGame:
        """The game at its present version. One read. Raises NoSuchGame and CorruptLog."""
        loaded = self._cache.get(game) or EMPTY
        *_, head = self._catch_up(game, loaded, self.store.read(game, loaded.game.version))
        return head

    def load_since(self, loaded: LoadedGame) -> tuple[LoadedGame, list[Entry]]:
        """The game at its present version, and the entries since `loaded`. One read. Raises NoSuchGame, CorruptLog."""
        game = loaded.game
        reading = self.store.read(game.id, game.version)
        if not reading.hash:
            raise NoSuchGame(game.id)
        *_, head = self._catch_up(game.id, loaded, reading)
        return head, reading.entries

    def load_events(self, game: str, after: int) -> tuple[LoadedGame, list[EventRecord]]:
        """The game at its present version, and its events after version `after`, unredacted. One read.

        The hash of the head proves the events. Raises NoSuchGame, NoSuchVersion and CorruptLog.
        """
        cached = self._cache.get(game) or EMPTY
        if after < cached.game.version:
            history = self.load_history(game)
            return history.head, history.events[after:]
        start, entries, head = self._catch_up(game, cached, self.store.read(game, cached.game.version))
        if after > head.game.version:
            raise NoSuchVersion(after)
        if after == head.game.version:  # the most frequent question; a whole game need not be hashed for it
            return head, []
        events = decode_events(entries, start)
        _prove(events, head)
        return head, events[after - start.game.version :]

    def load_history(self, game: str) -> History:
        """All entries and events of a game, with its present version. One read.

        The hash of the head proves the events. Raises NoSuchGame and CorruptLog.
        """
        cached = self._cache.get(game) or EMPTY
        return self._history(game, cached, self.store.read(game))

    def _history(self, game: str, cached: LoadedGame, reading: ReadReply) -> History:
        """The history in a reading of the whole game, which is not older than `cached`."""
        events = decode_events(reading.entries)
        version = cached.game.version
        if version and (version > len(events) or events[version - 1]["hash"] != cached.hash.hex()):
            self._cache.forget(game)  # as in `_catch_up`
            cached, version = EMPTY, 0
        missing = [entry for entry in reading.entries if entry.version > version]
        head = self._admit(game, apply_entries(cached, missing, reading.hash), reading)
        _prove(events, head)
        return History(head, reading.entries, events)

    def _catch_up(
        self, game: str, loaded: LoadedGame, reading: ReadReply
    ) -> tuple[LoadedGame, list[Entry], LoadedGame]:
        """The game at its present version, last; before it the entries that led there, and the state that they follow.

        `reading` follows `loaded`, and so does the answer, unless the store has lost what it once acknowledged, as one
        that isn't durable may: then the store is right, and the answer begins with EMPTY.
        """
        if loaded is not EMPTY and not leads_to(reading.hash, reading.entries, loaded):
            self._cache.forget(game)
            loaded, reading = EMPTY, self.store.read(game)
        return loaded, reading.entries, self._admit(game, apply_entries(loaded, reading.entries, reading.hash), reading)

    def _admit(self, game: str, head: LoadedGame, reading: ReadReply) -> LoadedGame:
        """The game as it was read, now in the cache. Raises NoSuchGame and CorruptLog."""
        if bool(reading.hash) != (head is not EMPTY):
            raise CorruptLog(f"game {game} has lost its log, or its header")
        if head is EMPTY:
            raise NoSuchGame(game)
        if head.game.id != game:
            raise CorruptLog(f"the log of game {game} holds another game")
        self._cache.put(head)
        return head


def _prove(events: list[EventRecord], head: LoadedGame) -> None:
    """Raise CorruptLog if the events don't lead to the head: a log that was changed by hand is not served."""
    if not events or events[-1]["hash"] != head.hash.hex():
        raise CorruptLog(f"the log of game {head.game.id} doesn't lead to its head")

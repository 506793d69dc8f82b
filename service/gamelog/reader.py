"""Reading games: the cache first, then the entries that it lacks. Each read makes one trip to the store.

Rule: the store is right. The cache may be behind the store, and ahead of one that isn't durable and has lost entries. A
cached game is never served before the store's own hash has confirmed it, except by `load_cached`.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

import structlog

from domain.events import EventRecord
from service.gamelog.cache import EMPTY, GameCache, LoadedGame, apply_entries
from service.gamelog.history import History, HistoryCache, decode_events, lead_to
from service.gamelog.store.errors import CorruptLog, NoSuchGame, NoSuchVersion, PastLost
from service.gamelog.store.form.entry import CHECKED
from service.gamelog.store.generations import revoke_again
from service.gamelog.store.keys import SET_BACK
from service.gamelog.store.replies import Amendments, ReadReply, parse_header
from service.gamelog.store.streams import Store

_TOLD_S: Final = 86_400
"""Seconds for which `/readyz` tells that the store was set back."""

logger = structlog.get_logger("service.gamelog")


class GameReader:
    """All games of a store, with a cache for one process. Safe for threads. Loads raise NoSuchGame and CorruptLog."""

    def __init__(self, store: Store, count_lost: Callable[[int], None] = lambda _events: None) -> None:
        """`count_lost` is called with the number of acknowledged events that the store has lost, at least."""
        self.store = store
        self._count_lost = count_lost
        self._lost: deque[bytes] = deque(maxlen=1000)
        """The hashes of heads whose loss was noticed."""
        self._cache = GameCache()
        self._histories = HistoryCache()

    def load_cached(self, game: str) -> LoadedGame:
        """The game as it is in the cache, perhaps not at its newest version. No read, or one. Raises NoSuchGame."""
        return self._cache.get(game) or self.load(game)

    def load(self, game: str) -> LoadedGame:
        """The game at its present version. One read. Raises NoSuchGame and CorruptLog."""
        loaded = self._cache.get(game) or EMPTY
        *_, head = self._catch_up(game, loaded, self.store.read(game, loaded.game.version))
        return head

    def load_many(self, games: Sequence[str]) -> Iterator[LoadedGame]:
        """Those of the games that there are, at their present versions. One read, and one for each that has gone on."""
        known = {game: loaded for game in games if (loaded := self._cache.get(game))}
        changed = {loaded.game.id for loaded in self.find_changed([*known.values()])}
        for game in games:
            with suppress(NoSuchGame):
                yield known[game] if game in known and game not in changed else self.load(game)

    def load_since(self, loaded: LoadedGame) -> tuple[LoadedGame, list[EventRecord]]:
        """The game at its present version, and the events since `loaded`, not EMPTY. One read. Raises PastLost, too."""
        game = loaded.game
        start, events, head = self._catch_up(game.id, loaded, self.store.read(game.id, game.version))
        if start is not loaded:
            raise PastLost(f"the store has lost entries of game {game.id}")
        return head, events

    def load_events(self, game: str, after: int, limit: int | None = None) -> tuple[LoadedGame, list[EventRecord]]:
        """The game at present, and its events after a version, unredacted. One read. Raises NoSuchVersion, too."""
        loaded, start = self._cache.get(game), EMPTY
        if loaded and loaded.game.version <= after:
            start, news, head = self._catch_up(game, loaded, self.store.read(game, loaded.game.version))
        if start is EMPTY:
            history = self.load_history(game)
            news, head = history.events, history.head
        if after > head.game.version:
            raise NoSuchVersion(after)
        return head, news[after - start.game.version :][:limit]

    def load_at(self, game: str, version: int) -> tuple[LoadedGame, LoadedGame]:
        """The game at its present version, and at `version`. Raises NoSuchVersion, too.

        One read, and another one where the game has just gone on.
        """
        cached = self._cache.get(game)
        if cached and cached.game.version <= version:
            head, news = self.load_events(game, version)
            if not news:
                return head, head
        history = self.load_history(game)
        if version < 1:
            raise NoSuchVersion(version)
        return history.head, history.state_at(version)

    def load_history(self, game: str) -> History:
        """All of a game up to its present version, proved by the hash of its head.

        From memory where the store's hash confirms it, with the entries since. One read. Raises NoSuchGame and
        CorruptLog.
        """
        known = self._histories.get(game)
        try:
            history = self._prove(game, self.store.read(game)) if known is None else self._follow(game, known)
        except CorruptLog:
            self._forget(game)  # no process that has found damage serves what it remembers
            raise
        if history is not known:
            self._histories.put(history)
        return history

    def _follow(self, game: str, known: History) -> History:
        """The history with what has happened since; another one, where the store has gone another way."""
        reading = self.store.read(game, known.head.game.version)
        news = decode_events(reading.entries, known.head)
        if self._is_amended(known.head, reading) or not lead_to(reading.hash, news, known.head):
            return self._prove(game, self._read_anew(known.head))
        if not news:
            head = self._admit(game, known.head, reading)
            return known if head is known.head else replace(known, head=head)
        cached = self._cache.get(game)
        is_newest = cached is not None and cached.hash == reading.hash
        head = cached if cached and is_newest else apply_entries(known.head, reading.entries, reading.hash)
        return known.follow(reading.entries, news, self._admit(game, head, reading))

    def _prove(self, game: str, reading: ReadReply) -> History:
        events = decode_events(reading.entries)
        if not lead_to(reading.hash, events, EMPTY):
            raise CorruptLog(f"the log of game {game} doesn't lead to its head")
        start = self._cache.get(game) or EMPTY
        if start is not EMPTY and (self._is_amended(start, reading) or not _is_in(start, events)):
            return self._prove(game, self._read_anew(start))
        missing = [entry for entry in reading.entries if entry.version > start.game.version]
        head = self._admit(game, apply_entries(start, missing, reading.hash), reading)
        return History.of(head, reading.entries, events)

    def _forget(self, game: str) -> None:
        self._histories.forget(game)
        self._cache.forget(game)

    def _read_anew(self, remembered: LoadedGame) -> ReadReply:
        """Forget a game whose log no longer leads to what this process remembers; the whole game as it is now.

        A loss of the store is logged and counted, once for each such state. Raises CorruptLog.
        """
        game = remembered.game
        self._forget(game.id)
        reading = self.store.read(game.id)
        events = decode_events(reading.entries)
        is_deleted = not reading.hash and self.store.was_deleted(game.id)
        if not _is_in(remembered, events) and not is_deleted and remembered.hash not in self._lost:
            self._lost.append(remembered.hash)
            self._count_lost(max(1, game.version - len(events)))
            logger.warning(
                "the store has lost acknowledged events", game=game.id, remembered=game.version, present=len(events)
            )
        return reading

    def _is_amended(self, loaded: LoadedGame, reading: ReadReply) -> bool:
        """Whether the game must be read anew: words were erased since the state was read, or the store was set back."""
        ours, present = loaded.amendments, reading.amendments
        if ours == present:
            return False
        if ours.count_missing_in(present):
            self._note_set_back(loaded.game.id, ours)
            return True
        return ours.erasures != present.erasures

    def _note_set_back(self, game: str, ours: Amendments) -> None:
        """Log and count what the header of a game lacks, and revoke again the tokens that it takes for valid."""
        header = self.store.header(game)  # the reading may be older than what is remembered
        missing = ours.count_missing_in(header.amendments)
        if not missing or not header.version or self.store.was_deleted(game):
            return
        seats = revoke_again(self.store, game, ours, header.amendments)
        self.store.call_each(("SET", SET_BACK, 1, "EX", _TOLD_S))
        self._count_lost(missing)
        logger.warning(
            "the store was set back: revoked tokens were valid, or erased words are there again",
            game=game,
            revoked_again=seats,
            erasures=ours.erasures,
            present=header.amendments.erasures,
        )

    def find_changed(self, heads: Sequence[LoadedGame]) -> Iterator[LoadedGame]:
        """Those whose head, tokens or words in the store are others now: one round trip. Raises StoreUnavailable."""
        headers = self.store.call_each(*(("HGETALL", self.store.keys(loaded.game.id).head) for loaded in heads))
        for loaded, fields in zip(heads, headers, strict=True):
            header = parse_header(fields)
            if (header.hash, header.amendments) != (loaded.hash, loaded.amendments):
                yield loaded

    def _catch_up(
        self, game: str, loaded: LoadedGame, reading: ReadReply
    ) -> tuple[LoadedGame, list[EventRecord], LoadedGame]:
        """The game at its present version, last; before it the events that led there, and the state that they follow.

        `reading` follows `loaded`, and so does the answer, unless the store has lost what it once acknowledged, as one
        that isn't durable may: then the store is right, and the answer begins with EMPTY. What follows EMPTY isn't
        hashed here, and comes without events; its last entry must be the one that the header names.
        """
        events: list[EventRecord] = []
        if loaded is not EMPTY:
            events = decode_events(reading.entries, loaded)
            if self._is_amended(loaded, reading) or not lead_to(reading.hash, events, loaded):
                loaded, reading, events = EMPTY, self._read_anew(loaded), []
        return loaded, events, self._admit(game, apply_entries(loaded, reading.entries, reading.hash), reading)

    def _admit(self, game: str, head: LoadedGame, reading: ReadReply) -> LoadedGame:
        """The game as it was read, now in the cache. Raises NoSuchGame and CorruptLog."""
        if bool(reading.hash) != (head is not EMPTY):
            raise CorruptLog(f"game {game} has lost its log, or its header")
        if head is EMPTY:
            raise NoSuchGame(game)
        if head.game.id != game:
            raise CorruptLog(f"the log of game {game} holds another game")
        # What follows EMPTY isn't hashed: a stream that is another branch would be served under the header's hash.
        if reading.entries and not reading.hash.startswith(reading.entries[-1].check[:CHECKED]):
            raise CorruptLog(f"the log of game {game} doesn't lead to its head")
        if head.amendments != reading.amendments:
            head = replace(head, amendments=reading.amendments)
        self._cache.put(head)
        return head


def _is_in(loaded: LoadedGame, events: Sequence[EventRecord]) -> bool:
    """Whether a log with these events, from its first one on, leads to the state."""
    version = loaded.game.version
    return version <= len(events) and events[version - 1]["hash"] == loaded.hash.hex()

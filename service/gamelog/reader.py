"""Reading games: the cache first, then the entries that it lacks. Each read makes one trip to the store.

Rule: the store is right. The cache may be behind the store, and ahead of one that isn't durable and has lost entries. A
cached game is never served before the store's own hash has confirmed it, except by `load_cached`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from domain.events import EventRecord
from domain.state import Game
from service.gamelog.anchors import Anchor, read_anchors, states_at
from service.gamelog.cache import EMPTY, GameCache, LoadedGame, apply_entries
from service.gamelog.entry import CHECKED, Entry, add_traces
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion, PastLost
from service.gamelog.history import History, checkpoints_in, decode_events, lead_to
from service.gamelog.losses.loss import Loss, find_loss
from service.gamelog.past.cache import PastCache
from service.gamelog.past.past import Past
from service.gamelog.past.stretch import Encoder
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import Store

_COMPARED_AT_ONCE: Final = 100
"""Games whose heads are compared with the store's in one round trip."""


class GameReader:
    """All games of a store, for reading, with a cache for one process. Safe for threads."""

    def __init__(self, store: Store) -> None:
        """Nothing is loaded yet."""
        self.store = store
        self.on_loss: list[Callable[[Loss], None]] = []
        """Called with each game that was found to have lost what this process remembers of it."""
        self._cache = GameCache()
        self._pasts = PastCache()

    def load_cached(self, game: str) -> LoadedGame:
        """The game as it is in the cache, perhaps not at its newest version. No read, or one. Raises NoSuchGame."""
        return self._cache.get(game) or self.load(game)

    def load(self, game: str) -> LoadedGame:
        """The game at its present version. One read. Raises NoSuchGame and CorruptLog."""
        loaded = self._cache.get(game) or EMPTY
        *_, head = self._catch_up(game, loaded, self.store.read(game, loaded.game.version))
        return head

    def load_since(self, loaded: LoadedGame) -> tuple[LoadedGame, list[EventRecord]]:
        """The game at its present version, and the events since `loaded`, which isn't EMPTY. One read.

        Raises NoSuchGame and CorruptLog, and PastLost where the store has lost entries that led to `loaded`.
        """
        game = loaded.game
        start, events, head = self._catch_up(game.id, loaded, self.store.read(game.id, game.version))
        if start is not loaded:
            raise PastLost(f"the store has lost entries of game {game.id}")
        return head, events

    def load_events(self, game: str, after: int, limit: int | None = None) -> tuple[LoadedGame, list[EventRecord]]:
        """The game at its present version, and its events after version `after`, at most `limit`, unredacted.

        One read. Raises NoSuchGame, NoSuchVersion and CorruptLog.
        """
        until = None if limit is None else after + limit
        history = self.load_history(game, after, until)
        if after > history.head.game.version:
            raise NoSuchVersion(after)
        return history.head, history.events_between(after, until)

    def load_history(self, game: str, after: int = 0, until: int | None = None) -> History:
        """The game at its present version, and at least its entries and events after version `after` up to `until`.

        They are read from the last checkpoint before `after` to the first one behind `until` (None: to the head). One
        read. The hashes of those two places prove the events. Raises NoSuchGame and CorruptLog.
        """
        try:
            return self._read_past(game, self._cache.list_states(game), after, until)
        except CorruptLog:
            self._pasts.forget(game)  # no process that has found damage serves what it remembers
            raise

    def load_past(
        self, game: str, after: int, until: int | None = None, *, form: Encoder | None = None
    ) -> tuple[Past, int]:
        """The game at its present version with a past that covers what is after version `after` up to `until`.

        From the cache where the store's hash confirms it, with the entries since. And the number of events that had to
        be read. `form`: one in which events will be asked for. One read. Raises NoSuchGame and CorruptLog.
        """
        if until is not None:
            until = max(until, after + 1)  # no events would be covered by no stretch, and so have no state
        loaded = self._cache.get(game)
        if loaded is not None and loaded.game.version <= after:  # news, or nothing: no past that is worth a place
            history = self.load_history(game, after, until)
            return Past.of(history, None, form), len(history.events)
        known = self._pasts.get(game)
        if known is not None and known.covers(after, until):
            past = self._follow(game, known)
            if past is not None:
                return past, past.head.game.version - known.head.game.version
        history = self.load_history(game, after, until)
        past = Past.of(history, known, form)
        self._pasts.put(game, past)
        return past, len(history.events)

    def _follow(self, game: str, known: Past) -> Past | None:
        """The past with what has happened since; None, and it is forgotten, where the store has gone another way."""
        reading = self.store.read(game, known.head.game.version)
        news = decode_events(reading.entries, known.head)
        if not lead_to(reading.hash, news, known.head):
            self.report_loss(known.head)
            return None
        if not news:
            self._keep(known.head)
            return known
        cached = self._cache.get(game)
        is_newest = cached is not None and cached.hash == reading.hash
        head = cached if cached and is_newest else apply_entries(known.head, reading.entries, reading.hash)
        past = known.follow(reading.entries, news, self._admit(game, head, reading))
        self._pasts.put(game, past)
        return past

    def _forget(self, game: str) -> bytes:
        """Remove the game from the caches; what these remember of its entries, packed."""
        self._pasts.forget(game)
        return self._cache.forget(game)

    def report_loss(self, remembered: LoadedGame, entries: Sequence[Entry] = ()) -> ReadReply:
        """Forget a game whose log no longer leads to what this process remembers; the whole game as it is now.

        `entries`: more of what it remembers. A loss of the store is reported to the callbacks `on_loss`. Raises
        CorruptLog.
        """
        game = remembered.game
        # Before the read: what is appended after it is not in it.
        traces = self._forget(game.id) + (add_traces(b"", entries) or b"")
        reading = self.store.read(game.id)
        if reading.hash or not self._may_be_deleted(game):
            loss = find_loss(remembered, traces, decode_events(reading.entries))
            if loss is not None:
                for tell in self.on_loss:
                    tell(loss)
        return reading

    def _may_be_deleted(self, game: Game) -> bool:
        """Whether the archiver may have deleted the game: one that was never played, as `is_unused` has it."""
        return not game.over and (not game.started or game.parent is not None)

    def compare_all(self) -> None:
        """Load each game of the cache whose head in the store is another one, and so notice what that has lost.

        A round trip for a hundred games. Raises StoreUnavailable, and redis-py's errors.
        """
        heads = self._cache.heads()
        for first in range(0, len(heads), _COMPARED_AT_ONCE):
            for loaded in self.find_changed(heads[first : first + _COMPARED_AT_ONCE]):
                with suppress(NoSuchGame, CorruptLog):
                    self._catch_up(loaded.game.id, loaded, self.store.read(loaded.game.id, loaded.game.version))

    def find_changed(self, heads: Sequence[LoadedGame]) -> Iterator[LoadedGame]:
        """Those of these games whose head in the store is another one: one round trip. Raises redis-py's errors."""
        pipeline = self.store.client.pipeline(transaction=False)
        for loaded in heads:
            pipeline.hget(self.store.keys(loaded.game.id).head, "hash")
        for loaded, stored in zip(heads, pipeline.execute(), strict=True):
            if stored != loaded.hash:
                yield loaded

    def _read_past(
        self, game: str, known: Sequence[LoadedGame], after: int, until: int | None, *, anchored: bool = True
    ) -> History:
        """The history between two of the states that are `known`, EMPTY first; the newest one is read on from.

        `anchored`: the anchors in what is read are known states, too.
        """
        start, end = _enclose(known, (), after, until)
        cached = newest = known[-1]
        reading = self.store.read(game, newest.game.version, past=(start.game.version, end.version))
        anchors = read_anchors(reading.anchors) if anchored else []
        between = [
            *states_at(anchors, reading.past, start, after),
            *states_at(anchors, reading.entries, newest, after),
        ]
        if between:
            known = sorted([*known, *between], key=lambda state: state.game.version)
            newest = known[-1]
            start, end = _enclose(known, anchors, after, until)
            reading = _cut(reading, start, end, newest)
        past, news = decode_events(reading.past, start), decode_events(reading.entries, newest)
        if not (lead_to(end.hash, past, start) and lead_to(reading.hash, news, newest)):
            if newest is EMPTY:
                raise CorruptLog(f"the log of game {game} doesn't lead to its head")
            if cached is not EMPTY:
                self.report_loss(cached)  # as in `_catch_up`; nothing is lost where an anchor alone was wrong
            return self._read_past(game, [EMPTY], after, until, anchored=False)
        entries = reading.past
        if end.version == newest.game.version:
            entries, past = entries + reading.entries, past + news
        found = between or checkpoints_in(entries, past, start)
        latest = max(newest, *found, key=lambda state: state.game.version) if found else newest
        missing = [entry for entry in reading.entries if entry.version > latest.game.version]
        head = self._admit(game, apply_entries(latest, missing, reading.hash), reading, found)
        return History(head, entries, past, start)

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
            if not lead_to(reading.hash, events, loaded):
                loaded, reading, events = EMPTY, self.report_loss(loaded), []
        return loaded, events, self._admit(game, apply_entries(loaded, reading.entries, reading.hash), reading)

    def _admit(
        self, game: str, head: LoadedGame, reading: ReadReply, checkpoints: Sequence[LoadedGame] = ()
    ) -> LoadedGame:
        """The game as it was read, now in the cache with its checkpoints. Raises NoSuchGame and CorruptLog."""
        if bool(reading.hash) != (head is not EMPTY):
            raise CorruptLog(f"game {game} has lost its log, or its header")
        if head is EMPTY:
            raise NoSuchGame(game)
        if head.game.id != game:
            raise CorruptLog(f"the log of game {game} holds another game")
        # What follows EMPTY isn't hashed: a stream that is another branch would be served under the header's hash.
        if reading.entries and not reading.hash.startswith(reading.entries[-1].check[:CHECKED]):
            raise CorruptLog(f"the log of game {game} doesn't lead to its head")
        self._keep(head, checkpoints, reading.entries)
        return head

    def _keep(self, head: LoadedGame, checkpoints: Sequence[LoadedGame] = (), entries: Sequence[Entry] = ()) -> None:
        """Keep a game as it was read; a thread that was behind the cache may have followed the log another way."""
        if not self._cache.put(head, checkpoints, entries):
            self.report_loss(self._cache.get(head.game.id) or head, entries)
            self._cache.put(head, checkpoints, entries)


class _Place(NamedTuple):
    """A version, and the hash of its event."""

    version: int
    hash: bytes


def _enclose(
    known: Sequence[LoadedGame], anchors: Sequence[Anchor], after: int, until: int | None
) -> tuple[LoadedGame, _Place]:
    """The last of the states that isn't behind `after`, and the first place that isn't before `until`.

    A place is that of a state or of an anchor before the newest state, which itself is the place where no other is.
    """
    start = next(state for state in reversed(known) if state.game.version <= after)
    newest = _Place(known[-1].game.version, known[-1].hash)
    places = [_Place(state.game.version, state.hash) for state in known]
    places += [_Place(anchor.version, anchor.hash) for anchor in anchors if anchor.version < newest.version]
    return start, min((place for place in places if until is not None and place.version >= until), default=newest)


def _cut(reading: ReadReply, start: LoadedGame, end: _Place, newest: LoadedGame) -> ReadReply:
    """What was read, with the stretch between other places, and the entries after a newer state."""
    entries = reading.past + reading.entries
    return reading._replace(
        past=[entry for entry in entries if start.game.version < entry.version <= end.version],
        entries=[entry for entry in entries if entry.version > newest.game.version],
    )

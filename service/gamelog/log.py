"""A command on its way into the log: load, decide, append, react. HTTP, workers and bots all come through here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from domain.commands import Act, Command, CreateGame, PostMessage
from domain.decide import Decision, decide
from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash
from domain.refusals import Refused
from domain.state import Game
from service.gamelog.cache import EMPTY, GameCache, LoadedGame, apply_entries
from service.gamelog.codec import encode_entry, hash_rows, row_of_event
from service.gamelog.entry import Entry
from service.gamelog.errors import CorruptLog, KeyReused, NoSuchGame, NoSuchVersion, StaleVersion, StoreUnavailable
from service.gamelog.history import History, decode_events, leads_to
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.reactions import Reactions
from service.gamelog.shared_cache import SharedCache
from service.gamelog.store.replies import AppendRefused, ReadReply
from service.gamelog.store.streams import Store
from service.gamelog.transfer import ImportedGame
from service.runtime.clock import now_ms

_ATTEMPTS = 64
GAPS: Final = ("decided, not appended", "appended, not enqueued", "enqueued, not answered")
"""Every gap between two side effects, in order: where a process may die, and tests have it die."""
_KEYS_LIVE_S = 30 * 24 * 3600
"""Seconds for which idempotency keys outlive their game (contract 2)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request did, or had done the first time."""

    loaded: LoadedGame
    """The game at the request's own last event."""
    events: list[dict[str, Any]]
    """The events of the request, unredacted: {"version", "type", "at", "data", "hash"}."""
    applied: int
    refusal: Refused | None
    repeated: bool
    head: Game
    """The game at its present version: what may be seen follows it."""


class GameLog:
    """All games of a store, for one process. Safe for threads."""

    def __init__(
        self,
        store: Store,
        reactions: Reactions,
        *,
        clock: Callable[[], int] = now_ms,
        between: Callable[[str], None] = lambda _gap: None,
        shared_cache: SharedCache | None = None,
    ) -> None:
        """`clock`: milliseconds since 1970. `between` is called with the name of each gap between two side effects."""
        self.store = store
        self.reactions = reactions
        self._clock = clock
        self._between = between
        self.shared_cache = shared_cache or SharedCache(None)
        self._cache = GameCache()

    def load_cached(self, game: str) -> LoadedGame:
        """The game as this process knows it, perhaps not at its newest version. No read, or one. Raises NoSuchGame."""
        loaded = self._cache.get(game)
        if loaded is None:
            return self.load(game)
        newer = self.shared_cache.newer(loaded)
        if newer is not loaded:
            self._cache.put(newer)
        return newer

    def load(self, game: str) -> LoadedGame:
        """The game at its present version. One read. Raises NoSuchGame."""
        loaded = self._cache.get(game) or EMPTY
        *_, head = self._catch_up(game, loaded, self.store.read(game, loaded.game.version))
        return head

    def load_since(self, loaded: LoadedGame) -> tuple[LoadedGame, list[Entry]]:
        """The game at its present version, and the entries since `loaded`. One read. Raises NoSuchGame."""
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
        if after == head.game.version:  # the usual question; a whole game need not be hashed for it
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
        rest = [entry for entry in reading.entries if entry.version > version]
        head = self._admit(game, apply_entries(cached, rest, reading.hash), reading)
        _prove(events, head)
        return History(head, reading.entries, events)

    def _catch_up(
        self, game: str, loaded: LoadedGame, reading: ReadReply
    ) -> tuple[LoadedGame, list[Entry], LoadedGame]:
        """The game at its present version, last, after the entries that led there, and the state that these follow.

        `reading` follows `loaded`, and so does the answer, unless the store has lost what it once acknowledged, as one
        that isn't durable may: the store is right then, and the answer begins with EMPTY.
        """
        if loaded is not EMPTY and not leads_to(reading.hash, reading.entries, loaded):
            self._cache.forget(game)
            loaded, reading = EMPTY, self.store.read(game)
        return loaded, reading.entries, self._admit(game, apply_entries(loaded, reading.entries, reading.hash), reading)

    def _admit(self, game: str, head: LoadedGame, reading: ReadReply) -> LoadedGame:
        """The game as it was read, now in memory. Raises NoSuchGame and CorruptLog."""
        if bool(reading.hash) != (head is not EMPTY):
            raise CorruptLog(f"game {game} has lost its log, or its header")
        if head is EMPTY:
            raise NoSuchGame(game)
        if head.game.id != game:
            raise CorruptLog(f"the log of game {game} holds another game")
        self._cache.put(head)
        return head

    def create(self, command: CreateGame, key: IdempotencyKey | None = None) -> Outcome:
        """Open a game. With a key, the command's game id must follow from it. Raises KeyReused."""
        try:
            return self._run(command.game, EMPTY, command, key, lambda version: version == 0)
        except StaleVersion:
            # The key opened this game so long ago that it is kept no more.
            raise KeyReused(command.game) from None

    def find_repeat(self, game: str, key: IdempotencyKey) -> Outcome | None:
        """The outcome of the request that opened a game with this key, from which its id follows; None where none has.

        One read. Raises KeyReused.
        """
        cached = self._cache.get(game) or EMPTY
        reading = self.store.read(game, key=key.digest)
        if not reading.hash:
            return None
        if not reading.record:
            raise KeyReused(game)  # as in `create`
        version = _version_in(reading.record, key)
        return self._repeat(self._history(game, cached, reading), None, version)

    def import_game(
        self, played: ImportedGame, events: list[dict[str, Any]], key: IdempotencyKey | None = None
    ) -> Outcome:
        """Open a game with what was played in it already, `events`; the key is as for `create`. Raises KeyReused."""
        loaded, last = played.loaded, played.entries[-1]
        game = loaded.game
        self._between("decided, not appended")
        brought_in = self.store.import_game(
            game.id,
            played.entries,
            head_hash=loaded.hash,
            types=played.last_types,
            due_at=self.reactions.due_at(game),
            archive_at=self.reactions.archive_at(game),
            key=key.digest if key else b"",
            record=_record(last, key) if key else b"",
            keys_expire_s=_KEYS_LIVE_S if game.over else None,
        )
        if not brought_in:
            # A rival request with the key was quicker.
            first = self.find_repeat(game.id, key) if key else None
            assert first is not None, "chance gave the id of another game"
            return first
        self._between("appended, not enqueued")
        self._cache.put(loaded)
        self.shared_cache.publish(game.id, last, loaded.hash)
        self.reactions.enqueue_next(game)
        self._between("enqueued, not answered")
        return Outcome(loaded, events, 0, None, repeated=False, head=game)

    def handle(
        self,
        game: str,
        command: Command,
        *,
        key: IdempotencyKey | None = None,
        matches: Callable[[int], bool] | None = None,
        seen: LoadedGame | None = None,
    ) -> Outcome:
        """Carry out a command on a game that exists.

        `matches`: whether the request may be applied at a version; `seen`: the game, where the caller has just looked
        at what is `known` of it. Raises NoSuchGame, KeyReused, StaleVersion,
        Refused, and then nothing has happened; or StoreUnavailable, and then a repeat with the key tells.
        """
        self.shared_cache.mark_activity()
        return self._run(game, seen or self.load_cached(game), command, key, matches)

    def _run(
        self,
        game: str,
        loaded: LoadedGame,
        command: Command,
        key: IdempotencyKey | None,
        matches: Callable[[int], bool] | None,
    ) -> Outcome:
        for _ in range(_ATTEMPTS):
            try:
                if matches and not matches(loaded.game.version):
                    raise StaleVersion(loaded.game.version)
                decision = decide(command, loaded.game, self._clock())
            except (Refused, StaleVersion):
                # Before a refusal: is this a repeat, or has the game gone on elsewhere?
                reading = self.store.read(game, loaded.game.version, key.digest if key else b"")
                if key and reading.record:
                    version = _version_in(reading.record, key)
                    return self._repeat(self.load_history(game), command, version)
                if not reading.entries:
                    raise
                *_, loaded = self._catch_up(game, loaded, reading)
                continue
            answer = self._append(game, loaded, command, decision, key)
            if isinstance(answer, Outcome):
                return answer
            if key and answer.reading.record:
                version = _version_in(answer.reading.record, key)
                return self._repeat(self.load_history(game), command, version)
            *_, loaded = self._catch_up(game, loaded, answer.reading)
            if matches and not matches(loaded.game.version):
                raise StaleVersion(loaded.game.version)
        raise StoreUnavailable("the game changes faster than this request can be placed")

    def _append(
        self, game: str, loaded: LoadedGame, command: Command, decision: Decision, key: IdempotencyKey | None
    ) -> Outcome | AppendRefused:
        if not decision.events:
            # Nothing to do, by what this process remembers: has the game gone on elsewhere?
            reading = self.store.read(game, loaded.game.version)
            done = Outcome(loaded, [], 0, None, repeated=False, head=loaded.game)
            return AppendRefused(reading) if reading.entries else done
        # A message neither schedules a worker nor delays one that is due: it must not hold up a scoring round or a bot.
        talk = isinstance(command, PostMessage)
        after, at = decision.game, decision.at
        chain = loaded.chain_key or chain_key(after.server_seed)
        rows = [row_of_event(event) for event in decision.events]
        previous = loaded.hash or first_hash(chain, game)
        events, last_hash = hash_rows(rows, version=loaded.game.version, at=at, key=chain, previous=previous)
        # EMPTY was created at 0: the first entry's time is since 1970.
        elapsed = at - loaded.game.created
        entry = encode_entry(rows, version=after.version, elapsed=elapsed, last_hash=last_hash)
        self._between("decided, not appended")
        answer = self.store.append(
            game,
            entry,
            previous=loaded.hash,
            head_hash=last_hash,
            types=[event["type"] for event in events],
            due_at=self.reactions.due_at(after),
            archive_at=self.reactions.archive_at(after),
            keep_due=talk,
            key=key.digest if key else b"",
            record=_record(entry, key) if key else b"",
            keys_expire_s=_KEYS_LIVE_S if after.over else None,
        )
        if answer is not None:
            return answer
        self._between("appended, not enqueued")
        written = LoadedGame(after, last_hash, chain)
        self._cache.put(written)
        self.shared_cache.publish(game, entry, last_hash)
        if not talk:
            self.reactions.enqueue_next(after)
        self._between("enqueued, not answered")
        return Outcome(written, events, decision.applied, decision.refusal, repeated=False, head=after)

    def _repeat(self, history: History, command: Command | None, version: int) -> Outcome:
        """The first answer to the request whose last event is `version`, as far as it may be seen now."""
        own = next(entry for entry in history.entries if entry.version == version)
        before, then = history.state_at(own.version - own.count), history.state_at(own.version)
        events = history.events[own.version - own.count : own.version]
        # Decided again on the game as it was, an action list stops where it stopped then.
        decision = decide(command, before.game) if isinstance(command, Act) else Decision(then.game, then.game.at)
        return Outcome(then, events, decision.applied, decision.refusal, repeated=True, head=history.head.game)


def _prove(events: list[EventRecord], head: LoadedGame) -> None:
    """Raise CorruptLog where the events don't lead to the head: a log that was changed by hand is not served."""
    if not events or events[-1]["hash"] != head.hash.hex():
        raise CorruptLog(f"the log of game {head.game.id} doesn't lead to its head")


def _record(entry: Entry, key: IdempotencyKey) -> bytes:
    """What is kept with an idempotency key: the version of the request's last event, and its body's fingerprint."""
    return b"%d:%b" % (entry.version, key.fingerprint)


def _version_in(record: bytes, key: IdempotencyKey) -> int:
    """The version of the last event of the request that `record` was kept for. Raises KeyReused."""
    version, _, fingerprint = record.partition(b":")
    if fingerprint != key.fingerprint:
        raise KeyReused(key.scope)
    return int(version)

"""The only way into the log: load, decide, append, react. HTTP, workers, bots and imports use it."""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, NamedTuple

from domain.clock.waiting import waiting_for
from domain.commands import Command, CreateGame, SeatPlan
from domain.decide import decide
from domain.decision import Decision
from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash
from domain.refusals import Refused
from domain.state import Game
from service.gamelog.cache import EMPTY, LoadedGame, check_token
from service.gamelog.history import History
from service.gamelog.idempotency import FirstAnswer, IdempotencyKey
from service.gamelog.reactions import Reactions
from service.gamelog.reader import GameReader
from service.gamelog.store.breaker import GameLocks
from service.gamelog.store.errors import (
    CorruptLog,
    GameBusy,
    GameExists,
    KeyReused,
    NoSuchGame,
    StaleVersion,
    StoreFull,
    StoreUnavailable,
    TooManyBotGames,
)
from service.gamelog.store.form.codec import make_entry, row_of_event
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.form.listing import make_listing
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import AppendRequest, Store
from service.runtime.clock import now_ms
from service.signing.tokens import SeatToken, first_generation

_PATIENCE_S: Final = 10.0
"""For which a request tries to be the next one of its game."""
_PAUSE_S: Final = (0.0, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064)
"""The longest before the next try, by the number of tries that processes beside this one have spoiled."""
GAPS: Final = ("decided, not appended", "appended, not enqueued", "enqueued, not answered")
"""Every gap between two side effects, in order: at each a process may crash, and in tests one does."""
_BEYOND: Final = 2**62
"""A version that no game reaches: a read after it brings no entries."""
KEYS_EXPIRE_S: Final = 30 * 24 * 3600
"""Seconds for which idempotency keys outlive their game (contract 2)."""


class _Overtaken(Exception):
    """Another process has written to the game first, or the request has been appended before."""

    def __init__(self, reading: ReadReply) -> None:
        """`reading`: the game after the version that the append expected."""
        super().__init__()
        self.reading = reading


class Submission(NamedTuple):
    command: Command
    key: IdempotencyKey | None
    matches: Callable[[int], bool] | None
    token: SeatToken | None = None
    orders: tuple[int, bytes, bytes] | None = None


class Outcome(NamedTuple):
    """What a request did, now or the first time it was made."""

    loaded: LoadedGame
    """The game at the request's own last event."""
    events: list[EventRecord]
    """The events of the request, unredacted."""
    applied: int
    refusal: Refused | None
    """Why the next action was not."""
    repeated: bool
    """Whether this is the first answer again, to a repeat with the same idempotency key."""
    head: Game
    """The game at its present version, which decides what may be seen of the rest."""


class GameLog(GameReader):
    """All games of a store, for reading and writing, for one process. Safe for threads."""

    def __init__(  # noqa: PLR0913 - what a process or a test hands in
        self,
        store: Store,
        reactions: Reactions,
        *,
        clock: Callable[[], int] = now_ms,
        between: Callable[[str], None] = lambda _gap: None,
        admit: Callable[[Sequence[SeatPlan]], AbstractContextManager[None]] = lambda _seats: nullcontext(),
        count_lost: Callable[[int], None] = lambda _events: None,
    ) -> None:
        """`clock`: milliseconds since 1970. `between` is called with the name of each gap between two side effects.

        `admit`: of Admission; imports don't ask it.
        """
        super().__init__(store, count_lost)
        self.reactions = reactions
        self._clock = clock
        self._between = between
        self._admission = admit
        self._locks = GameLocks(store.breaker.limit)

    def create(self, command: CreateGame, key: IdempotencyKey | None = None) -> Outcome:
        """Open a game. With a key, the command's game id must follow from it.

        Raises KeyReused, and NoSuchGame where the key has opened a game that was deleted; as Admission does.
        """
        try:
            with self._admission(command.seats):
                return self._run(command.game, Submission(command, key, lambda version: version == 0), is_new=True)
        except StaleVersion:
            # The key opened this game, and has expired since.
            raise KeyReused(command.game) from None
        except (StoreFull, TooManyBotGames):
            first = self.find_repeat(command.game, key) if key else None
            if first is None:
                raise
            return first

    def find_repeat(self, game: str, key: IdempotencyKey) -> Outcome | None:
        """The outcome of the request that opened the game with this key; None if there is no such game.

        The game's id follows from the key. One read, and one more for a repeat. Raises KeyReused.
        """
        reading = self.store.read(game, _BEYOND, key=key.digest)
        if not reading.hash:
            return None
        if not reading.record:
            raise KeyReused(game)  # as in `create`
        return self._repeat(game, key, reading.record)

    def find_answer(self, game: str, key: IdempotencyKey) -> Outcome | None:
        """The outcome of the game's request with this key; None if there was none. One read, one more for a repeat."""
        reading = self.store.read(game, _BEYOND, key=key.digest)
        return self._repeat(game, key, reading.record) if reading.record else None

    def open_copy(self, played: History, seats: Sequence[SeatPlan], key: IdempotencyKey | None) -> Outcome:
        """Open a game for players whose first entries exist already. Raises what `import_game` and Admission raise."""
        with self._admission(seats):
            return self.import_game(played, key)

    def import_game(self, played: History, key: IdempotencyKey | None = None) -> Outcome:
        """Open a game whose entries exist already. Raises GameExists; with a key, NoSuchGame, KeyReused as `create`."""
        head = played.head
        done = Outcome(head, played.events, 0, None, repeated=False, head=head.game)
        try:
            return self._write(EMPTY, played.entries, done, key, now=self._clock())  # its events lie far back
        except _Overtaken:  # with a key, by a rival request
            if key is None:
                raise GameExists(head.game.id) from None
        first = self.find_repeat(head.game.id, key)
        if first is None:  # the game that the key opened was deleted
            raise NoSuchGame(head.game.id)
        return first

    def handle(  # noqa: PLR0913 - what a request is made of
        self,
        game: str,
        command: Command,
        *,
        key: IdempotencyKey | None = None,
        matches: Callable[[int], bool] | None = None,
        token: SeatToken | None = None,
        orders: tuple[int, bytes, bytes] | None = None,
    ) -> Outcome:
        """Execute a command on a game that exists.

        `matches`: whether the request may be applied at a version; `token`: that which asks; `orders`: of a step of
        orders, which must be stored still, else StaleVersion.
        Raises NoSuchGame, TokenVoid, KeyReused, StaleVersion and Refused, and then nothing has happened; or
        StoreUnavailable, and then a repeat with the same key settles whether it has.
        """
        return self._run(game, Submission(command, key, matches, token, orders))

    def _run(self, game: str, request: Submission, *, is_new: bool = False) -> Outcome:
        deadline = time.monotonic() + _PATIENCE_S
        has_waited = self._locks.acquire(game, _PATIENCE_S)
        try:
            if has_waited and self.store.breaker.is_open:  # it hangs since then: not another one for each that waited
                raise StoreUnavailable("the store doesn't answer")
            loaded = EMPTY if is_new else self.load_cached(game)
            token = request.token
            if token and loaded.generation(token.seat) != token.generation:  # a store that was set back would take it
                loaded = self.load(game)
            return self._race(loaded, request, deadline)
        except CorruptLog:
            self._forget(game)  # no process that has found damage serves what it remembers
            raise
        finally:
            self._locks.release(game)

    def _race(self, loaded: LoadedGame, request: Submission, deadline: float) -> Outcome:
        """Carry out a command; other processes may do so at the same time, and the store decides who is first."""
        command, key, matches, _, _ = request
        game, spoiled = command.game if isinstance(command, CreateGame) else loaded.game.id, 0
        while True:
            try:
                if matches and not matches(loaded.game.version):
                    raise StaleVersion(loaded.game.version)
                outcome = self._append(loaded, decide(command, loaded.game, self._clock()), request)
                if outcome.events:
                    return outcome
                reading = self._look_again(game, loaded, request)
                if _is_settled(reading, loaded):
                    return outcome
            except _Overtaken as rival:
                reading = rival.reading
            except (Refused, StaleVersion):
                reading = self._look_again(game, loaded, request)
                if _is_settled(reading, loaded):
                    raise
            if key and reading.record:
                return self._repeat(game, key, reading.record)
            *_, loaded = self._catch_up(game, loaded, reading)
            _pause(spoiled, deadline)
            spoiled += 1

    def _look_again(self, game: str, loaded: LoadedGame, request: Submission) -> ReadReply:
        """What there is after `loaded`, by which there is nothing to append. Raises TokenVoid."""
        reading = self.store.read(game, loaded.game.version, request.key.digest if request.key else b"")
        if reading.hash:  # a deleted game has none
            check_token(reading.amendments, request.token)
        return reading

    def _append(self, loaded: LoadedGame, decision: Decision, request: Submission) -> Outcome:
        """Append what was decided, as one entry; a decision without events appends nothing."""
        after, at = decision.game, decision.at
        if not decision.events:
            return Outcome(loaded, [], 0, None, repeated=False, head=loaded.game)
        chain = loaded.chain_key or chain_key(after.server_seed)
        previous = loaded.hash or first_hash(chain, after.id)
        rows = [row_of_event(event) for event in decision.events]
        before = loaded.game
        elapsed = at - before.created  # EMPTY was created at 0: the time of the first entry is since 1970
        entry, events, last_hash = make_entry(
            rows, version=before.version, at=at, elapsed=elapsed, key=chain, previous=previous
        )
        written = LoadedGame(after, last_hash, chain, loaded.amendments)
        done = Outcome(written, events, decision.applied, decision.refusal, repeated=False, head=after)
        key, token, orders = request.key, request.token, request.orders
        return self._write(loaded, [entry], done, key, token, orders, now=decision.now)

    def _write(  # noqa: PLR0913 - what is written, for whom and when
        self,
        start: LoadedGame,
        entries: Sequence[Entry],
        done: Outcome,
        key: IdempotencyKey | None,
        token: SeatToken | None = None,
        orders: tuple[int, bytes, bytes] | None = None,
        *,
        now: int,
    ) -> Outcome:
        """Append the entries, which follow `start`, update the cache and enqueue the next job; gives `done`.

        `start`: EMPTY, where the game is opened or imported. `done`: their outcome. `now`: in milliseconds since 1970,
        earlier than the last event where that has come from a clock that was ahead. Raises _Overtaken.
        """
        is_new = start is EMPTY
        last, game = entries[-1], done.head
        types = [event["type"] for event in done.events[-last.count :]]
        waiting = waiting_for(game)
        # A message neither schedules a worker nor delays one: it must not hold up a scoring round or a bot.
        is_message = not is_new and set(types) == {"MessagePosted"}
        append = AppendRequest(
            game=game.id,
            entries=entries,
            previous=start.hash,
            head_hash=done.loaded.hash,
            types=types,
            due=None if is_message else self.reactions.due(game, waiting, now),
            look_at=self.reactions.look_at(game, opened=now if is_new else None),
            key=key.digest if key else b"",
            record=key.record_of(FirstAnswer(last.version, done.applied, done.refusal)) if key else b"",
            keys_expire_s=KEYS_EXPIRE_S if game.over else None,
            listing=make_listing(game),
            voids=_voided_token(done.events[-last.count :]) if not is_new and "SeatReplaced" in types else None,
            generations=done.loaded.amendments.generations if is_new else {},
            orders=orders,
            erasures=start.amendments.erasures,
            token=token,
        )
        self._between(GAPS[0])
        if reading := self.store.append(append):
            raise _Overtaken(reading)
        self._between(GAPS[1])
        self._cache.put(done.loaded)
        if not is_message:
            self.reactions.enqueue_next(game, waiting, start.game)
        self._between(GAPS[2])
        return done

    def _repeat(self, game: str, key: IdempotencyKey, record: bytes) -> Outcome:
        """The first answer again, as far as it may be seen now: from its record and its stored events."""
        first = key.read_record(record)
        if first.version < 1:
            raise CorruptLog("the record of an idempotency key names no entry of its game")
        self.store.confirm(game, key.digest, record)  # the first answer may have been that replicas were missing
        history = self.load_history(game)
        first_entry = next((entry for entry in history.entries if entry.version == first.version), None)
        if first_entry is None or not 0 <= first.applied <= first_entry.count:
            raise CorruptLog("the record of an idempotency key names no entry of its game")
        events = history.events[first_entry.version - first_entry.count : first_entry.version]
        then = history.state_at(first_entry.version)
        return Outcome(then, events, first.applied, first.refusal, repeated=True, head=history.head.game)


def _is_settled(reading: ReadReply, loaded: LoadedGame) -> bool:
    """Whether what was decided on `loaded` counts: this is no repeat, and no other process has changed the game."""
    return not reading.record and reading.hash == loaded.hash


def _pause(spoiled: int, deadline: float) -> None:
    """Pause after a try that another process has spoiled: two in step would do so again and again.

    `spoiled`: how many tries before this one. Raises GameBusy after the deadline.
    """
    if time.monotonic() > deadline:
        raise GameBusy("the game changes faster than this request can be placed")
    if longest := _PAUSE_S[min(spoiled, len(_PAUSE_S) - 1)]:
        time.sleep(longest * random.random())  # noqa: S311 - no secret


def _voided_token(events: Sequence[EventRecord]) -> tuple[int, int]:
    """The seat that a new person has taken with one of these events, and the generation of the first token."""
    replaced = next(event for event in events if event["type"] == "SeatReplaced")
    return replaced["data"]["seat"], first_generation(replaced["version"])

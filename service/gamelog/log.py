"""A command on its way into the log: load, decide, append, react. HTTP, workers and bots all come through here."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from domain.commands import Act, Command, CreateGame, PostMessage
from domain.decide import Decision, decide
from domain.fairness.chain import chain_key, first_hash
from domain.refusals import Refused
from domain.state import Game
from service.gamelog.cache import BLANK, Warm, WarmGames, advance, follows
from service.gamelog.codec import CHECKED, REQUEST_ID, CorruptLog, Entry, body_of, chained, row_of
from service.gamelog.history import history, state_at
from service.gamelog.idempotency import RequestKey
from service.gamelog.reactions import Reactions
from service.gamelog.shared_cache import Board
from service.gamelog.store.replies import NotAppended, Reading
from service.gamelog.store.streams import Store, StoreUnavailable
from service.gamelog.transfer import Carried

_ATTEMPTS = 64
GAPS: Final = ("decided, not appended", "appended, not enqueued", "enqueued, not answered")
"""Every gap between two side effects, in order: where a process may die, and tests have it die."""
_KEYS_LIVE_S = 30 * 24 * 3600
"""Seconds for which idempotency keys outlive their game (contract 2)."""


class NoSuchGame(Exception):
    """No game has this id."""


class StaleVersion(Exception):
    """The game is not at a version that the request asked for."""

    def __init__(self, version: int) -> None:
        """`version`: where the game is."""
        super().__init__(f"the game is at version {version}")
        self.version = version


class KeyReused(Exception):
    """The idempotency key came with another body before."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request did, or had done the first time."""

    warm: Warm
    """The game at the request's own last event."""
    events: list[dict[str, Any]]
    """The events of the request, unredacted: {"version", "type", "at", "data", "hash"}."""
    applied: int
    refusal: Refused | None
    repeated: bool
    head: Game
    """The game at its present version: what may be seen follows it."""


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class GameLog:
    """All games of a store, for one process. Safe for threads."""

    def __init__(
        self,
        store: Store,
        reactions: Reactions,
        *,
        clock: Callable[[], int] = now_ms,
        between: Callable[[str], None] = lambda _gap: None,
        board: Board | None = None,
    ) -> None:
        """`clock`: milliseconds since 1970. `between` is called with the name of each gap between two side effects."""
        self.store = store
        self._reactions = reactions
        self._clock = clock
        self._between = between
        self.board = board or Board(None)
        self._warm = WarmGames()

    def known(self, game: str) -> Warm:
        """The game, perhaps not at its newest version. Raises NoSuchGame."""
        warm = self._warm.get(game)
        if warm is None:
            return self.load(game)
        newer = self.board.newer(warm)
        if newer is not warm:
            self._warm.put(newer)
        return newer

    def load(self, game: str) -> Warm:
        """The game at its present version. Raises NoSuchGame."""
        warm = self._warm.get(game) or BLANK
        return self._catch_up(game, warm, self.store.read(game, warm.game.version))

    def later(self, warm: Warm) -> tuple[Warm, list[Entry]]:
        """The game at its present version, and the entries since `warm`. Raises NoSuchGame."""
        game = warm.game
        reading = self.store.read(game.id, game.version)
        if not reading.hash:
            raise NoSuchGame(game.id)
        return self._catch_up(game.id, warm, reading), reading.entries

    def past(self, head: Warm) -> tuple[list[Entry], list[dict[str, Any]]]:
        """All entries of a game, and its events up to `head`, unredacted. Raises CorruptLog.

        The hash of `head` proves them: a log that was changed behind the service's back is not served.
        """
        entries = self.store.read(head.game.id).entries
        events = history(entries)[: head.game.version]
        if not events or events[-1]["hash"] != head.hash.hex():
            raise CorruptLog(f"the log of game {head.game.id} doesn't lead to its head")
        return entries, events

    def _catch_up(self, game: str, warm: Warm, reading: Reading) -> Warm:
        if warm is not BLANK and not follows(warm, reading.entries, reading.hash):
            # The store has lost what it once acknowledged, as one that isn't durable may: it is right all the same.
            self._warm.forget(game)
            warm, reading = BLANK, self.store.read(game)
        warm = advance(warm, reading.entries, reading.hash)
        if bool(reading.hash) != (warm is not BLANK):
            raise CorruptLog(f"game {game} has lost its log, or its header")
        if warm is BLANK:
            raise NoSuchGame(game)
        if warm.game.id != game:
            raise CorruptLog(f"the log of game {game} holds another game")
        self._warm.put(warm)
        return warm

    def create(self, command: CreateGame, key: RequestKey | None = None) -> Outcome:
        """Open a game. With a key, the command's game id must follow from it. Raises KeyReused."""
        try:
            return self._run(command.game, BLANK, command, key, lambda version: version == 0)
        except StaleVersion:
            # The key opened this game so long ago that it is kept no more.
            raise KeyReused(command.game) from None

    def repeat_of(self, game: str, key: RequestKey) -> Outcome | None:
        """The outcome of the request that opened a game with this key, from which its id follows; None where none has.

        Raises KeyReused.
        """
        reading = self.store.read(game, key=key.digest)
        if not reading.hash:
            return None
        if not reading.record:
            raise KeyReused(game)  # as in `create`
        return self._repeat(game, None, key, reading.record)

    def take_over(self, played: Carried, events: list[dict[str, Any]], key: RequestKey | None = None) -> Outcome:
        """Open a game with what was played in it already, `events`; the key is as for `create`. Raises KeyReused."""
        warm, last = played.warm, played.entries[-1]
        game = warm.game
        self._between("decided, not appended")
        brought_in = self.store.bring_in(
            game.id,
            played.entries,
            head_hash=warm.hash,
            types=played.last_types,
            due_at=self._reactions.due_at(game, self._clock()),
            quiet_at=self._reactions.quiet_at(game, warm.at),
            key=key.digest if key else b"",
            record=_record(last, key) if key else b"",
            keys_expire_s=_KEYS_LIVE_S if game.over else None,
        )
        if not brought_in:
            # A rival request with the key was quicker.
            first = self.repeat_of(game.id, key) if key else None
            assert first is not None, "chance gave the id of another game"
            return first
        self._between("appended, not enqueued")
        self._warm.put(warm)
        self.board.put_up(game.id, last, warm.hash)
        self._reactions.react(game)
        self._between("enqueued, not answered")
        return Outcome(warm, events, 0, None, repeated=False, head=game)

    def handle(
        self,
        game: str,
        command: Command,
        *,
        key: RequestKey | None = None,
        matches: Callable[[int], bool] | None = None,
        seen: Warm | None = None,
    ) -> Outcome:
        """Carry out a command on a game that exists.

        `matches`: whether the request may be applied at a version; `seen`: the game, where the caller has just looked
        at what is `known` of it. Raises NoSuchGame, KeyReused, StaleVersion,
        Refused, and then nothing has happened; or StoreUnavailable, and then a repeat with the key tells.
        """
        self.board.stir()
        return self._run(game, seen or self.known(game), command, key, matches)

    def _run(
        self,
        game: str,
        warm: Warm,
        command: Command,
        key: RequestKey | None,
        matches: Callable[[int], bool] | None,
    ) -> Outcome:
        for _ in range(_ATTEMPTS):
            try:
                if matches and not matches(warm.game.version):
                    raise StaleVersion(warm.game.version)
                decision = decide(command, warm.game)
            except (Refused, StaleVersion):
                # Before a refusal: is this a repeat, or has the game gone on elsewhere?
                reading = self.store.read(game, warm.game.version, key.digest if key else b"")
                if key and reading.record:
                    return self._repeat(game, command, key, reading.record)
                if not reading.entries:
                    raise
                warm = self._catch_up(game, warm, reading)
                continue
            answer = self._append(game, warm, command, decision, key)
            if isinstance(answer, Outcome):
                return answer
            if key and answer.reading.record:
                return self._repeat(game, command, key, answer.reading.record)
            warm = self._catch_up(game, warm, answer.reading)
            if matches and not matches(warm.game.version):
                raise StaleVersion(warm.game.version)
        raise StoreUnavailable("the game changes faster than this request can be placed")

    def _append(
        self, game: str, warm: Warm, command: Command, decision: Decision, key: RequestKey | None
    ) -> Outcome | NotAppended:
        if not decision.events:
            # Nothing to do, by what this process remembers: has the game gone on elsewhere?
            reading = self.store.read(game, warm.game.version)
            done = Outcome(warm, [], 0, None, repeated=False, head=warm.game)
            return NotAppended(reading) if reading.entries else done
        at = max(self._clock(), warm.at)
        if isinstance(command, CreateGame):
            chain = chain_key(command.server_seed)
            created, previous = at, first_hash(chain, game)
        else:
            chain, created, previous = warm.chain_key, warm.created, warm.hash
        # Talk calls no worker and puts none off: whoever writes on and on must not hold up a scoring round or a bot.
        talk = isinstance(command, PostMessage)
        rows = [row_of(event) for event in decision.events]
        events, last_hash = chained(rows, version=warm.game.version, at=at, key=chain, previous=previous)
        after = decision.game
        entry = Entry(
            after.version,
            len(rows),
            at if warm is BLANK else at - created,
            body_of(rows),
            last_hash[:CHECKED] + secrets.token_bytes(REQUEST_ID),
        )
        self._between("decided, not appended")
        answer = self.store.append(
            game,
            entry,
            previous=warm.hash,
            head_hash=last_hash,
            types=[event["type"] for event in events],
            due_at=self._reactions.due_at(after, at),
            quiet_at=self._reactions.quiet_at(after, at),
            keeps_due=talk,
            key=key.digest if key else b"",
            record=_record(entry, key) if key else b"",
            keys_expire_s=_KEYS_LIVE_S if after.over else None,
        )
        if answer is not None:
            return answer
        self._between("appended, not enqueued")
        written = Warm(after, last_hash, at, created, chain)
        self._warm.put(written)
        self.board.put_up(game, entry, last_hash)
        if not talk:
            self._reactions.react(after)
        self._between("enqueued, not answered")
        return Outcome(written, events, decision.applied, decision.refusal, repeated=False, head=after)

    def _repeat(self, game: str, command: Command | None, key: RequestKey, record: bytes) -> Outcome:
        """The first answer again, as far as it may be seen now."""
        last, _, fingerprint = record.partition(b":")
        if fingerprint != key.fingerprint:
            raise KeyReused(game)
        head = self.load(game)
        entries, past = self.past(head)
        own = next(entry for entry in entries if entry.version == int(last))
        before, then = (state_at(entries, version, past) for version in (own.version - own.count, own.version))
        events = past[own.version - own.count : own.version]
        # Decided again on the game as it was, an action list stops where it stopped then.
        decision = decide(command, before.game) if isinstance(command, Act) else Decision(then.game)
        return Outcome(then, events, decision.applied, decision.refusal, repeated=True, head=head.game)


def _record(entry: Entry, key: RequestKey) -> bytes:
    """What is kept with an idempotency key: the version of the request's last event, and its body's fingerprint."""
    return b"%d:%b" % (entry.version, key.fingerprint)

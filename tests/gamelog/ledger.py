"""An independent check of a log, and helpers of its tests: clients that lose answers, players, acknowledgements.

The check reads the store and computes hashes, states and scores itself: of the log's own code it uses only the codec.
"""

import hmac
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, Final

from redis.exceptions import ConnectionError as Lost

from domain.clock.timestamps import timestamp
from domain.commands import Act, CompleteScoring, CreateGame, SeatPlan
from domain.legality import legal_actions
from domain.scoring import score
from domain.state import Game
from service.connections.clients import Client
from service.gamelog.history import History
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from service.gamelog.store.form.codec import apply_rows, payload_of_row
from service.gamelog.store.form.entry import CHECKED, REQUEST_ID, Entry
from service.gamelog.store.streams import AppendRequest, Store
from service.runtime.clock import now_ms
from tests.oracle.fairness import hashed
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_client, new_log

SHARDS = 4


@dataclass(frozen=True)
class Ack:
    """The answer to an accepted request: the versions of its first and last event, and the last one's hash."""

    game: str
    first: int
    last: int
    hash: str


def ack_of(outcome: Outcome) -> Ack:
    events = outcome.events
    return Ack(outcome.loaded.game.id, events[0]["version"], events[-1]["version"], events[-1]["hash"])


def check_log(store: Store, game: str, acknowledged: Iterable[Ack] = ()) -> Game:
    """The game folded from its log. AssertionError where appends alone can't have written the log.

    Versions count from 1 without gaps, no entry is torn, the chain is whole up to the header's hash, each scoring round
    is there once and equals its recomputation, and each acknowledged request is there once, at the versions of its
    answer.
    """
    state, spans, version, at = Game(), {}, 0, 0
    for last, count, time, body, check in _entries(store, game):
        rows = json.loads(b"[%b]" % body)
        assert len(rows) == count > 0
        assert last == version + count
        if version == 0:
            created = time
            seed = bytes.fromhex(payload_of_row(rows[0])[1]["server_seed"])
            key = _hmac(seed, b"reibach/chain")
            previous = _hmac(key, game.encode())
        now = created + time if version else created
        assert now >= at
        at, first = now, version + 1
        for row in rows:
            version += 1
            kind, data = payload_of_row(row)
            content = {"version": version, "type": kind, "at": timestamp(at), "data": data}
            plain = json.dumps(hashed(content), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            previous = _hmac(key, previous + plain.encode())
            if kind == "RoundScored":
                assert data["round"] == state.scoring == len(state.rounds) + 1
                assert data["seats"] == score(state.rules, state.seats, data["round"])
            apply_rows(state, [row], at)
        assert check[:CHECKED] in (previous[:CHECKED], b"")
        spans[last] = Ack(game, first, last, previous.hex())
    if version:
        header = store.client.hgetall(store.stream(game).replace(":game:", ":head:"))
        header.pop(b"archive", None)
        header = {name: value for name, value in header.items() if not name.startswith((b"token:", b"erasures"))}
        assert header == {b"version": b"%d" % version, b"hash": previous}
        assert state.id == game
    told = list(acknowledged)
    assert len({ack.last for ack in told}) == len(told)
    assert [ack for ack in told if spans.get(ack.last) != ack] == []
    return state


def _entries(store: Store, game: str) -> Iterable[Entry]:
    place = store.place(game)
    if place is not None:
        archived = [entry for entry in store.read(game).entries if entry.version <= place.version]
        assert archived[-1].version == place.version
        assert archived[-1].check
        yield from archived
    for name, fields in store.client.xrange(store.stream(game)):
        last, count = map(int, name.split(b"-"))
        assert len(fields[b"c"]) == CHECKED + REQUEST_ID
        yield Entry(last, count, int(fields[b"t"]), fields[b"e"], fields[b"c"])


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, sha256)


class LosingClient:
    """A store's client that loses scripts and reads on their way ("before"), or their answers coming back ("after").

    `plan` says so for each coming call; "" lets one through. `meanwhile` is called after each loss.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.plan: deque[str] = deque()
        self.error: type[Exception] = Lost
        self.meanwhile: Callable[[], object] = lambda: None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def evalsha(self, *arguments: Any) -> Any:
        return self._send(self._client.evalsha, arguments)

    def eval(self, *arguments: Any) -> Any:
        return self._send(self._client.eval, arguments)

    def pipeline(self, **options: Any) -> Any:
        pipeline = self._client.pipeline(**options)
        whole = pipeline.execute
        pipeline.execute = lambda **options: self._send(lambda: whole(**options), ())
        return pipeline

    def _send(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        fate = self.plan.popleft() if self.plan else ""
        answer = None if fate == "before" else call(*arguments)
        if fate:
            self.meanwhile()
            raise self.error("the connection is lost")
        return answer


class DistinctTimes:
    """A clock that never tells a time twice, whoever asks: of two branches of a log no event is the same by chance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest = 0

    def __call__(self) -> int:
        """Milliseconds since 1970."""
        with self._lock:
            self._latest = max(now_ms(), self._latest + 1)
            return self._latest


distinct_ms: Final = DistinctTimes()


def open_games(
    client: Client, *, seconds: float | None = None, clock: Callable[[], int] = distinct_ms, **more: Any
) -> GameLog:
    """A log on `client` with an empty cache. `seconds`: how long it retries a lost connection; `more`: of `new_log`."""
    return new_log(Store(client, SHARDS, patience(3) if seconds is None else seconds), clock=clock, **more)


def import_game(store: Store, played: History, due_at: int | None = None) -> bool:
    types = [event["type"] for event in played.events[-played.entries[-1].count :]]
    game, last_hash = played.head.game.id, played.head.hash
    new = AppendRequest(game=game, entries=played.entries, head_hash=last_hash, types=types, due=("due", due_at))
    return store.append(new) is None


def new_game(game: str, seats: Sequence[SeatPlan] | int = 2) -> CreateGame:
    """The command for a table of so many players; the shuffle follows from the name."""
    plan = tuple(SeatPlan(name=f"player {seat}") for seat in range(seats)) if isinstance(seats, int) else tuple(seats)
    return CreateGame(game=game, server_seed=sha256(game.encode()).digest(), seats=plan)


def any_act(game: Game, chance: Random, actions: int = 1) -> Act:
    """A legal first action of the seat whose turn it is, and more after it that may be refused."""
    legal = list(legal_actions(game, game.turn_seat))
    return Act(seat=game.turn_seat, actions=tuple(chance.choice(legal) for _ in range(actions)))


def play(games: GameLog, game: str, chance: Random, until: Callable[[Game], bool]) -> list[Ack]:
    """Play on until the condition holds, or the game is over or waits to be scored; the acknowledgements."""
    acks = []
    now = games.load(game).game
    while now.status == "playing" and not until(now):
        outcome = games.handle(game, any_act(now, chance))
        acks.append(ack_of(outcome))
        now = outcome.loaded.game
    return acks


def key_of(word: str, body: Any = None) -> IdempotencyKey:
    return IdempotencyKey("actions/0", word, body, bytes(32))


def play_until(games: GameLog, game: str, chance: Random, until: Callable[[Game], bool]) -> Game:
    """Play and score rounds until the condition holds, or the game is over."""
    while not (now := games.load(game).game).over and not until(now):
        games.handle(game, any_act(now, chance) if now.scoring is None else CompleteScoring(round=now.scoring))
    return now


def finish(games: GameLog, game: str) -> None:
    play_until(games, game, Random(game), lambda _: False)


@cache
def finished(name: str) -> History:
    """A game of two people that was played to its end; once, for all tests of the process that need one to copy."""
    games = open_games(new_client(), clock=lambda: BEGIN)
    games.create(new_game(name))
    finish(games, name)
    return games.load_history(name)

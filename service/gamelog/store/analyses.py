"""The analyses of finished games, beside their logs: the turns that are judged so far, then the whole answer.

Rule 1: a turn is the same bytes whoever judges it, and is written only for the engine that the analysis has begun with.
Rule 2: no name, text, time or hash is in it, so that it stays true when words are erased from the log.
Rule 3: those that are under way are in a list of their shard, by the time at which a worker looks at them.
"""

import zlib
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, NamedTuple

import orjson

from domain.analysis import ENGINE
from service.gamelog.store.commit import Expect
from service.gamelog.store.errors import NoSuchGame
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms

MOST_OF_CLIENT: Final = 3
MOST_UNDER_WAY: Final = 100
"""In the whole deployment."""
MOST_UNASKED: Final = 50
"""With so many under way none begins by itself, so that there is room for those who ask."""


class TooManyAnalyses(Exception):
    """As many are under way as may be, of the client (`is_own`) or in all. None was begun."""

    def __init__(self, most: int, *, is_own: bool) -> None:
        self.most, self.is_own = most, is_own


class Analysis(NamedTuple):
    engine: str
    judged: int = 0
    total: int = 0
    """Of its turns; 0 before the first ones are judged."""
    packed: bytes = b""
    """The whole answer, compressed; empty until it is done."""

    @property
    def answer(self) -> bytes:
        """As JSON: that of `answer_of` once it is done."""
        if self.packed:
            return zlib.decompress(self.packed)
        status = "running" if self.judged else "waiting"
        progress = min(0.99, round(self.judged / (self.total or 1), 2))
        return orjson.dumps({"status": status, "progress": progress, "engine": self.engine, "turns": [], "seats": []})


class Analyses:
    """Those of a store. Safe for threads. Calls raise StoreUnavailable."""

    def __init__(self, store: Store, clock: Callable[[], int] = now_ms) -> None:
        """`clock`: ms since 1970, which only writing needs."""
        self._store = store
        self._clock = clock
        self._beginning = Lock()

    def find(self, game: str) -> Analysis | None:
        """The game's analysis, as far as it is; None where none was asked for. One round trip."""
        engine, judged, total, packed = self._read(game, "engine", "judged", "total", "answer")
        return None if engine is None else Analysis(engine.decode(), int(judged or 0), int(total or 0), packed or b"")

    def begin(self, game: str, client: str | None, most: int | None = None) -> Analysis:
        """As `restart`, where there is room for one more. Raises TooManyAnalyses, too.

        `client`: who asks; None where clients have no limits. Counted one at a time in each process, so that limits are
        passed by no more than the number of other processes that begin one at that moment. `most`: under way in all.
        """
        with self._beginning:
            self._check_room(client, most or MOST_UNDER_WAY)
            return self.restart(game, client or "")

    def restart(self, game: str, client: str = "") -> Analysis:
        """Begin the game's analysis, unless one by this engine is there; which there is then. Raises NoSuchGame."""
        store, (key, under_way), now = self._store, self._store.analysis(game), self._clock()
        begun = "HSET", key, "engine", ENGINE, "since", now, "client", client
        while True:
            analysis = self.find(game)
            if analysis and analysis.engine == ENGINE:
                return analysis
            state = Expect(fields=[(key, "engine", analysis.engine if analysis else "")], exists=True)
            refused = store.commit(game, state, [("DEL", key), begun, ("ZADD", under_way, now, game)], safely=False)
            if refused is None:
                return Analysis(ENGINE)
            if refused.word == "missing":
                raise NoSuchGame(game)

    def release(self, game: str) -> None:
        """Let other workers judge turns of the game beside the caller, and first of that which began first."""
        (since,) = self._read(game, "since")
        self._store.call_each(("ZADD", self._store.analysis(game)[1], "XX", since or 0, game))

    def add(self, game: str, number: int, turn: dict[str, Any], total: int) -> None:
        """Keep a turn, unless another worker has judged it, too."""
        key, _ = self._store.analysis(game)
        write = "HSET", key, number, orjson.dumps(turn), "total", total
        state = self._under_way(key, (key, str(number), ""))
        self._store.commit(game, state, [write, ("HINCRBY", key, "judged", 1)], safely=False)

    @staticmethod
    def _under_way(key: str, *fields: tuple[str, str, Any]) -> Expect:
        return Expect(fields=[(key, "engine", ENGINE), (key, "answer", ""), *fields])

    def turns(self, game: str) -> dict[int, bytes] | None:
        """Those that are judged, by number, as JSON; None where the analysis is done, or was dropped."""
        key, _ = self._store.analysis(game)
        fields = self._store.with_retries(lambda: self._store.client.hgetall(key), key)
        is_under_way = fields and b"answer" not in fields
        return {int(field): turn for field, turn in fields.items() if field.isdigit()} if is_under_way else None

    def finish(self, game: str, answer: bytes) -> None:
        """Keep the whole answer in the place of the turns."""
        key, under_way = self._store.analysis(game)
        done = "HSET", key, "engine", ENGINE, "since", self._clock(), "answer", zlib.compress(answer, 9)
        writes = [("DEL", key), done, ("ZREM", under_way, game)]
        self._store.commit(game, self._under_way(key), writes, safely=False)

    def drop(self, game: str) -> None:
        """Forget an analysis that can't be made, or is of no game any more: it may be asked for again."""
        key, under_way = self._store.analysis(game)
        self._store.call_each(("DEL", key), ("ZREM", under_way, game))

    def _read(self, game: str, *fields: str) -> list[Any]:
        key, _ = self._store.analysis(game)
        return list(self._store.with_retries(lambda: self._store.client.hmget(key, fields), key))

    def _check_room(self, client: str | None, most: int) -> None:
        """Raises TooManyAnalyses. Two round trips."""
        store = self._store
        lists = store.call_each(*(("ZRANGE", key, 0, -1) for key in store.shard_keys("analyses")))
        games = [game.decode(errors="replace") for members in lists for game in members]
        if len(games) >= most:
            raise TooManyAnalyses(most, is_own=False)
        if client is not None:
            clients = store.call_each(*(("HGET", store.analysis(game)[0], "client") for game in games))
            if clients.count(client.encode()) >= MOST_OF_CLIENT:
                raise TooManyAnalyses(MOST_OF_CLIENT, is_own=True)

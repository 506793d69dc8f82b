"""The cache of folded games of one process. With it an action needs one round trip to the store, its append."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from domain.fairness.chain import chain_key
from domain.state import Game
from service.gamelog.codec import decode_rows, fold_entries
from service.gamelog.entry import Entry, add_traces
from service.gamelog.errors import CorruptLog


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game at one version, with what the log needs to continue from there. Threads share it: never change it."""

    game: Game
    hash: bytes
    """Of the last event."""
    chain_key: bytes = field(repr=False)


EMPTY = LoadedGame(Game(), b"", b"")
"""A game without events."""


def apply_entries(loaded: LoadedGame, entries: Sequence[Entry], head_hash: bytes) -> LoadedGame:
    """The game after `entries`, which follow its version without a gap. Raises CorruptLog.

    `head_hash`: of the last event in them.
    """
    if not entries:
        return loaded
    game = loaded.game.copy()
    version = game.version
    for entry in entries:
        if entry.version - entry.count != version:
            raise CorruptLog(f"game {game.id}: no entry follows version {version}")
        version = entry.version
    rows = decode_rows([entry.body for entry in entries])
    if len(rows) != version - game.version:
        raise CorruptLog(f"game {game.id}: the entries up to version {version} hold another number of events")
    fold_entries(game, entries, rows)
    return LoadedGame(game, head_hash, loaded.chain_key or chain_key(game.server_seed))


class GameCache:
    """The games used last, and checkpoints of those whose past was read last. Safe for threads."""

    def __init__(self, capacity: int = 2000, with_checkpoints: int = 128) -> None:
        """A game takes about 20 KB, a checkpoint 9; `with_checkpoints`: games that may have some, at most 20 each."""
        self._capacity = capacity
        self._with_checkpoints = with_checkpoints
        self._games: OrderedDict[str, LoadedGame] = OrderedDict()
        self._checkpoints: OrderedDict[str, dict[int, LoadedGame]] = OrderedDict()
        """By game and version."""
        self._traces: dict[str, bytes] = {}
        """Of the games in the cache, packed."""
        self._lock = Lock()

    def get(self, game: str) -> LoadedGame | None:
        """The game as this process last saw it, perhaps behind the store; None if it is not in the cache."""
        with self._lock:
            loaded = self._games.get(game)
            if loaded is not None:
                self._games.move_to_end(game)
            return loaded

    def list_states(self, game: str) -> list[LoadedGame]:
        """EMPTY, the game's checkpoints, and the game as `get` gives it; EMPTY alone if it is not in the cache."""
        loaded = self.get(game)
        if loaded is None:
            return [EMPTY]
        with self._lock:
            checkpoints = self._checkpoints.get(game, {})
            if checkpoints:
                self._checkpoints.move_to_end(game)
            before = sorted(version for version in checkpoints if version < loaded.game.version)
            return [EMPTY, *(checkpoints[version] for version in before), loaded]

    def forget(self, game: str) -> bytes:
        """Remove the game from the cache; the traces of the last entries that led to it, packed."""
        with self._lock:
            self._games.pop(game, None)
            self._checkpoints.pop(game, None)
            return self._traces.pop(game, b"")

    def heads(self) -> list[LoadedGame]:
        """All games that are in the cache."""
        with self._lock:
            return list(self._games.values())

    def put(self, loaded: LoadedGame, checkpoints: Sequence[LoadedGame] = (), entries: Sequence[Entry] = ()) -> bool:
        """Keep a game, unless a later version of it is in the cache, and add checkpoints of it.

        `entries`: of which traces are kept, as they are in the log. False, and nothing has changed, if the log has lost
        either these or some that led to the game in the cache: no log has held both.
        """
        name = loaded.game.id
        with self._lock:
            cached = self._games.get(name)
            traces = add_traces(self._traces.get(name, b""), entries)
            if traces is None or (cached and cached.game.version == loaded.game.version and cached.hash != loaded.hash):
                return False
            if cached is None or cached.game.version < loaded.game.version:
                self._games[name] = loaded
            self._games.move_to_end(name)
            if traces:
                self._traces[name] = traces
            if len(self._games) > self._capacity:
                dropped, _ = self._games.popitem(last=False)
                self._traces.pop(dropped, None)
            if checkpoints:
                kept = self._checkpoints.setdefault(name, {})
                kept.update((state.game.version, state) for state in checkpoints)
                self._checkpoints.move_to_end(name)
                if len(self._checkpoints) > self._with_checkpoints:
                    self._checkpoints.popitem(last=False)
            return True

"""The cache of folded games of one process. With it an action needs one round trip to the store, its append."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from domain.fairness.chain import chain_key
from domain.state import Game
from service.gamelog.codec import decode_rows, fold_entries
from service.gamelog.entry import Entry
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
    """The games used last, at most `capacity` of them. Safe for threads."""

    def __init__(self, capacity: int = 2000) -> None:
        """A game takes about 20 KB, and a checkpoint 5; the limit of messages leaves room for six of them."""
        self._capacity = capacity
        self._games: OrderedDict[str, tuple[LoadedGame, ...]] = OrderedDict()
        """The states that are known of each game, oldest first: its checkpoints, then the newest."""
        self._lock = Lock()

    def get(self, game: str) -> LoadedGame | None:
        """The game as this process last saw it, perhaps behind the store; None if it is not in the cache."""
        loaded = self.known(game)[-1]
        return None if loaded is EMPTY else loaded

    def known(self, game: str) -> tuple[LoadedGame, ...]:
        """EMPTY, the game's checkpoints, and the game as this process last saw it, as far as they are in the cache."""
        with self._lock:
            known = self._games.get(game, ())
            if known:
                self._games.move_to_end(game)
            return EMPTY, *known

    def forget(self, game: str) -> None:
        """Remove the game from the cache."""
        with self._lock:
            self._games.pop(game, None)

    def put(self, loaded: LoadedGame, checkpoints: Sequence[LoadedGame] = ()) -> None:
        """Keep a game, unless a later version of it is in the cache, and add checkpoints that lie before it."""
        name = loaded.game.id
        with self._lock:
            *older, newest = self._games.get(name, (loaded,))
            if newest.game.version < loaded.game.version:
                newest = loaded
            places = {one.game.version: one for one in (*older, *checkpoints, newest)}
            self._games[name] = tuple(places[version] for version in sorted(places))
            self._games.move_to_end(name)
            if len(self._games) > self._capacity:
                self._games.popitem(last=False)

"""The cache of folded games of one process. With it an action needs one round trip to the store, its append."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from domain.fairness.chain import chain_key
from domain.state import Game
from service.gamelog.store.errors import CorruptLog, TokenVoid
from service.gamelog.store.form.codec import decode_rows, fold_entries
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.replies import NO_AMENDMENTS, Amendments
from service.signing.tokens import SeatToken

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game at one version, with what the log needs to continue from there. Threads share it: never change it."""

    game: Game
    hash: bytes
    """Of the last event."""
    chain_key: bytes = field(repr=False)
    amendments: Amendments = NO_AMENDMENTS
    """As the header had them at the last read."""

    def generation(self, seat: int) -> int:
        """Of the seat's valid token."""
        return self.amendments.generation(seat)


EMPTY = LoadedGame(Game(), b"", b"")


def check_token(amendments: Amendments, token: SeatToken | None) -> None:
    """Raise TokenVoid where the token isn't the seat's valid one; None: a spectator has none."""
    if token is not None and amendments.generation(token.seat) != token.generation:
        raise TokenVoid(token.game)


def apply_entries(loaded: LoadedGame, entries: Sequence[Entry], head_hash: bytes) -> LoadedGame:
    """The game after `entries`, which follow it without a gap and end with `head_hash`. Raises CorruptLog."""
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
    return LoadedGame(game, head_hash, loaded.chain_key or chain_key(game.server_seed), loaded.amendments)


class RecentGames(Generic[T]):
    """What was read of games, as much as has room: what was used longest ago is dropped. Safe for threads."""

    def __init__(self, most: int, weigh: Callable[[T], int]) -> None:
        """`most`: of all weights; what is heavier alone isn't kept."""
        self._most = most
        self._weigh = weigh
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._lock = Lock()
        self.weight = 0

    def get(self, game: str) -> T | None:
        """What this process last saw of the game, perhaps behind the store."""
        with self._lock:
            kept = self._kept.get(game)
            if kept is not None:
                self._kept.move_to_end(game)
            return kept

    def forget(self, game: str) -> None:
        with self._lock:
            self._pop(game)

    def _keep(self, game: str, new: T) -> None:
        """Keep it in the place of what is there. The lock is held."""
        self._pop(game)
        if self._weigh(new) > self._most:
            return
        self._kept[game] = new
        self.weight += self._weigh(new)
        while self.weight > self._most:
            self._pop(next(iter(self._kept)))

    def _pop(self, game: str) -> None:
        kept = self._kept.pop(game, None)
        if kept is not None:
            self.weight -= self._weigh(kept)


class GameCache(RecentGames[LoadedGame]):
    def __init__(self, capacity: int = 2000) -> None:
        """A game takes about 20 KB."""
        super().__init__(capacity, lambda _game: 1)

    def put(self, loaded: LoadedGame) -> None:
        """Keep a game, unless a later version of it is in the cache."""
        with self._lock:
            cached = self._kept.get(loaded.game.id)
            is_later = cached is not None and cached.game.version > loaded.game.version
            self._keep(loaded.game.id, cached if cached and is_later else loaded)

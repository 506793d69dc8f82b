"""Earlier states and past events of a game, from its entries.

Hashes are worked out anew from the first event: an entry keeps only the first bytes of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash
from domain.state import Game
from service.gamelog.cache import EMPTY, LoadedGame, apply_entries
from service.gamelog.codec import apply_rows, decode_rows, hash_rows, payload_of
from service.gamelog.entry import Entry, entry_time
from service.gamelog.errors import CorruptLog, NoSuchVersion


@dataclass(frozen=True, slots=True)
class History:
    """A whole game: its entries, the events in them, and the state at the last one."""

    head: LoadedGame
    entries: Sequence[Entry]
    events: list[EventRecord]
    """All of them, unredacted; the last one has the hash of `head`."""

    def state_at(self, version: int) -> LoadedGame:
        """The game at `version`; 0: before its first event. Raises NoSuchVersion and CorruptLog."""
        return self.head if version == self.head.game.version else state_at(self.entries, version, self.events)

    def states(self) -> Iterator[Game]:
        """The game after each of its events, as the function `states` gives them."""
        return states(self.entries)


def history(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """All events of the entries, which begin with the game's first, unredacted: {"version", …, "hash"}.

    Raises CorruptLog.
    """
    if not entries:
        return []
    first, *_ = decode_rows([entries[0].body])
    kind, created = payload_of(first)
    if kind != "GameCreated":
        raise CorruptLog(f"a game begins with {kind}")
    key = chain_key(bytes.fromhex(created["server_seed"]))
    previous = first_hash(key, created["game"])
    began = entries[0].elapsed
    events: list[dict[str, Any]] = []
    for index, entry in enumerate(entries):
        at = entry_time(entry, began if index else 0)
        some, previous = hash_rows(
            decode_rows([entry.body]), version=entry.version - entry.count, at=at, key=key, previous=previous
        )
        events += some
    return events


def continued(loaded: LoadedGame, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The events of the entries that follow `loaded`, as in `history`: hashes go on from the one it knows."""
    events: list[dict[str, Any]] = []
    previous = loaded.hash
    for entry in entries:
        version, at = entry.version - entry.count, entry_time(entry, loaded.game.created)
        some, previous = hash_rows(
            decode_rows([entry.body]), version=version, at=at, key=loaded.chain_key, previous=previous
        )
        events += some
    return events


def states(entries: Sequence[Entry]) -> Iterator[Game]:
    """The game after each of its events, in one pass. It is one game that goes on: look, and don't keep it."""
    game = Game()
    rows = iter(decode_rows([entry.body for entry in entries]))
    for entry in entries:
        at = entry_time(entry, game.created)
        for row in islice(rows, entry.count):
            apply_rows(game, (row,), at)
            yield game


def state_at(entries: Sequence[Entry], version: int, events: Sequence[dict[str, Any]] | None = None) -> LoadedGame:
    """The game at `version` (0: before its first event), from all its entries. Raises NoSuchVersion and CorruptLog.

    `events`: the `history` of the entries, from whoever has that already.
    """
    if not version:
        return EMPTY
    whole = [entry for entry in entries if entry.version < version]
    if len(whole) == len(entries):
        raise NoSuchVersion(version)
    # The version lies at the end of the next entry, or within it: live through that part.
    entry = entries[len(whole)]
    so_far = [*whole, entry]
    head_hash = bytes.fromhex((events or history(so_far))[version - 1]["hash"])
    loaded = apply_entries(EMPTY, so_far, head_hash)
    if loaded.game.version == version:
        return loaded
    game = apply_entries(EMPTY, whole, b"").game.copy()
    apply_rows(game, decode_rows([entry.body])[: version - game.version], entry_time(entry, game.created))
    return LoadedGame(game, head_hash, loaded.chain_key)

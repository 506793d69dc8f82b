"""Earlier states and past events of a game, from its entries."""

from collections.abc import Iterator, Sequence
from typing import Any

from domain.chain import first_hash
from service.gamelog.codec import Entry, apply_rows, chained, rows_of
from service.gamelog.store import Store
from service.gamelog.warm import BLANK, Warm, advance


class NoSuchVersion(Exception):  # noqa: N818 - the contract's word
    """The game has no event of this version."""


def state_at(entries: Sequence[Entry], version: int) -> Warm:
    """The game at `version` (0: before its first event), from all entries up to there. Raises NoSuchVersion."""
    whole = [entry for entry in entries if entry.version <= version]
    warm = advance(BLANK, whole)
    if warm.game.version == version:
        return warm
    if len(whole) == len(entries):
        raise NoSuchVersion(version)
    # The version lies within an entry: live through a part of it.
    entry = entries[len(whole)]
    begun = advance(warm, [entry])
    rows = rows_of([entry.body])[: version - warm.game.version]
    game = warm.game.copy()
    apply_rows(game, rows)
    previous = warm.hash if whole else first_hash(begun.chain_key, begun.game.id)
    _, last_hash = chained(rows, version=warm.game.version, at=begun.at, key=begun.chain_key, previous=previous)
    return Warm(game, last_hash, begun.at, begun.created, begun.chain_key)


def events_after(store: Store, head: Warm, after: int, limit: int | None) -> Iterator[dict[str, Any]]:
    """Up to `limit` events after version `after`, unredacted, with their hashes, none beyond `head`."""
    if after >= head.game.version:
        return
    before, entries = store.page(head.game.id, after, limit)
    version, previous = (before.version, before.hash) if before else (0, first_hash(head.chain_key, head.game.id))
    end = head.game.version if limit is None else min(head.game.version, after + limit)
    for entry in entries:
        at = head.created + (entry.elapsed if entry.version > entry.count else 0)
        events, previous = chained(
            rows_of([entry.body]), version=version, at=at, key=head.chain_key, previous=previous
        )
        version = entry.version
        yield from (event for event in events if after < event["version"] <= end)
        if version >= end:
            return

"""Stored games that are copies of a few random ones, to fill a store with very many.

A copy has the entries and idempotency keys of its original under an id of its own, written by the service's own import
in one append. Its hash chain is that of the original, unless one of its own is asked for: an audit would refuse its
log, but loads, views and lists don't compute hashes. An archived copy has the header, the archive and the line in the
lists that the archiver would leave, written by the archiver's own script; its archive is the original's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import orjson

from domain.commands import Act
from domain.orders.wishes import json_of
from service.gamelog.history import walk
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog
from service.gamelog.store.form.archive import ArchivePlace, hash_mark, pack
from service.gamelog.store.form.codec import decode_rows, payload_of_row
from service.gamelog.store.form.entry import Entry, entry_check
from service.gamelog.store.form.listing import Listing
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import AppendRequest, Store
from service.runtime.clock import now_ms
from tests.bench.common import durable_store
from tests.bench.games import Plan, filling

BATCH: Final = 1000
DAY_MS: Final = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Original:
    """A stored game that others are copied from."""

    game: str
    reading: ReadReply
    types: list[str]
    """Of the events of the last entry."""
    keys: dict[bytes, bytes]
    """Of idempotency, with what is kept of each."""
    listing: Listing

    def append(self, name: str, *, listed: bool, own_chain: bool = False) -> AppendRequest:
        """The same game under another id, in one step; `own_chain`: with hashes of its own."""
        body = self.reading.entries[0].body.replace(self.game.encode(), name.encode())
        entries = [self.reading.entries[0]._replace(body=body), *self.reading.entries[1:]]
        last_hash = self.reading.hash
        if own_chain:
            entries, last_hash = _with_own_chain(entries)
        listing = self.listing if listed else None
        look_at = now_ms() + 7 * DAY_MS
        return AppendRequest(name, entries, last_hash, self.types, look_at=look_at, listing=listing)

    def joined(self) -> Entry:
        """All entries as one: enough for a log that is archived at once."""
        entries = self.reading.entries
        count = sum(entry.count for entry in entries)
        return entries[-1]._replace(count=count, body=b",".join(entry.body for entry in entries))


def _with_own_chain(entries: Sequence[Entry]) -> tuple[list[Entry], bytes]:
    """The entries with the hashes that follow from their first event, which names the game; the last hash."""
    links = list(walk(entries))
    return [link.entry._replace(check=entry_check(link.hash)) for link in links], links[-1].hash


def play(log: GameLog, plan: Plan, name: str, share: float) -> None:
    """Play a share of the planned game, each action with an idempotency key."""
    log.create(replace(plan.create, game=name))
    for number, command in enumerate(plan.commands[: round(share * len(plan.commands))]):
        key = None
        if isinstance(command, Act):
            key = IdempotencyKey(f"actions/{command.seat}", f"key-{number}", json_of(command.actions[0]), bytes(32))
        log.handle(name, command, key=key)


def originals(plans: Sequence[Plan], share: float) -> list[Original]:
    """Games that were played through the log of a store of their own, so far."""
    found = []
    with durable_store(in_memory=True) as url, filling(url) as log:
        for plan in plans:
            name = plan.create.game
            play(log, plan, name, share)
            reading = log.store.read(name)
            types = [payload_of_row(row)[0] for row in decode_rows([reading.entries[-1].body])]
            seats = [seat.name for seat in plan.create.seats]
            status = "over" if share == 1 else "playing"
            shown = {"status": status, "seats": seats, "version": 1, "updated_at": "2026-01-31T18:05:09.123Z"}
            kept = log.store.client.hgetall(log.store.keys(name).idempotency)
            found.append(Original(name, reading, types, kept, Listing(status, orjson.dumps(shown))))
    return found


def store_copies(
    url: str, some: Sequence[Original], count: int, chance: Random, listed: int, *, own_chain: bool = False
) -> list[str]:
    """Store so many copies, of which each one of the number `listed` is listed; their ids. `own_chain`: as `append`."""
    ids = _new_ids(count, chance)
    for begin in range(0, count, BATCH):
        batch = list(enumerate(ids[begin : begin + BATCH], begin))
        with filling(url) as log:
            for number, name in batch:
                original = some[number // listed % len(some)]
                log.store.append(original.append(name, listed=number % listed == 0, own_chain=own_chain))
            pipeline = log.store.client.pipeline(transaction=False)
            for number, name in batch:
                pipeline.hset(log.store.keys(name).idempotency, mapping=some[number // listed % len(some)].keys)
            pipeline.execute()
    return ids


def archive_copies(store: Store, some: Sequence[Original], kind: str, count: int, chance: Random, listed: int) -> None:
    """Store so many copies, and archive each at once: in the store, or (`kind` is `files`) in files."""
    archives = [pack(original.reading.entries, original.reading.hash) for original in some]
    for number, name in enumerate(_new_ids(count, chance)):
        original, archive = some[number // listed % len(some)], archives[number // listed % len(some)]
        append = original.append(name, listed=number % listed == 0)
        store.append(append._replace(entries=[original.joined()]))
        last_hash = original.reading.hash
        place = ArchivePlace(append.entries[-1].version, kind, hash_mark(last_hash))
        if kind == "files":
            store.write_file(name, place, archive)
        assert store.compact(name, place, original.reading, archive if kind == "store" else b"")


def _new_ids(count: int, chance: Random) -> list[str]:
    return [f"{chance.getrandbits(80):020x}" for _ in range(count)]

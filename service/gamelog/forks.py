"""A copy of a finished game up to a version: what the log of a fork of it begins with.

Rule 1: the same deal, actions and times, request by request; other are the game's id, who sits there, and so the
hashes.
Rule 2: the rules themselves go on with what a cut within a request leaves pending, in the same request; the deck is the
same, and so is what follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.commands import ResumePending, SeatPlan
from domain.decide import decide, joined_event
from domain.events import EventRecord, payload_of
from domain.fairness.chain import chain_key, first_hash
from service.gamelog.cache import EMPTY, LoadedGame
from service.gamelog.codec import Row, apply_rows, decode_rows, encode_entry, hash_rows, row_of_event, row_of_payload
from service.gamelog.codec import payload_of as payload_in
from service.gamelog.entry import Entry, entry_time
from service.gamelog.errors import CorruptLog
from service.gamelog.transfer import ImportedGame


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """A game that goes on from the finished game `parent` as it stood at a version."""

    game: str
    parent: str
    version: int
    until: int
    """The last version that is copied: not before the first turn."""
    seats: tuple[SeatPlan, ...]
    """One for each of the parent's, none of them open."""
    listed: bool


def copied(entries: Sequence[Entry], fork: Fork) -> tuple[ImportedGame, list[EventRecord]]:
    """What the fork's log begins with, and its events, from all entries of its parent. Raises CorruptLog."""
    game = EMPTY.game.copy()
    events: list[EventRecord] = []
    made: list[Entry] = []
    key = previous = b""
    for entry in entries:
        if game.version >= fork.until:
            break
        rows = [_row(row, fork) for row in decode_rows([entry.body])][: fork.until - game.version]
        at = entry_time(entry, game.created)
        apply_rows(game, rows, at)
        if game.version == fork.until:
            rest = decide(ResumePending(), game, at)
            game = rest.game
            rows += [row_of_event(event) for event in rest.events]
        if not made:
            key = chain_key(game.server_seed)
            previous = first_hash(key, fork.game)
        more, previous = hash_rows(rows, version=len(events), at=at, key=key, previous=previous)
        events += more
        made.append(encode_entry(rows, version=len(events), elapsed=entry.elapsed, last_hash=previous))
    if game.version < fork.until or not made:
        raise CorruptLog(f"game {fork.parent} has not all of its events")
    last_types = [event["type"] for event in events[-made[-1].count :]]
    return ImportedGame(made, LoadedGame(game, previous, key), last_types), events


def _row(row: Row, fork: Fork) -> Row:
    """An event of the parent as it is in the fork."""
    kind, data = payload_in(row)
    if kind == "GameCreated":
        own = {"game": fork.game, "listed": fork.listed, "parent": fork.parent, "from": fork.version}
        return row_of_payload(kind, data | own)
    if kind == "PlayerJoined":
        plan = fork.seats[data["seat"]]
        joined = joined_event(data["seat"], SeatPlan(name=plan.name, bot=plan.bot, entropy=data["entropy"]))
        assert joined is not None, "nobody sits there"
        return row_of_payload(kind, payload_of(joined))
    return row

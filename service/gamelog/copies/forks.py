"""A copy of a finished game up to a version: the log that a fork of it begins with.

Rule 1: deal, actions and times are those of the parent, request by request; the game's id and the players differ, and
so do the hashes.
Rule 2: where the version is within a request, the rules complete that request in the same entry; the deck is the same,
and so is what follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.commands import ResumePending, SeatPlan
from domain.decide import decide, make_joined
from domain.erasure import is_erased
from domain.events import EventRecord, payload_of
from domain.fairness.chain import chain_key, first_hash
from domain.legality import refuse_copy
from service.gamelog.cache import EMPTY, LoadedGame
from service.gamelog.history import History
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.codec import (
    Row,
    apply_rows,
    decode_rows,
    make_entry,
    payload_of_row,
    row_of_event,
    row_of_payload,
)
from service.gamelog.store.form.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """A game that continues the finished game `parent` from a version."""

    game: str
    parent: str
    version: int
    until: int
    """The last version that is copied: not before the first turn."""
    seats: tuple[SeatPlan, ...]
    """One for each of the parent's, none of them open."""
    listed: bool
    name: str | None = None


def end_of_copy(events: Sequence[EventRecord], version: int) -> int:
    """The last version that a copy up to `version` holds: all its seats are taken, so its start follows at once."""
    started: int = next(event["version"] for event in events if event["type"] in ("TurnStarted", "PositionSet"))
    return max(version, started)


def copy_game(entries: Sequence[Entry], fork: Fork) -> History:
    """The fork as it begins, from all entries of its parent. Raises CorruptLog, and Refused as `refuse_copy` does."""
    game = EMPTY.game.copy()
    events: list[EventRecord] = []
    copies: list[Entry] = []
    key = previous = b""
    for entry in entries:
        if game.version >= fork.until:
            break
        rows = [_row_in_fork(row, fork) for row in decode_rows([entry.body])][: fork.until - game.version]
        at = game.created + entry.elapsed
        apply_rows(game, rows, at)
        refuse_copy(game, fork.version)
        if game.version == fork.until:
            rest = decide(ResumePending(), game, at)
            game = rest.game
            rows += [row_of_event(event) for event in rest.events]
        if not copies:
            key = chain_key(game.server_seed)
            previous = first_hash(key, fork.game)
        copy, more, previous = make_entry(
            rows, version=len(events), at=at, elapsed=entry.elapsed, key=key, previous=previous
        )
        events += more
        copies.append(copy)
    if game.version < fork.until or not copies:
        raise CorruptLog(f"game {fork.parent} has not all of its events")
    return History.of(LoadedGame(game, previous, key), copies, events)


def _row_in_fork(row: Row, fork: Fork) -> Row:
    kind, data = payload_of_row(row)
    if kind != "PlayerJoined" and is_erased(kind, data):
        return row_of_payload(kind, data)  # its hash in the fork is another one
    if kind == "GameCreated":
        for member in ("pace", "replaceable", "name"):  # no turn of a fork has a deadline
            data.pop(member, None)
        created = {"game": fork.game, "listed": fork.listed, "parent": fork.parent, "from": fork.version}
        created |= {"name": fork.name} if fork.name else {}
        return row_of_payload(kind, data | created)
    if kind == "PlayerJoined":
        plan = fork.seats[data["seat"]]
        joined = make_joined(data["seat"], replace(plan, entropy=data["entropy"]))
        assert joined is not None, "a fork has no open seats"
        return row_of_payload(kind, payload_of(joined))
    return row

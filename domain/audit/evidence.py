"""A log as the audit reads it: the same interface whether its cards are shown or hidden."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, Protocol

from domain.audit.compare import is_hex
from domain.audit.opening import created_fault
from domain.audit.redacted import RedactedEvidence, shown_pile
from domain.clock.timestamps import milliseconds
from domain.events import FIELDS, OPTIONAL, EventRecord
from domain.evolve import EFFECTS
from domain.fairness.canonical import NOT_JSON, JsonObject
from domain.state import Game

CANT_HAPPEN: Final = (AssertionError, LookupError, AttributeError, OverflowError, *NOT_JSON)
"""What reading or applying an event raises that can't have happened."""


class Evidence(Protocol):
    """The events of one log, and what happened in each."""

    @property
    def events(self) -> Sequence[EventRecord]:
        """Each with a type and data, the first event first."""

    @property
    def seed(self) -> str | None:
        """The server's seed, 64 hex digits; None where the log is redacted."""

    def prepare(self, game: Game, index: int) -> None:
        """Change `game`, so that the event at `index` can happen to it: its hidden cards become known ones.

        Raises one of CANT_HAPPEN where no cards would do.
        """

    def data(self, game: Game, index: int) -> JsonObject:
        """The data of the event at `index`, without null for hidden cards; `game` is prepared, and is not changed.

        Raises one of CANT_HAPPEN where what the log shows can't be.
        """


@dataclass(frozen=True, slots=True)
class OpenEvidence:
    """An unredacted log: it says itself what happened."""

    events: Sequence[EventRecord]
    seed: str

    def prepare(self, game: Game, index: int) -> None:
        """Change nothing: every card is known."""

    def data(self, game: Game, index: int) -> JsonObject:
        """The data of the event as the log has it."""
        data: JsonObject = self.events[index]["data"]
        return data


def readable(events: Sequence[Any]) -> list[EventRecord]:
    """The events up to the first that has no type or no data."""
    return list(takewhile(_is_readable, events))


def _is_readable(event: Any) -> bool:
    return isinstance(event, dict) and isinstance(event.get("type"), str) and isinstance(event.get("data"), dict)


def evidence_of(events: Sequence[Any]) -> Evidence:
    """A log up to its first event without type or data; an empty one where it doesn't begin with a sound GameCreated.

    Its `server_seed` must be null or 64 hex digits.
    """
    records = readable(events)
    created = records[0]["data"] if records and records[0]["type"] == "GameCreated" else {}
    seed = created.get("server_seed", "")
    if seed is None:
        return RedactedEvidence(records, shown_pile(records))
    return OpenEvidence(records, seed) if is_hex(seed) else OpenEvidence([], "")


def apply_record(game: Game, evidence: Evidence, index: int) -> None:
    """Apply the event at `index` to `game`, at the time that the log gives. Raises one of CANT_HAPPEN.

    An event of an unknown type changes time and version alone.
    """
    event = evidence.events[index]
    kind = event["type"]
    game.at = milliseconds(event["at"])
    if kind in FIELDS:
        evidence.prepare(game, index)
        data = evidence.data(game, index)
        if kind == "GameCreated":
            assert not created_fault(data), "of a million seats none is made"
        values = [data[field] for field in FIELDS[kind]]
        if kind in OPTIONAL:
            values += [data.get(member) for member in OPTIONAL[kind]]
        EFFECTS[kind](game, *values)
    game.version = index + 1


def fold(evidence: Evidence, end: int) -> Game:
    """The game after the log's first `end` events; where one of them can't happen, its `version` is that before it."""
    game = Game()
    with suppress(*CANT_HAPPEN):
        for index in range(end):
            apply_record(game, evidence, index)
    return game

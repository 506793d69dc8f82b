"""The audit's checks of rounds and totals, and how an event is compared with what it should have been."""

from collections.abc import Sequence
from typing import Any, Final

from domain.audit.chain import NOT_JSON, Offence
from domain.audit.redacted import Veil
from domain.events import FIELDS, OPTIONAL, Event, EventRecord, GameEnded, RoundScored, payload_of, type_of
from domain.evolve import EFFECTS
from domain.fairness.canonical import canonical_json
from domain.scoring import score, winners_of
from domain.state import Game

CANT_HAPPEN: Final = (AssertionError, LookupError, AttributeError, *NOT_JSON)
"""What events raise that can't have happened."""
_LONGEST: Final = 200
"""Characters of a value that a detail quotes."""
_NOT_THE_RULES: Final = frozenset({"commitment", "server_seed"})
"""Checked as `commitment`."""
_ONLY_WHERE_GIVEN: Final = frozenset({"pace"})
_NESTED: Final = frozenset({"GameCreated", "GameStarted", "PositionSet", "RoundScored", "GameEnded"})


def live_through(game: Game, events: Sequence[EventRecord], index: int, veil: Veil | None) -> None:
    """Let the log's event at `index` happen to `game`. Raises one of many errors where it can't have happened."""
    kind = events[index]["type"]
    if kind in FIELDS:
        data = veil.uncover(game, index) if veil else events[index]["data"]
        values = [data[field] for field in FIELDS[kind]]
        if kind in OPTIONAL:
            values += [data.get(member) for member in OPTIONAL[kind]]
        EFFECTS[kind](game, *values)
    game.version = index + 1


class Sheet:
    """Rounds and totals of a log against pure recomputation, also where the play itself breaks the rules.

    `scoring`: the first round, or end, that isn't what the rows give; `totals`: the first whose totals aren't the sum
    of the log's own incomes; `stopped`: the version at which nobody can know how the game went on.
    """

    def __init__(self, events: Sequence[EventRecord], seed: str | None) -> None:
        """As `Referee` takes them."""
        self.scoring: Offence | None = None
        self.totals: Offence | None = None
        self.stopped: int | None = None
        self.game = Game()
        veil = Veil(list(events)) if seed is None else None
        sums: list[int] = []
        for index, event in enumerate(events):
            try:
                if event["type"] == "RoundScored":
                    sums = self._check_round(index + 1, event, sums or [place.total for place in self.game.seats])
                elif event["type"] == "GameEnded":
                    self._check_end(index + 1, event, sums)
                live_through(self.game, events, index, veil)
            except CANT_HAPPEN:
                self.stopped = index + 1
                return

    def _check_round(self, version: int, event: EventRecord, sums: list[int]) -> list[int]:
        game, data = self.game, event["data"]
        seats = score(game.rules, game.seats, len(game.rounds) + 1)
        totals = [place.total + one["income"] for place, one in zip(game.seats, seats, strict=True)]
        if expected := difference(RoundScored(len(game.rounds) + 1, seats, totals), event, redacted=False):
            self.scoring = self.scoring or Offence(version, expected)
        added = [total + one["income"] for total, one in zip(sums, data["seats"], strict=True)]
        if added != data["totals"]:
            self.totals = self.totals or Offence(version, f"totals {added}")
        return added

    def _check_end(self, version: int, event: EventRecord, sums: list[int]) -> None:
        totals = [place.total for place in self.game.seats]
        if expected := difference(GameEnded(totals, winners_of(totals)), event, redacted=False):
            self.scoring = self.scoring or Offence(version, expected)
        if event["data"]["totals"] != sums:
            self.totals = self.totals or Offence(version, f"totals {sums}")


def difference(expected: Event, event: EventRecord, *, redacted: bool) -> str:
    """What `event` should have been, where it isn't `expected`; empty where it is."""
    kind, data = event["type"], event["data"]
    if kind != type_of(expected):
        return type_of(expected)
    if kind not in _NESTED and _is_plainly(expected, kind, data):  # nearly always: spares two objects
        return ""
    payload = payload_of(expected)
    if kind == "GameCreated":
        payload = {name: value for name, value in payload.items() if name not in _NOT_THE_RULES}
        data = {name: value for name, value in data.items() if name not in _NOT_THE_RULES | _ONLY_WHERE_GIVEN}
    elif redacted and "card" in payload and data.get("card", "") is None:
        payload["card"] = None
    for name, value in payload.items():
        if name not in data or not same(value, data[name]):
            said = canonical_json(value).decode()
            return f"{kind} with {name} {said if len(said) <= _LONGEST else said[:_LONGEST] + '…'}"
    return "" if len(data) == len(payload) else f"{kind} with {', '.join(payload)} and no more"


def _is_plainly(expected: Event, kind: str, data: dict[str, Any]) -> bool:
    fields = FIELDS[kind]
    for field in fields:
        value, found = getattr(expected, field), data.get(field)
        if found != value or type(found) is not type(value):
            return False
    return len(data) == len(fields)


def same(left: Any, right: Any) -> bool:
    """Equal as JSON values: True is not 1, and 1.0 is not written as 1."""
    try:
        return canonical_json(left) == canonical_json(right)
    except NOT_JSON:
        return False

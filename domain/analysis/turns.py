"""The turns that a log tells of, and what was lost in them in all."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.events import ACTIONS, EventRecord

COSTLY: Final = 0.5
"""Millions that a turn must have lost to be one of a seat's worst."""
MOST_WORST: Final = 3


class PlayedTurn(NamedTuple):
    turn: int
    seat: int
    version: int
    """Of its TurnStarted; of the PositionSet where a fork starts within the turn."""
    actions: tuple[Action, ...]
    """One at least."""


def played_turns(events: Sequence[EventRecord]) -> list[PlayedTurn]:
    """The turns of a whole unredacted log in which something was played, in order."""
    turns: list[PlayedTurn] = []
    for event in events:
        kind, data = event["type"], event["data"]
        if kind == "TurnStarted":
            turns.append(PlayedTurn(data["turn"], data["seat"], event["version"], ()))
        elif kind == "PositionSet":
            turns.append(PlayedTurn(data["turn"]["number"], data["turn"]["seat"], event["version"], ()))
        elif kind in ACTIONS:
            turns[-1] = turns[-1]._replace(actions=(*turns[-1].actions, _action_of(kind, data)))
    return [turn for turn in turns if turn.actions]


def _action_of(kind: str, data: Mapping[str, Any]) -> Action:
    match kind:
        case "CardTaken":
            return Take(slot=data["slot"])
        case "PileDrawn":
            return Draw()
        case "BusinessmakerLaid":
            return LayBusinessmaker(card=data["card"])
    return Append(card=data["card"], row=data["row"])


def summary(turns: Sequence[Mapping[str, Any]], seats: int) -> list[dict[str, Any]]:
    """Of each seat what its judged turns have lost in all, and which of them lost most."""
    found = []
    for seat in range(seats):
        own = [turn for turn in turns if turn["seat"] == seat]
        costly = sorted((turn for turn in own if turn["loss"] >= COSTLY), key=lambda turn: -turn["loss"])
        loss = sum(round(100 * turn["loss"]) for turn in own) / 100
        found.append({"seat": seat, "loss": loss, "worst": [turn["turn"] for turn in costly[:MOST_WORST]]})
    return found

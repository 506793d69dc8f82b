"""The turns that a log tells of, and what was lost in them in all."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from domain.commands import ACTIONS, Action, recorded_action
from domain.events import EventRecord

COSTLY, MOST_WORST = 0.5, 3
"""Millions that one of a seat's worst turns has lost at least, and how many are named."""


class PlayedTurn(NamedTuple):
    turn: int
    seat: int
    version: int
    """Of its TurnStarted; of the PositionSet where a fork starts within the turn."""
    actions: tuple[Action, ...]


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
            turns[-1] = turns[-1]._replace(actions=(*turns[-1].actions, recorded_action(kind, data)))
    return [turn for turn in turns if turn.actions]


def summary(turns: Sequence[Mapping[str, Any]], seats: int) -> list[dict[str, Any]]:
    """The contract's `seats`, from its `turns`: what each has lost in all, and in which turns most."""
    sums = []
    for seat in range(seats):
        of_seat = sorted((turn for turn in turns if turn["seat"] == seat), key=lambda turn: -turn["loss"])
        worst = [turn["turn"] for turn in of_seat[:MOST_WORST] if turn["loss"] >= COSTLY]
        sums.append({"seat": seat, "loss": sum(round(100 * turn["loss"]) for turn in of_seat) / 100, "worst": worst})
    return sums

"""Forks of running games, made without a service, and random players who play them on."""

from collections.abc import Iterator
from hashlib import sha256
from random import Random

from domain.commands import Command, CreateGame, SeatPlan
from domain.decide import decide
from domain.decision import Decision
from domain.events import EventRecord, PositionSet
from domain.forks.position import fill_hidden, fork_of_running, visible_position
from domain.state import Game
from domain.view import scores_of, view_of
from tests.oracle.play import rechain
from tests.support.play import next_command


def position_for(parent: Game, seat: int, seed: bytes) -> PositionSet:
    seen = visible_position(view_of(parent, seat, ""), scores_of(parent))
    return fill_hidden(seen, parent.rules, seed, [""] * len(parent.seats))


def fork_command(parent: Game, seat: int, name: str) -> CreateGame:
    """What opens a fork of a game that is `playing`; `name` gives its id and its seed."""
    seats = tuple(SeatPlan(name=f"guest {index}") for index in range(len(parent.seats)))
    plan = CreateGame(game=f"fork-{name}", server_seed=sha256(name.encode()).digest(), seats=seats)
    return fork_of_running(parent, seat, plan)


def fork_steps(parent: Game, seat: int, name: str) -> Iterator[tuple[Command, Decision]]:
    """A fork from its creation to its end, command by command."""
    chance = Random(name)
    command: Command = fork_command(parent, seat, name)
    decision = decide(command, Game())
    yield command, decision
    while not (game := decision.game).over:
        command = next_command(game, chance)
        decision = decide(command, game)
        yield command, decision


def fork_decisions(parent: Game, seat: int, name: str) -> list[Decision]:
    return [decision for _, decision in fork_steps(parent, seat, name)]


def copy_of(log: list[EventRecord], version: int) -> list[EventRecord]:
    """The log of a copy of a finished game, made at a version, that is played on as the game was."""
    own = {"game": "copy", "parent": log[0]["data"]["game"], "from": version}
    created = {name: value for name, value in log[0]["data"].items() if name != "pace"}
    return rechain([log[0] | {"data": created | own}, *log[1:]])

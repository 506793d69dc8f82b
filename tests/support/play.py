"""Random players for all tests: whole games, or games up to a point, that repeat by their seed."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import islice, tee
from random import Random
from typing import Any

from domain.commands import Act, Command, CompleteScoring, CreateGame, PostMessage, SeatPlan
from domain.decide import decide
from domain.decision import Decision
from domain.events import Event, payload_of, type_of
from domain.evolve import evolve
from domain.legality import legal_actions
from domain.state import Game

SAID = ("Well played!", "one\n\ttwo\r\nthree", "\x1b[2J\x00<b>[red]{0}%s", "\u2028\u202e\U0001f3b2", "x" * 2000)
"""What players write."""


def salt_of(*what: object) -> str:
    return sha256(repr(what).encode()).hexdigest()[:32]


def create(seats: int, seed: str, variants: Collection[str] = (), *, starting_seat: int = 0) -> CreateGame:
    """The command for a table that is full at once, shuffled by `seed`."""
    return CreateGame(
        game=f"game-{seed}",
        server_seed=sha256(seed.encode()).digest(),
        seats=tuple(SeatPlan(name=f"player {seat}", entropy=f"share {seat}") for seat in range(seats)),
        variants=frozenset(variants),
        starting_seat=starting_seat,
    )


def steps(
    seats: int, seed: str, variants: Collection[str] = (), *, starting_seat: int = 0, talk: float = 0
) -> Iterator[tuple[Command, Decision]]:
    """A whole game by random players, command by command: its creation, single actions, scoring rounds.

    `talk`: how often a message comes before the next command; twice as often before the end and after it.
    """
    return copy(_played(seats, seed, frozenset(variants), starting_seat, talk))


@lru_cache(maxsize=64)
def _played(
    seats: int, seed: str, variants: frozenset[str], starting_seat: int, talk: float
) -> Iterator[tuple[Command, Decision]]:
    """The same, played once, as far as it is asked for: a copy of `tee`'s iterator begins with the game's beginning."""
    return tee(_play(seats, seed, variants, starting_seat, talk), 1)[0]


def _play(
    seats: int, seed: str, variants: frozenset[str], starting_seat: int, talk: float
) -> Iterator[tuple[Command, Decision]]:
    chance, mood = Random(seed), Random(f"{seed} talk")
    opening = create(seats, seed, variants, starting_seat=starting_seat)
    salted = tuple(replace(plan, salt=salt_of(seed, seat)) for seat, plan in enumerate(opening.seats))
    command: Command = replace(opening, seats=salted)
    decision = decide(command, Game())
    yield command, decision
    while not (game := decision.game).over:
        if mood.random() < talk * (1 + (game.scoring is not None)):
            command = _message(seed, game, mood)
        else:
            command = next_command(game, chance)
        decision = decide(command, game)
        yield command, decision
    while mood.random() < talk * 2:
        command = _message(seed, decision.game, mood)
        decision = decide(command, decision.game)
        yield command, decision


def _message(seed: str, game: Game, mood: Random) -> PostMessage:
    return PostMessage(
        seat=mood.randrange(len(game.seats)), text=mood.choice(SAID), salt=salt_of(seed, game.version, "said")
    )


def next_command(game: Game, chance: Random) -> Command:
    """What the worker or a random player does next."""
    if game.scoring is not None:
        return CompleteScoring(round=game.scoring)
    return Act(seat=game.turn_seat, actions=(chance.choice(list(legal_actions(game, game.turn_seat))),))


def fold(events: Iterable[Event]) -> Game:
    """The game folded from a whole event list, all at one time."""
    return evolve(Game(), events)


def play_game(seats: int, seed: str, variants: Collection[str] = ()) -> tuple[Game, list[list[Event]]]:
    """A finished game, and the events of each of its commands."""
    decisions = [decision for _, decision in steps(seats, seed, variants)]
    return decisions[-1].game, [decision.events for decision in decisions]


def play_until(
    seats: int, seed: str, commands: int, variants: Collection[str] = (), *, starting_seat: int = 0, talk: float = 0
) -> tuple[Game, list[Event]]:
    """The game after so many commands (or its end) and all its events."""
    played = steps(seats, seed, variants, starting_seat=starting_seat, talk=talk)
    decisions = [decision for _, decision in islice(played, commands)]
    return decisions[-1].game, [event for decision in decisions for event in decision.events]


def numbered(events: Sequence[Event]) -> list[dict[str, Any]]:
    """A log as the contract has it, unredacted, but for times and hashes."""
    return [
        {"version": version, "type": type_of(event), "at": "then", "data": payload_of(event), "hash": "ab"}
        for version, event in enumerate(events, 1)
    ]

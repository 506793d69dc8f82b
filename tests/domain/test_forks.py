"""The command that opens a fork of a running game."""

import pytest

from domain.commands import CreateGame, SeatPlan
from domain.decide import decide
from domain.forks.running import fork_of_running
from domain.refusals import Reason, Refused
from domain.state import Game
from domain.view import view_of
from tests.support.play import play_until, steps

SHARED = ("status", "variants", "display", "draw_pile", "reibach", "turn", "you")


def plan_of(seats: int) -> CreateGame:
    """A fork with people on all seats."""
    guests = tuple(SeatPlan(name=f"guest {seat}") for seat in range(seats))
    return CreateGame(game="fork", server_seed=bytes(32), seats=guests, listed=True)


@pytest.mark.parametrize(("seats", "commands"), [(2, 20), (3, 45), (5, 60)])
def test_a_fork_starts_from_what_its_seat_sees(seats: int, commands: int) -> None:
    """The fork has the id and seats of its plan, and looks to that seat as its parent does."""
    parent, _ = play_until(seats, f"fork {seats}", commands, ("expensive_specials",), starting_seat=1)
    for seat in range(seats):
        command = fork_of_running(parent, seat, plan_of(seats))
        assert (command.game, command.server_seed, command.listed) == ("fork", bytes(32), True)
        assert (command.parent, command.from_version) == (parent.id, parent.version)
        assert (command.starting_seat, command.variants) == (1, frozenset({"expensive_specials"}))
        theirs, ours = (view_of(game, seat, "") for game in (parent, decide(command, Game()).game))
        assert {name: ours[name] for name in SHARED} == {name: theirs[name] for name in SHARED}


def test_games_that_cannot_be_forked() -> None:
    """A game that has not started, waits for its score, or is over can't be forked."""
    waiting = CreateGame(game="open", server_seed=bytes(32), seats=(SeatPlan(name="Anna"), SeatPlan()))
    states = {Reason.GAME_NOT_STARTED: decide(waiting, Game()).game}
    for _, decision in steps(2, "refused"):
        game = decision.game
        if game.scoring is not None:
            states.setdefault(Reason.SCORING_IN_PROGRESS, game.copy())
        states[Reason.GAME_OVER] = game
    assert len(states) == 3
    for reason, game in states.items():
        with pytest.raises(Refused) as refused:
            fork_of_running(game, 0, plan_of(2))
        assert refused.value.reason is reason

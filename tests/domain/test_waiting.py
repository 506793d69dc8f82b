"""What a game waits for, and since when."""

from collections.abc import Sequence

import pytest

from domain.clock.waiting import Waiting, WaitingFor, waiting_for
from domain.commands import Act, Command, CompleteScoring, CreateGame, Draw, JoinGame, PostMessage, SeatPlan, Take
from domain.decide import decide
from domain.decision import Decision
from domain.state import Game
from tests.support.play import create, steps
from tests.support.positions_as_text import given


def played(*commands: tuple[Command, int]) -> Game:
    """The game after commands, each with the time at which it came."""
    game = Game()
    for command, now in commands:
        game = decide(command, game, now).game
    return game


ANNA_AND_A_BOT = CreateGame(
    game="g", server_seed=bytes(32), seats=(SeatPlan(name="Anna"), SeatPlan(bot="greedy")), starting_seat=0
)
OPEN = CreateGame(game="g", server_seed=bytes(32), seats=(SeatPlan(name="Anna"), SeatPlan(), SeatPlan()))
DRAW, TAKE = Act(seat=0, actions=(Draw(),)), Act(seat=0, actions=(Take(slot=0),))


@pytest.mark.parametrize(
    ("commands", "waiting"),
    [
        ([(OPEN, 100)], Waiting(WaitingFor.PLAYERS, 100)),
        ([(OPEN, 100), (JoinGame(name="Bert"), 250)], Waiting(WaitingFor.PLAYERS, 250)),
        ([(ANNA_AND_A_BOT, 100)], Waiting(WaitingFor.SEAT, 100, seat=0)),
        ([(ANNA_AND_A_BOT, 100), (DRAW, 300)], Waiting(WaitingFor.SEAT, 300, seat=0)),
        ([(ANNA_AND_A_BOT, 100), (DRAW, 300), (TAKE, 400)], Waiting(WaitingFor.BOT, 400, seat=1)),
        # A clock that is behind the last event counts as that event's time.
        ([(ANNA_AND_A_BOT, 100), (DRAW, 50)], Waiting(WaitingFor.SEAT, 100, seat=0)),
    ],
    ids=["open", "joined", "person", "in the middle of a turn", "bot", "clock behind"],
)
def test_the_wait_and_its_beginning(commands: Sequence[tuple[Command, int]], waiting: Waiting) -> None:
    """Each wait begins with the event that caused it."""
    assert waiting_for(played(*commands)) == waiting


def test_a_scoring_round_is_waited_for_from_its_start() -> None:
    """The wait for the worker begins with ScoringStarted, and the next one when the round is scored."""
    game = given(["gold", "oil"], display="art art art", pile="reibach art*20", revealed=3)
    paused = decide(TAKE, game, 500).game
    assert waiting_for(paused) == Waiting(WaitingFor.SCORING, 500, round=1)
    scored = decide(CompleteScoring(round=1), paused, 900).game
    assert waiting_for(scored) == Waiting(WaitingFor.SEAT, 900, seat=0)


def test_a_message_starts_no_wait() -> None:
    """A message is the last event, and leaves the wait as it was."""
    game = played((ANNA_AND_A_BOT, 100), (PostMessage(seat=0, text="Hello"), 700))
    assert (game.at, waiting_for(game)) == (700, Waiting(WaitingFor.SEAT, 100, seat=0))


def test_a_finished_game_waits_for_nothing() -> None:
    """After the end there is no wait, and before it there is always one, never later than the last event."""
    now = 1000
    game = decide(create(3, "waits"), Game(), now).game
    for command, _ in steps(3, "waits"):
        if isinstance(command, CreateGame):
            continue
        now += 10
        decision: Decision = decide(command, game, now)
        game = decision.game
        waiting = waiting_for(game)
        assert game.over == (waiting is None)
        assert game.over or (waiting and waiting.since == game.at == now)
    assert game.over

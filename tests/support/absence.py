"""Players who miss their turns, until a bot plays their seats."""

from contextlib import suppress

from domain.clock.deadline import FREE_AFTER_MS, deadline
from domain.commands import Act, PostMessage, TimeOut
from domain.legality import legal_actions
from domain.refusals import Refused
from service.gamelog.log import GameLog
from tests.support.world import new_log


def time_out(log: GameLog, game: str) -> GameLog:
    """Let the turn's time run out: a log at that time."""
    until = deadline(log.load(game).game)
    assert until is not None
    late = new_log(log.store, clock=lambda: until)
    assert late.handle(game, TimeOut(turn=late.load(game).game.turn)).events[0]["type"] == "TurnTimedOut"
    return late


def pass_turn(log: GameLog, game: str, *, by_bot: bool = False) -> None:
    """Play the rest of the turn, unless a worker is quicker."""
    turn = log.load(game).game.turn
    while (now := log.load(game).game).turn == turn:
        action = next(legal_actions(now, now.turn_seat))
        with suppress(Refused):
            log.handle(game, Act(seat=now.turn_seat, actions=(action,), by_bot=by_bot))


def abandon(log: GameLog, game: str, seat: int = 0, turns: int = 2) -> GameLog:
    """Let so many turns of the seat time out in a row, from two on a bot plays it: a log at that time."""
    late = log
    for _ in range(turns):
        while late.load(game).game.turn_seat != seat:
            pass_turn(late, game)
        late = time_out(late, game)
        pass_turn(late, game, by_bot=True)
    return late


def pass_hour(log: GameLog, game: str) -> None:
    """Until the abandoned seat is free: the log's time is that of its last event."""
    until = log.load(game).game.at + FREE_AFTER_MS
    late = new_log(log.store, clock=lambda: until)
    late.handle(game, PostMessage(seat=1, text="We waited for an hour.", salt="5a" * 16))

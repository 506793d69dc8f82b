"""The job that times a turn out."""

import structlog

from domain.clock.deadline import deadline, has_stopped
from domain.commands import TimeOut
from domain.state import Game
from service.bootstrap import Services
from service.gamelog.store.clock import StoreClock
from workers.counts import count_outcome

logger = structlog.get_logger("workers.clock")


def times_out_at(clock: StoreClock, game: Game, until: int) -> int:
    """The store's time at which the turn with the deadline `until` may be timed out; both in ms since 1970."""
    return clock.passes_at(until, game.turn_since, has_stopped=has_stopped(game))


def time_out(services: Services, game: str, turn: int) -> None:
    """Time the turn out if it still runs, and its deadline has passed by the store's clock.

    Does nothing while that clock is unsteady: the reconciler enqueues the job again.
    """
    state, clock = services.games.load(game).game, services.clock
    until = deadline(state)
    if until is None or clock.now_ms() < times_out_at(clock, state, until):
        return
    outcome = services.games.handle(game, TimeOut(turn=turn))
    if outcome.events:
        count_outcome(outcome)
        logger.info("a turn has timed out", game=game, turn=turn)

"""The job that times a turn out."""

import structlog

from domain.clock.deadline import deadline
from domain.commands import TimeOut
from service.bootstrap import Services
from workers.counts import count_outcome

logger = structlog.get_logger("workers.clock")


def time_out(services: Services, game: str, turn: int) -> None:
    """Time the turn out if it still runs, and its deadline has passed by the store's clock.

    Does nothing while that clock is unsteady: the reconciler enqueues the job again.
    """
    state, clock = services.games.load(game).game, services.clock
    until = deadline(state)
    if until is None or clock.now_ms() < clock.passes_at(until):
        return
    outcome = services.games.handle(game, TimeOut(turn=turn))
    if outcome.events:
        count_outcome(outcome)
        logger.info("a turn has timed out", game=game, turn=turn)

"""The job that times a turn out."""

import structlog

from domain.clock.deadline import deadline
from domain.commands import TimeOut
from service.bootstrap import Services
from service.status import is_silent
from workers.counts import count_outcome

logger = structlog.get_logger("workers.clock")


def time_out(services: Services, game: str, turn: int) -> None:
    """Time the turn out if it still runs, and its deadline has passed by the store's clock.

    Does nothing while that clock is unsteady, or before a worker has noted an outage: the reconciler enqueues the job
    again.
    """
    state, clock = services.games.load(game).game, services.clock
    until = deadline(state)
    clock.measure()  # another worker may just have noted a jump or an outage
    if until is None or clock.now_ms() < clock.passes_at(until) or is_silent(services.store.client, clock.now_ms()):
        return
    outcome = services.games.handle(game, TimeOut(turn=turn))
    if outcome.events:
        count_outcome(outcome)
        logger.info("a turn has timed out", game=game, turn=turn)

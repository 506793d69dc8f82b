"""The job that completes a scoring round."""

import structlog

from domain.commands import CompleteScoring
from service.bootstrap import Services
from workers.counts import count_outcome

logger = structlog.get_logger("workers.scoring")


def score_round(services: Services, game: str, round_number: int) -> None:
    """Complete the round, so that the game continues; does nothing if it is complete already."""
    outcome = count_outcome(services.games.handle(game, CompleteScoring(round=round_number)))
    note = logger.debug if outcome.loaded.game.bots_only else logger.info
    note("round scored" if outcome.events else "round had been scored", game=game, round=round_number)

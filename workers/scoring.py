"""The job that works out a scoring round."""

import structlog

from domain.commands import CompleteScoring
from service.bootstrap import Services

logger = structlog.get_logger("workers.scoring")


def score_round(services: Services, game: str, round_number: int) -> None:
    """Score the round and let the game go on; nothing happens where that is done already."""
    outcome = services.games.handle(game, CompleteScoring(round=round_number))
    logger.info("round scored" if outcome.events else "round was scored already", game=game, round=round_number)

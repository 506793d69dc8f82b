"""The job that completes a scoring round."""

from contextlib import suppress

import structlog

from domain.commands import CompleteScoring
from service.bootstrap import Services
from service.gamelog.store.analyses import MOST_UNASKED, TooManyAnalyses
from workers.counts import count_outcome

logger = structlog.get_logger("workers.scoring")


def score_round(services: Services, game: str, round_number: int) -> None:
    """Complete the round, so that the game continues; does nothing if it is complete already."""
    before = services.games.load(game).game
    is_end = before.scoring == round_number == len(before.rules.scoring_at)
    if is_end and not before.bots_only and before.position_of is None:  # of a position it would be advice on its game
        with suppress(TooManyAnalyses):  # it can still be asked for
            services.analyses.begin(game, None, MOST_UNASKED)  # before the end is told: the last mail waits for it
    outcome = count_outcome(services.games.handle(game, CompleteScoring(round=round_number)))
    note = logger.debug if outcome.loaded.game.bots_only else logger.info
    note("round scored" if outcome.events else "round had been scored", game=game, round=round_number)

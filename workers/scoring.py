"""The job that completes a scoring round."""

import structlog

from domain.commands import CompleteScoring
from domain.state import Game
from service.bootstrap import Services
from service.gamelog.store.analyses import MOST_UNASKED, TooManyAnalyses
from workers.counts import count_outcome

logger = structlog.get_logger("workers.scoring")


def score_round(services: Services, game: str, round_number: int) -> None:
    """Complete the round, so that the game continues; does nothing if it is complete already."""
    if _is_last(before := services.games.load(game).game, round_number) and not before.bots_only:
        # Sooner than the end is told: the last mail waits for it.
        _begin_analysis(services, game)
    outcome = count_outcome(services.games.handle(game, CompleteScoring(round=round_number)))
    note = logger.debug if outcome.loaded.game.bots_only else logger.info
    note("round scored" if outcome.events else "round had been scored", game=game, round=round_number)


def _is_last(game: Game, round_number: int) -> bool:
    """Whether that round ends the game now. Of a fork of a running game an analysis would be advice on that one."""
    is_open = game.scoring == round_number and game.position_of is None
    return is_open and round_number == len(game.rules.scoring_at)


def _begin_analysis(services: Services, game: str) -> None:
    try:
        services.analyses.begin(game, None, MOST_UNASKED)
    except TooManyAnalyses as error:
        logger.info("a game isn't analysed by itself: too many are under way", game=game, most=error.args[0])

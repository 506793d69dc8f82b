"""The job that judges some turns of a finished game, in time that nobody else needs.

Each job is one slice; the reconciler enqueues the next one. What is judged is kept at its end, so a worker that crashes
loses one slice.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.analysis import ENGINE, PlayedTurn, judge_turn, played_turns
from domain.events import EventRecord
from service.bootstrap import Services
from service.gamelog.store.analyses import Analysis, compose
from service.gamelog.store.errors import StoreUnavailable

_SLICE_S: Final = 0.2
"""Of processor time: so long others wait for a slice. A turn that takes longer is one by itself."""


def judge_turns(services: Services, game: str) -> None:
    """Judge the next turns of the game's analysis, unless another job waits. One of another engine begins anew."""
    if services.count_queued():
        return  # the reconciler asks again
    analyses = services.analyses
    analysis = analyses.find(game)
    try:
        if analysis is None:  # the game was deleted
            analyses.drop(game)
        elif not analysis.packed:
            _judge(services, game, analysis if analysis.engine == ENGINE else analyses.restart(game))
    except StoreUnavailable:
        raise
    except Exception:  # it would fail again
        analyses.drop(game)
        raise


def _judge(services: Services, game: str, analysis: Analysis) -> None:
    history = services.games.load_history(game)
    played = played_turns(history.events)
    turns = [*_judge_slice(history.events, played[analysis.judged :])]
    if analysis.judged + len(turns) < len(played):
        services.analyses.add(game, analysis.judged, turns, len(played))
    else:
        before = services.analyses.turns(game, analysis.judged)
        services.analyses.finish(game, compose([*before, *turns], len(history.head.game.seats)))


def _judge_slice(events: Sequence[EventRecord], played: Sequence[PlayedTurn]) -> Iterator[dict[str, Any]]:
    """The first of these turns, at least one, and as many more as one slice has room for."""
    began = time.thread_time()
    for number, turn in enumerate(played, 1):
        yield judge_turn(events, turn)
        if (time.thread_time() - began) * (number + 1) / number > _SLICE_S:
            return

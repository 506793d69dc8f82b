"""The analysis of a finished game: what each turn was worth, by what its seat could know."""

from typing import Final

from flask import Response

from domain.analysis import ENGINE
from domain.state import Game
from domain.words.refusals.sentences import Sentence
from service.api.content.negotiation import JSON
from service.api.problems.problem import Problem
from service.api.protocol.mails import client_of
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.gamelog.store.analyses import TooManyAnalyses
from service.gamelog.store.errors import NoSuchGame

routes: Final = RouteTable("watch")

_PATH: Final = "/v1/games/<game>/analysis"
_REFUSED: Final = frozenset({"game-not-over", "no-analysis"})
_MOST_PARENTS: Final = 8
"""Forks of forks, each of a running game, whose parents are looked at. Further ones have no analysis."""


@routes.post(
    _PATH,
    Operation(
        asker=Asker.WATCHER, shortest_key=1, weight=3, answers={202: "Analysis", 200: "Analysis"}, refusals=_REFUSED
    ),
)
def ask_for_analysis(request: GameRequest) -> Response:
    """Have a finished game analysed.

    Workers judge its turns, one game after the other, when they have nothing else to do; 200 when it is done. An
    analysis by an engine of another name is made anew. A client may have three under way. There is no body.
    """
    request.idempotency_key("analysis")  # a repeat begins nothing anew in any case
    _load_finished(request)
    analyses = request.services.analyses
    analysis = analyses.find(request.game)
    if analysis is None or analysis.engine != ENGINE:
        try:
            analysis = analyses.begin(request.game, client_of(request))
        except TooManyAnalyses as error:
            name = "too-many-requests.own-analyses" if error.is_own else "too-many-requests.analyses"
            detail = Sentence(name, {"most": error.most})
            raise Problem("too-many-requests", detail, headers={"Retry-After": "10"}) from None
    return Response(analysis.answer, 200 if analysis.packed else 202, content_type=JSON)


@routes.get(
    _PATH, Operation(asker=Asker.WATCHER, answers={200: "Analysis", 304: None}, refusals=_REFUSED | {"not-found"})
)
def show_analysis(request: GameRequest) -> Response:
    """The analysis of a finished game, as far as it is.

    `turns` and `seats` are empty until it is done. 404 where it hasn't begun.
    """
    game = _load_finished(request)
    analysis = request.services.analyses.find(request.game)
    if analysis is None:
        raise Problem("not-found", Sentence("not-found.analysis"))
    return request.finish(Response(analysis.answer, content_type=JSON), game)


def _load_finished(request: GameRequest) -> Game:
    """The game. Raises Problem where it isn't over, was cancelled, or began with the position of one that may run.

    An analysis would be advice on that position, also in a fork of such a fork, and where one between was deleted.
    """
    loaded = game = request.load().game
    if not game.over:
        raise Problem("game-not-over", Sentence("game-not-over"))
    if not game.winners:
        raise Problem("no-analysis", Sentence("no-analysis.cancelled"))
    for _ in range(_MOST_PARENTS):
        if game.position_of is None:
            return loaded
        try:
            game = request.games.load(game.position_of).game
        except NoSuchGame:
            break
        if not game.over:
            break
    raise Problem("no-analysis", Sentence("no-analysis.fork"))

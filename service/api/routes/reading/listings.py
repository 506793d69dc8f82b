"""The list of games that everyone may find."""

from typing import Any, Final

from flask import Response

from domain.state import Game
from service.api.content.caching import revalidate
from service.api.protocol.request import ApiRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Operation, RouteTable
from service.api.schemas.queries import GamesQuery
from service.gamelog.copies.transfer import is_game_id
from service.gamelog.store.form.listing import summarise
from service.gamelog.store.listings import Cursor, list_games

routes: Final = RouteTable("watch")

_AT_ONCE: Final = 5
"""Games with given ids that cost as much as a request; what takes more time is charged by that."""


@routes.get(
    "/v1/games",
    Operation(
        query=GamesQuery, answers={200: "GamesPage", 304: None}, weight=3, refusals=frozenset({"store-unavailable"})
    ),
)
def list_listed_games(request: ApiRequest) -> Response:
    """The listed games, newest creation first; or the games with these ids.

    The games that were opened with `listed`, the newest first. Other games are never listed, so `listed=true` must be
    asked for. A game keeps its place: pages neither repeat one nor miss one while others are opened. With `ids`: these
    games in that order, unlisted ones, too, with `totals` and `winners`; unknown ids are left out.
    """
    if "ids" in request.query:
        ids = [text for text in dict.fromkeys(request.query["ids"].split(",")) if is_game_id(text)]
        request.web.limits.charge("requests", 1 + len(ids) // _AT_ONCE)
        games = request.services.games.load_many(ids)
        return revalidate(json_response({"games": [_sum_up(loaded.game) for loaded in games], "next": None}))
    after = Cursor.parse(request.query["after"]) if "after" in request.query else None
    page = list_games(request.services.store, request.query.get("status"), after, request.query["limit"])
    return revalidate(json_response({"games": page.games, "next": page.next and page.next.format()}))


def _sum_up(game: Game) -> dict[str, Any]:
    totals = [seat.total for seat in game.seats]
    return {"id": game.id, **summarise(game), "totals": totals, "winners": game.winners}

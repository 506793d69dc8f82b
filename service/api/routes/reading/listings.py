"""The list of games that everyone may find."""

from typing import Final

from flask import Response

from service.api.content.caching import revalidate
from service.api.protocol.request import ApiRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Operation, RouteTable
from service.api.schemas.queries import GamesQuery
from service.gamelog.store.listings import Cursor, list_games

routes: Final = RouteTable("watch")


@routes.get(
    "/v1/games",
    Operation(
        query=GamesQuery,
        takes=("If-None-Match",),
        answers={200: "GamesPage", 304: None},
        sends=("ETag",),
        weight=3,
        refusals=frozenset({"store-unavailable"}),
    ),
)
def list_listed_games(request: ApiRequest) -> Response:
    """The listed games, newest creation first.

    The games that were opened with `listed`, the newest first. Other games are never listed, so `listed=true` must be
    asked for. A game keeps its place: pages neither repeat one nor miss one while others are opened.
    """
    after = Cursor.parse(request.query["after"]) if "after" in request.query else None
    page = list_games(request.services.store, request.query.get("status"), after, request.query["limit"])
    return revalidate(json_response({"games": page.games, "next": page.next and page.next.format()}))

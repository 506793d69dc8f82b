"""The bots of the service."""

from typing import Final

from flask import Response

from domain.bots import BOTS
from service.api.protocol.request import ApiRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Operation, RouteTable

routes: Final = RouteTable()


@routes.get("/v1/bots", Operation(answers={200: "Bots"}))
def show_bots(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """The bots that can take a seat."""
    return json_response({"bots": [{"name": name, "about": bot.about} for name, bot in sorted(BOTS.items())]})

"""What the service offers, and how it is: for load balancers and for its operator."""

import hmac
import re
from typing import Final
from urllib.parse import urlsplit

from flask import Response
from prometheus_client import CONTENT_TYPE_LATEST

from domain.bots import BOTS
from domain.words.refusals.sentences import Sentence
from service.api.exposition import render_metrics
from service.api.problems.problem import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Operation, RouteTable
from service.api.wsgi import current_request
from service.connections.loopback import is_loopback
from service.runtime.shared import is_draining

routes: Final = RouteTable("service")

_FORWARDING: Final = re.compile(r"Via|.*Forwarded.*|.*-Ip")
"""Headers by which proxies name themselves or the client, as WSGI spells them."""


@routes.get("/v1/bots", Operation(answers={200: "Bots"}))
def show_bots(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """The bots that can take a seat.

    A bot's name goes into `bot` of a seat.
    """
    return json_response({"bots": [{"name": name, "about": bot.about} for name, bot in sorted(BOTS.items())]})


@routes.get("/healthz", Operation(answers={200: "Health"}, negotiates=False))
def is_up(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """The process is up.

    For load balancers.
    """
    return json_response({"status": "up"})


@routes.get("/readyz", Operation(answers={200: "Readiness", 503: "Readiness"}, negotiates=False))
def is_ready(request: ApiRequest) -> Response:
    """Games can be played: the store answers and a worker is alive. Says what is missing in a fixed word.

    For load balancers: 503 names what is missing by a fixed word. `draining`: the process ends soon, and answers until
    then. While the store's clock is unsteady games are played, but no turn times out: `clock` says so. Without a post
    process games can be played, but no notification is sent: `post` says so. `store` says for a day that it was set
    back: words that were erased may be there again.
    """
    if is_draining():
        return json_response({"status": "draining"}, 503)
    readiness = request.services.readiness
    status = readiness.status()
    notes = {}
    if status not in ("no-store", "wrong-store") and not request.services.clock.is_steady():
        notes["clock"] = "unsteady"
    notes |= {} if readiness.has_post() else {"post": "missing"}
    notes |= {"store": "set-back"} if readiness.was_set_back() else {}
    return json_response({"status": status} | notes, 200 if status == "ready" else 503)


@routes.get(
    "/metrics",
    Operation(
        answers={200: {CONTENT_TYPE_LATEST: {"type": "string"}}}, negotiates=False, refusals=frozenset({"forbidden"})
    ),
)
def metrics(request: ApiRequest) -> Response:
    """Metrics, to loopback or to the bearer of the metrics token.

    To loopback, or with the metrics token as bearer token.
    """
    token = request.services.settings.metrics_token
    sent = current_request().headers.get("Authorization", "").removeprefix("Bearer ")
    if not (_is_from_loopback() or (token and hmac.compare_digest(sent.encode(), token.encode()))):
        raise Problem("forbidden", Sentence("forbidden"))
    return Response(
        render_metrics(request.services.status.read(), request.services.clock), content_type=CONTENT_TYPE_LATEST
    )


def _is_from_loopback() -> bool:
    # A proxy on this machine forwards requests from anywhere: a forwarded request is not from loopback.
    http = current_request()
    if any(map(_FORWARDING.fullmatch, http.headers.keys())):
        return False
    return is_loopback(http.remote_addr or "") and is_loopback(urlsplit(f"//{http.host}").hostname or "")

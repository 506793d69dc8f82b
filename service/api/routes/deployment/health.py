"""The state of the service: for load balancers and for its operator."""

import hmac
from typing import Final
from urllib.parse import urlsplit

from flask import Response
from flask import request as http
from prometheus_client import CONTENT_TYPE_LATEST

from domain.words.refusals.sentences import Sentence
from service.api.exposition import render_metrics
from service.api.problems.problem import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Operation, RouteTable
from service.connections.loopback import is_loopback
from service.runtime.shared.draining import is_draining

routes: Final = RouteTable()

_FORWARDING: Final = frozenset({"Forwarded", "Via", "X-Real-Ip"})
_FORWARDING_PREFIX: Final = "X-Forwarded-"
"""Headers by which proxies name the client, as WSGI spells them."""


@routes.get("/healthz", Operation(answers={200: "Health"}, negotiates=False))
def is_up(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """The process is up."""
    return json_response({"status": "up"})


@routes.get("/readyz", Operation(answers={200: "Readiness", 503: "Readiness"}, negotiates=False))
def is_ready(request: ApiRequest) -> Response:
    """Games can be played: the store answers and a worker is alive. Says what is missing in a fixed word.

    `draining`: the process ends soon, and answers until then. While the store's clock is unsteady games are played, but
    no turn times out: `clock` says so, or that the clock of a machine is over a second from the store's. Without a post
    process games can be played, but no notification is sent: `post` says so.
    """
    if is_draining():
        return json_response({"status": "draining"}, 503)
    readiness = request.services.readiness
    status = readiness.status()
    clock = request.services.clock
    notes = {}
    if status not in ("no-store", "wrong-store") and not clock.is_steady():
        notes["clock"] = "unsteady"
    elif clock.is_apart() or readiness.has_clock_apart():
        notes["clock"] = "apart"
    notes |= {} if readiness.has_post() else {"post": "missing"}
    return json_response({"status": status} | notes, 200 if status == "ready" else 503)


@routes.get(
    "/metrics",
    Operation(
        answers={200: {CONTENT_TYPE_LATEST: {"type": "string"}}}, negotiates=False, refusals=frozenset({"forbidden"})
    ),
)
def metrics(request: ApiRequest) -> Response:
    """Metrics, to loopback or to the bearer of the metrics token."""
    token = request.services.settings.metrics_token
    sent = http.headers.get("Authorization", "").removeprefix("Bearer ")
    if not (_is_from_loopback() or (token and hmac.compare_digest(sent.encode(), token.encode()))):
        raise Problem("forbidden", Sentence("forbidden"))
    return Response(
        render_metrics(request.services.vitals.read(), request.services.clock), content_type=CONTENT_TYPE_LATEST
    )


def _is_from_loopback() -> bool:
    # A proxy on this machine forwards requests from anywhere: a forwarded request is not from loopback.
    if any(name.startswith(_FORWARDING_PREFIX) or name in _FORWARDING for name in http.headers.keys()):  # noqa: SIM118 - not a dict: it iterates over pairs
        return False
    return is_loopback(http.remote_addr or "") and is_loopback(urlsplit(f"//{http.host}").hostname or "")

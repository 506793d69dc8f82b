"""How the service is: for load balancers and for its operator."""

import hmac
from ipaddress import ip_address

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from service.api.protocol.web import services
from service.api.protocol.metrics import exposition
from service.api.protocol.problems import Problem
from service.api.protocol.response import answer
from service.gamelog.errors import StoreUnavailable
from service.gamelog.heartbeat import is_worker_alive

health = Blueprint("health", __name__)


@health.get("/healthz")
def is_up() -> Response:
    """The process is up."""
    return answer({"status": "up"})


@health.get("/readyz")
def is_ready() -> Response:
    """Games can be played: the store answers and a worker is alive. Says what is missing in a fixed word."""
    store = services().store
    try:
        store.check_writable()
        status = "ready" if is_worker_alive(store) else "no-worker"
    except StoreUnavailable:
        status = "no-store"
    return answer({"status": status}, 200 if status == "ready" else 503)


@health.get("/metrics")
def metrics() -> Response:
    """Counters, to loopback or to the bearer of the metrics token."""
    token = services().settings.metrics_token
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not (_from_loopback() or (token and hmac.compare_digest(given.encode(), token.encode()))):
        raise Problem("forbidden", "Metrics are for loopback or for the bearer of the metrics token.")
    return Response(exposition(), content_type=CONTENT_TYPE_LATEST)


def _from_loopback() -> bool:
    # A proxy on this machine forwards the whole world: what came through one is not loopback.
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False

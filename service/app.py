"""Composition root of a web process: the services, what only a web process has, and the routes."""

import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from flask import Response

from config.settings import Settings
from service.api.content.cors import AllowedOrigins
from service.api.docs.html import pages
from service.api.limits import rates
from service.api.limits.places import Places
from service.api.limits.rates import ClientLimits
from service.api.problems.awaiting import open_or_await
from service.api.protocol import dispatch, http_rules
from service.api.protocol.body import drain_body
from service.api.protocol.metrics import LOST_EVENTS, count_request
from service.api.protocol.request import Web
from service.api.protocol.routing import Route
from service.api.routes import health
from service.api.routes.people import notifications, seat_changes, seats, texts
from service.api.routes.playing import actions, games, orders
from service.api.routes.reading import analysis, listings, log, proofs, scores
from service.api.wsgi import Application, Check, Finish, HeaderPairs, JsonResponse, Request, has_header
from service.bootstrap import Services, open_services
from service.gamelog.store.breaker import ThreadRoom
from service.gamelog.store.health.poller import start_polling
from service.runtime import logs
from service.runtime.client_address import trust_proxies
from service.runtime.guards.threads import end_with_threads
from service.runtime.shared import is_draining
from service.runtime.webserver import StopSignal
from service.web import assets, error_pages, game_page, installation, mail_links
from service.web import pages as player_pages
from service.web.frame import set_footer

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_MODULES: Final = (
    *(games, listings, seats, actions, seat_changes, orders, texts),
    *(notifications, log, scores, analysis, proofs, health),
)
_FOR_ALL: Final = (("X-Content-Type-Options", "nosniff"),)
_FOR_GAMES: Final = (("Vary", "Authorization, Accept"), *_FOR_ALL)
_FOR_REVALIDATED_GAMES: Final = (("Cache-Control", "private, no-cache"), *_FOR_GAMES)


def create_from_environment(stop: StopSignal) -> "WSGIApplication":
    """The application as the web server's processes run it; one that refuses all while its store isn't there."""
    settings = Settings.read()
    logs.configure(settings.log)
    end_with_threads()
    return open_or_await(partial(_open_app, settings, stop))


def _open_app(settings: Settings, stop: StopSignal) -> Application:
    """The application of this web process. Raises StoreUnavailable, WrongStore and BadDeployment.

    While a store reads its files, `/healthz` is to be answered: so this waits no longer for it than for another one.
    """
    places = Places(settings, ClientLimits(settings))
    room = ThreadRoom(places.room_for_store, places.holds_waiting)
    services = open_services(settings, loading_s=0, room=room, count_lost=LOST_EVENTS.inc)
    if settings.replicas:
        start_polling(services.readiness.check_replicas)
    stop.call(services.hub.close)
    return create_app(open_web(services, places))


def open_web(services: Services, places: Places | None = None) -> Web:
    """`places`: None makes some, of which the store knows nothing."""
    places = places or Places(services.settings, ClientLimits(services.settings))
    return Web(services, places.limits, places)


def all_routes() -> Iterator[Route]:
    routes = list(chain.from_iterable(module.routes for module in _MODULES))
    yield from routes
    yield from pages.document_routes(routes)
    for module in (pages, player_pages, assets, installation, game_page, mail_links):
        yield from module.routes


def create_app(web: Web) -> Application:
    settings = web.services.settings
    origins = AllowedOrigins(settings.allowed_origins)
    routes = list(all_routes())
    checks: list[Check] = [http_rules.check_request, origins.answer_preflight]
    if web.limits.are_on:
        weights = {dispatch.endpoint_of(route): route.operation.weight for route in routes}
        checks.insert(0, rates.make_check(web.limits, weights))
    finishes: list[Finish] = [error_pages.show_passing_problem, partial(_finish, web), origins.allow]
    if web.limits.are_on:
        finishes.append(web.limits.finish)
    set_footer(settings.footer)
    app = Application(__name__, error_pages.refuse, checks, finishes)
    dispatch.register(app, web, routes)
    app.wsgi_app = trust_proxies(app.wsgi_app, settings)  # type: ignore[assignment, method-assign]  # Flask's way
    return app


def _finish(web: Web, request: Request, answer: Response) -> HeaderPairs:
    headers = answer.headers
    more: list[tuple[str, str]] = []
    if request.environ["PATH_INFO"].startswith("/v1/games"):
        more += _FOR_GAMES if has_header(answer, "Cache-Control") else _FOR_REVALIDATED_GAMES
    else:
        more += _FOR_ALL
    status = answer.status_code
    if status == 204 or (request.method == "OPTIONS" and status == 200):  # without content
        headers.pop("Content-Type", None)
    if not isinstance(answer, JsonResponse) and headers.get("Content-Type", "").startswith("text/html"):
        more.append(("Referrer-Policy", "no-referrer"))  # an address may hold a game's id, which lets one watch
    count_request(request, status, time.perf_counter() - request.began)
    # An accepted POST or PUT has read its body.
    may_have_body = status >= 400 or request.method not in {"POST", "PUT"}
    is_left = may_have_body and not drain_body(web.places)
    if is_left or is_draining():  # a proxy sends no further request on a connection that is about to end
        more.append(("Connection", "close"))
    return more

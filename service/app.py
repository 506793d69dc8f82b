"""Composition root of the web process."""

import time
from threading import BoundedSemaphore

import structlog
from flask import Flask, Response, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from config.settings import Settings
from service.api.docs import openapi
from service.api.docs.problem_pages import problem_pages
from service.api.docs.swagger_ui import docs
from service.api.protocol import limits, problems
from service.api.protocol.body import MAX_BYTES, finish_reading
from service.api.protocol.metrics import FAULTS, SECONDS
from service.api.protocol.web import EXTENSION, Web, web_of
from service.api.routes.actions import actions
from service.api.routes.audit import audit
from service.api.routes.events import events
from service.api.routes.games import games
from service.api.routes.health import health
from service.api.routes.messages import messages
from service.api.routes.recap import recap
from service.api.routes.replay import replay
from service.api.routes.scores import score_sheet
from service.bootstrap import Services, open_services
from service.gamelog.live.hub import Hub
from service.runtime import logs
from service.runtime.webserver import at_stop

logger = structlog.get_logger("service.web")


def create_from_environment() -> Flask:
    """The application as the web server's processes run it."""
    settings = Settings.read()
    logs.configure(settings.log)
    app = create_app(open_services(settings))
    at_stop(web_of(app).hub.close)
    return app


def create_app(services: Services) -> Flask:
    """The application on open services."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BYTES
    app.url_map.merge_slashes = False
    settings = services.settings
    app.extensions[EXTENSION] = Web(services, Hub(services.games), BoundedSemaphore(settings.poll_limit))

    @app.before_request
    def begin() -> None:
        g.logger = logger
        g.began = time.perf_counter()

    limits.register(app, settings.rate_limit)
    for blueprint in (games, actions, messages, events, replay, recap, score_sheet, audit, health, docs, problem_pages):
        app.register_blueprint(blueprint)
    openapi.register(app)
    problems.register(app)
    app.after_request(_finish)
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies)  # type: ignore[method-assign]  # Flask's way
    return app


def _finish(answer: Response) -> Response:
    headers, asked = answer.headers, request.environ
    if asked["PATH_INFO"].startswith("/v1/games"):
        if "Cache-Control" not in headers:
            headers.add("Cache-Control", "private, no-cache")
        headers.add("Vary", "Authorization, Accept")
    headers.add("X-Content-Type-Options", "nosniff")
    if "wait=" not in asked.get("QUERY_STRING", ""):
        SECONDS.observe(time.perf_counter() - g.began)
    if answer.status_code >= 400 and not finish_reading():
        headers.add("Connection", "close")
    if answer.status_code == 500:
        FAULTS.inc()
    return answer

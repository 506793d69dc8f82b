"""What the routes of a web process work with, reached through the running Flask application."""

from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

from flask import Flask, current_app

from service.bootstrap import Services
from service.gamelog.live.hub import Hub

EXTENSION: Final = "reibach"


@dataclass(frozen=True, slots=True)
class Web:
    """The services, and what only a web process has."""

    services: Services
    hub: Hub
    polls: BoundedSemaphore
    """Long polls and event streams that may still be opened in this process."""


def web_of(app: Flask) -> Web:
    """What `app` was made with."""
    web: Web = app.extensions[EXTENSION]
    return web


def services() -> Services:
    """The services of the running application."""
    return web_of(current_app).services

"""What the routes work with: made once by `service.app`, reached through the running Flask application."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore

from flask import current_app

from config.settings import Settings
from service.gamelog.live.hub import Hub
from service.gamelog.log import GameLog
from service.signing.deployment import Deployment
from service.signing.receipts import Receipts
from service.signing.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Services:
    """The rooms behind the API, and where its chance comes from."""

    settings: Settings
    deployment: Deployment
    log: GameLog
    hub: Hub
    tokens: Tokens
    receipts: Receipts
    polls: BoundedSemaphore
    """Long polls that may still be opened in this process."""
    new_seed: Callable[[], bytes]
    """32 random bytes."""


EXTENSION = "reibach"


def services() -> Services:
    """The services of the running application."""
    found: Services = current_app.extensions[EXTENSION]
    return found

"""A request that the present thread answers, without an application."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.test import EnvironBuilder

from service.api.wsgi import PRESENT, Request


@contextmanager
def answering(path: str = "/", **more: Any) -> Iterator[Request]:
    """The request, which `current_request` gives within the block; `more`: as for werkzeug's test client."""
    request = Request(EnvironBuilder(path, **more).get_environ())
    token = PRESENT.set(request)
    try:
        yield request
    finally:
        PRESENT.reset(token)

"""A request as the application hands it on."""

import time
from typing import TYPE_CHECKING

import flask

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class Request(flask.Request):
    """A request that knows when it arrived."""

    def __init__(self, environ: "WSGIEnvironment", populate_request: bool = True, shallow: bool = False) -> None:  # noqa: FBT002 - werkzeug's
        """As werkzeug makes it."""
        super().__init__(environ, populate_request, shallow)
        self.began = time.perf_counter()

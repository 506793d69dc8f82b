"""A request as the application hands it on."""

import time
from typing import TYPE_CHECKING, Any, Final

import flask
from werkzeug.datastructures import EnvironHeaders

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


_LATER: Final = frozenset({"scheme", "server", "root_path", "path", "query_string"})


class Request(flask.Request):
    """A request with the time of its arrival, which reads its environment when it is asked.

    werkzeug decodes the whole address at once, of which an action needs nothing. A test compares all attributes.
    """

    def __init__(
        self,
        environ: "WSGIEnvironment",
        populate_request: bool = True,  # noqa: FBT002 - werkzeug's
        shallow: bool = False,  # noqa: FBT002 - likewise
    ) -> None:
        """As werkzeug has it."""
        self.began = time.perf_counter()
        """By `time.perf_counter`, in seconds."""
        self.environ = environ
        self.method = environ.get("REQUEST_METHOD", "GET").upper()
        self.headers = EnvironHeaders(environ)
        self.remote_addr = environ.get("REMOTE_ADDR")
        self.shallow = shallow
        if populate_request and not shallow:
            environ["werkzeug.request"] = self

    def __getattr__(self, name: str) -> Any:
        """An attribute that werkzeug's request has from its beginning: all of them are set when one is needed."""
        if name not in _LATER:
            raise AttributeError(name)
        decoded = flask.Request(self.environ, populate_request=False)
        for later in _LATER:
            setattr(self, later, getattr(decoded, later))
        return getattr(self, name)

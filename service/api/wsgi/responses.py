"""Answers in the form that the web server sends fastest."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import flask
from werkzeug.datastructures import Headers
from werkzeug.http import HTTP_STATUS_CODES

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

HeaderPairs = tuple[tuple[str, str], ...]
"""Names and values that are right as they are: no line breaks, only Latin-1."""
_STATUS_LINES: Final = {code: f"{code} {phrase.upper()}" for code, phrase in HTTP_STATUS_CODES.items()}
_WITHOUT_CONTENT: Final = frozenset({204, 304})


class Response(flask.Response):
    """An answer that is handed over as a list where it is whole: granian takes any other iterable piece by piece."""

    def get_app_iter(self, environ: "WSGIEnvironment") -> Iterable[bytes]:
        """The pieces that are sent: those of a list, or of an iterator with `close`."""
        pieces = super().get_app_iter(environ)
        if not self.is_sequence:
            return pieces
        whole = list(pieces)
        self.close()
        return whole


class JsonResponse(Response):
    """A whole JSON answer, made and sent without what werkzeug does for answers of all kinds, which takes 30 us."""

    def __init__(
        self,
        content: bytes,
        status: int,
        headers: Mapping[str, str] | None = None,
        media_type: str = "application/json",
    ) -> None:
        """`headers`: right as they are. The attributes are those that werkzeug sets, as a test compares."""
        own = (("Content-Type", media_type), ("Content-Length", str(len(content))))
        self.headers = Headers()
        append_headers(self, (*headers.items(), *own) if headers else own)
        self._status_code = status
        self._status = _STATUS_LINES[status]
        self.direct_passthrough = False
        self._on_close: list[Any] = []
        self.response = [content]

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Send it."""
        if self._status_code in _WITHOUT_CONTENT or self._on_close or has_header(self, "Location"):
            return super().__call__(environ, start_response)
        start_response(self._status, self.headers.to_wsgi_list())
        return [] if environ["REQUEST_METHOD"] == "HEAD" else cast("list[bytes]", self.response)


def has_header(answer: flask.Response, name: str) -> bool:
    """Whether an answer has a header of this name, in this spelling; werkzeug makes an exception where it has none."""
    for other, _ in answer.headers:  # noqa: SIM110 - a generator takes twice as long
        if other == name:
            return True
    return False


def append_headers(answer: flask.Response, pairs: HeaderPairs) -> None:
    """Append headers, also of names that the answer has; werkzeug would convert and check each of them."""
    answer.headers._list.extend(pairs)  # noqa: SLF001 - a test compares this with `Headers.add`

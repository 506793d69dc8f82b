"""What must be true of a request's HTTP before anything else is read from it. The web server itself is lax.

Another server or proxy in front may read such a request in another way, so that its rules don't see what is done here.
"""

import re
from functools import lru_cache
from typing import Final

from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import Problem
from service.api.wsgi import Request

_HOST: Final = re.compile(r"[A-Za-z0-9._~%!$&'()*+;=:\[\]-]{1,255}")
"""A host has no comma: two Host headers arrive joined by one."""


def check_request(request: Request) -> None:
    """Raise Problem `bad-request` where method, Host or Transfer-Encoding are not as HTTP/1.1 has them."""
    environ = request.environ
    method = environ["REQUEST_METHOD"]
    if method != method.upper():  # methods are case-sensitive; Flask would take `post` for POST
        raise Problem("bad-request", Sentence("bad-request.method"))
    host = environ.get("HTTP_HOST", "")
    if not _is_host(host) and (host or environ["SERVER_PROTOCOL"] == "HTTP/1.1"):
        raise Problem("bad-request", Sentence("bad-request.host"))
    encoding = environ.get("HTTP_TRANSFER_ENCODING")
    if encoding is not None and encoding.lower() != "chunked":
        raise Problem("bad-request", Sentence("bad-request.transfer-encoding"))


@lru_cache(1000)
def _is_host(host: str) -> bool:
    try:
        host.encode("idna")
    except UnicodeError:  # a part between two dots is empty, or too long
        return False
    return bool(_HOST.fullmatch(host))

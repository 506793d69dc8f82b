"""How much of a request is looked at. What is larger is refused at a fixed cost, before it is parsed or validated.

The web server takes 64 KiB of body and as much of headers and query. Without these limits such a request, refused or
not, would cost as much processor time as hundreds of accepted actions.
"""

from typing import Any, Final

from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import Problem
from service.api.wsgi import current_request

LONGEST_QUERY: Final = 8 * 1024
"""Characters. A number may have 4,400 digits and still be named in the problem."""
MOST_PARAMETERS: Final = 32
LONGEST_ACCEPT: Final = 1024
"""Characters of a header by which a client says what it takes. A browser's has up to 200."""
_LONGEST_HEADERS: Final = {"Accept": LONGEST_ACCEPT, "If-Match": 8 * 1024, "If-None-Match": 2 * 1024}
"""Characters of the headers that are parsed."""
_VARIABLES: Final = {name: f"HTTP_{name.upper().replace('-', '_')}" for name in _LONGEST_HEADERS}
"""Their names in the environment of a request."""
MOST_SIGNS: Final = 4096
"""Commas and opening brackets of a body, those in its texts included. A message may be 2,000 of them."""
MOST_ENTRIES: Final = 32
"""Members of an object, or items of a list."""
_MOST_VALUES: Final = 640
"""Values of a body, those in lists and objects included. Standing orders of 12 steps and 144 alternatives are 626."""


def read_header(name: str) -> str | None:
    """A header that will be parsed; None without it. Raises Problem `bad-request` where it is too long."""
    header: str | None = current_request().environ.get(_VARIABLES[name])
    if header is not None and len(header) > _LONGEST_HEADERS[name]:
        raise Problem("bad-request", Sentence("bad-request.header", {"header": name, "most": _LONGEST_HEADERS[name]}))
    return header


def find_long_query() -> Sentence | None:
    """What is wrong with the length of the query string; None where it may be parsed."""
    query = current_request().environ.get("QUERY_STRING", "")
    if len(query) > LONGEST_QUERY:
        return Sentence("characters.high", {"high": LONGEST_QUERY})
    if query.count("&") >= MOST_PARAMETERS:
        return Sentence("parameters.high", {"high": MOST_PARAMETERS})
    return None


def count_signs(raw: bytes) -> int:
    """Commas and opening brackets of JSON text: it has no more lists, objects and further entries than these."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def find_long_value(body: Any) -> tuple[str, Sentence] | None:
    """The path of the first list or object of a parsed body that has too many entries, and what is wrong with it.

    None where the body may be validated. Depth needs no limit of its own: each level is a value.
    """
    waiting, seen = [("", body)], 0
    while waiting:
        path, value = waiting.pop()
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        if entries and len(value) > MOST_ENTRIES:
            return path, Sentence("entries.high", {"high": MOST_ENTRIES})
        seen += 1
        if seen > _MOST_VALUES:
            return "", Sentence("values.high", {"high": _MOST_VALUES})
        waiting += [(f"{path}.{name}" if path else str(name), entry) for name, entry in entries]
    return None

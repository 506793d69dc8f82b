"""Whether a refusal is one that the OpenAPI document names for its operation: every test's client asks that."""

import re
from functools import cache
from typing import Final

from service.api.docs.operations import problem_codes
from service.app import all_routes

_ELSEWHERE: Final = {"not-found", "method-not-allowed"}
"""Codes of requests that no operation takes."""
_OF_THE_SERVER: Final = {"bad-request"}
"""Broken HTTP is refused before it is known which operation it asks for."""


def is_documented(method: str, path: str, code: str) -> bool:
    """Whether a request to this path, without its query, may be answered with this code."""
    if code in _ELSEWHERE | _OF_THE_SERVER:
        return True
    found = [codes for of, pattern, codes in _operations() if of == method and pattern.fullmatch(path)]
    return not found or code in found[0]


@cache
def _operations() -> list[tuple[str, re.Pattern[str], set[str]]]:
    routes = sorted(all_routes(), key=lambda route: "<" in route.path)
    return [
        (route.method, re.compile(re.sub("<[^>]*>", "[^/]+", route.path)), problem_codes(route))
        for route in routes
        if route.operation.answers
    ]

"""HTTP requests of the demonstration's players, by the standard library alone."""

import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

_TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, refusals included."""

    status: int
    content: Any
    """Parsed JSON; text where it is something else."""


def send(method: str, url: str, body: Any = None, token: str | None = None) -> Answer:
    """Send JSON, or a form where the body is text. Raises OSError where nothing answers."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    data = None
    if isinstance(body, str):
        data, headers["Content-Type"] = body.encode(), "application/x-www-form-urlencoded"
    elif body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    try:
        with urlopen(Request(url, data, headers, method=method), timeout=_TIMEOUT_S) as answer:  # noqa: S310 - http
            return Answer(answer.status, _parse(answer.read(), answer.headers.get_content_type()))
    except HTTPError as refused:
        with refused:
            return Answer(refused.code, _parse(refused.read(), refused.headers.get_content_type()))


def _parse(body: bytes, media_type: str) -> Any:
    return json.loads(body) if media_type.endswith("json") and body else body.decode()

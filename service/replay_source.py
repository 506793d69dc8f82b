"""The log of a game, from a file or from a running service."""

import json
import re
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

_GAME = re.compile(r"(?P<room>.*)/(?:v1/games|g)/(?P<game>[\w-]+)/?")
_PATIENCE_S = 30
Data = dict[str, Any]


class Unreadable(Exception):
    """There is no log, or it is none."""


def read_log(source: str) -> list[Data]:
    """The events of an exported file, or those that a game's URL shows to spectators. Raises Unreadable."""
    raw = _fetched(source) if source.startswith(("http://", "https://")) else _from_file(source)
    events = [_event(line, number, source) for number, line in enumerate(raw.splitlines(), 1)]
    if not events:
        raise Unreadable(f"{source} holds no events")
    if (events[0]["version"], events[0]["type"]) != (1, "GameCreated"):
        raise Unreadable(f"{source} doesn't begin with the first event of a game")
    return events


def _from_file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise Unreadable(f"{name} can't be read: {getattr(error, 'strerror', None) or error}") from None


def _fetched(url: str) -> bytes:
    try:
        address = urlsplit(url)
        found = _GAME.fullmatch(address.path)
        if not found:
            raise Unreadable(f"{url} is no game's address: it ends in /v1/games/<id> or /g/<id>")
        events = f"{address.scheme}://{address.netloc}{found['room']}/v1/games/{found['game']}/events"
        request = Request(events, headers={"Accept": "application/x-ndjson"})  # noqa: S310 - http or https, see above
        with urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310
            content: bytes = answer.read()
    except HTTPError as error:
        error.close()
        raise Unreadable(f"{url}: the service answers {error.code}") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise Unreadable(f"{url} can't be reached: {getattr(error, 'reason', error)}") from None
    return content


def _event(line: bytes, number: int, source: str) -> Data:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    kinds = {"version": int, "type": str, "at": str, "data": dict}
    if not (isinstance(event, dict) and all(isinstance(event.get(name), kind) for name, kind in kinds.items())):
        raise Unreadable(f"{source}: line {number} is no event")
    return event

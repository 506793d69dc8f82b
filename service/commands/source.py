"""Where commands get a game's log from: an exported file, or a running service. Needs neither store nor server."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from service.commands.errors import BadUsage

_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_GAME: Final = re.compile(r"(?P<service>https?://[^/?#]+[^?#]*)/(?:v1/games|g)/(?P<game>[^/?#]+)/?", re.IGNORECASE)
_PATIENCE: Final = 30.0
"""Seconds that a service may be silent."""
_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class SourceLog:
    """A game's log as it was found, whatever may be wrong with it."""

    events: list[Any]
    """An item a line; None for a line that isn't JSON."""
    game: str | None = None
    """The id that was asked for; None for a file."""
    view: Any = None
    """Of a service: the spectator's view and the score sheet at the last event."""
    scores: Any = None


def read_game(source: str) -> SourceLog:
    """The log in a file (NDJSON), or at a game's API address or page. Raises BadUsage."""
    return _from_service(source) if _URL.match(source) else SourceLog(events_in(read_file(Path(source)), source))


def read_events(source: str) -> list[dict[str, Any]]:
    """The same log, where each line is an event and the first opens a game. Raises BadUsage."""
    events = read_game(source).events
    kinds = {"version": int, "type": str, "at": str, "data": dict}
    for number, event in enumerate(events, 1):
        if not (isinstance(event, dict) and all(isinstance(event.get(name), kind) for name, kind in kinds.items())):
            raise BadUsage(f"{printable(source)}: line {number} is no event")
    if (events[0]["version"], events[0]["type"]) != (1, "GameCreated"):
        raise BadUsage(f"{printable(source)} doesn't begin with the first event of a game")
    return events


def read_file(path: Path) -> bytes:
    """The file's bytes. Raises BadUsage."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadUsage(f"can't read {printable(path)}: {reason}") from None


def read_json(path: Path) -> Any:
    """The JSON value in a file. Raises BadUsage."""
    try:
        return json.loads(read_file(path))
    except (ValueError, RecursionError):
        raise BadUsage(f"{printable(path)} is not JSON") from None


def printable(text: object) -> str:
    """Fit for a terminal, wherever it comes from."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))


def events_in(text: bytes, source: str) -> list[Any]:
    """The lines of an export, as `Told` has them. Raises BadUsage where none is an event."""
    # Only at line feeds: U+2028 and its like may stand within an event.
    events = [_event(line) for line in text.removesuffix(b"\n").split(b"\n")]
    if not any(isinstance(event, dict) for event in events):
        raise BadUsage(f"{printable(source)} holds no events")
    return events


def _event(line: bytes) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    pairs = list(pairs)
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _from_service(source: str) -> SourceLog:
    address = _GAME.fullmatch(source)
    if address is None:
        raise BadUsage(f"{printable(source)} is not a game's address: …/v1/games/<id> or …/g/<id>")
    game = f"{address['service']}/v1/games/{address['game']}"
    for _ in range(_ATTEMPTS):
        before = _value(game)
        events = events_in(_get(f"{game}/events", "application/x-ndjson"), game)
        scores, after = _value(f"{game}/scores"), _value(game)
        if before == after and _version(after) == len(events):
            return SourceLog(events, address["game"], after, scores)
    # The game goes on too fast to be seen standing still, or its view is at odds with its log.
    if _version(before) == _version(after):
        return SourceLog(events, address["game"], after, scores)
    return SourceLog(events, address["game"])


def _version(view: Any) -> Any:
    return view.get("version") if isinstance(view, dict) else None


def _value(url: str) -> Any:
    try:
        return json.loads(_get(url, "application/json"))
    except (ValueError, RecursionError):
        raise BadUsage(f"{printable(url)} doesn't answer with JSON") from None


def _get(url: str, form: str) -> bytes:
    try:
        with urlopen(Request(url, headers={"Accept": form}), timeout=_PATIENCE) as answer:  # noqa: S310 - http by _GAME
            content: bytes = answer.read()
            return content
    except HTTPError as error:
        error.close()  # it is the answer, too, with a connection
        raise BadUsage(f"{printable(url)} answers with status {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise BadUsage(f"{printable(url)} can't be reached ({type(error).__name__})") from None

"""A game's log from an exported file or a running service. Needs no store."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any, Final
from unicodedata import category
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from domain.audit.findings import Offence
from domain.fairness.canonical import canonical_json, read_json
from service.commands.errors import BadUsage
from service.gamelog.store.form.codec import read_canonical

_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_GAME: Final = re.compile(
    r"(?is)(?P<service>https?://[^/?#@]+(?:/[^?#]*?)?)/(?:v1/games|g)/(?P<game>[^/?#]+)(?:[/?#].*)?"
)
"""Any page of a game, or address of the API about it, as a browser shows it. What is behind a # may be a token."""
_TIMEOUT_S: Final = 30.0
"""Of one read from a service's connection."""
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of an answer, or of a file to import. A game has about 100,000; each message adds up to 12,000."""
_ATTEMPTS: Final = 3
"""To read log, view and scores of a running game at one version."""


@dataclass(frozen=True, slots=True)
class SourceLog:
    """A game's log as it was read, unchecked."""

    events: list[Any]
    """One item a line; None for a line that isn't JSON."""
    offence: Offence | None = None
    """The first line that no export writes so, although it may mean the same."""
    lines: Sequence[bytes] = ()
    """The lines themselves, where each is its event's canonical JSON."""
    game: str | None = None
    """The id in the address; None for a file."""
    view: Any = None
    """From a service: the spectator's view and the score sheet at the last event."""
    scores: Any = None

    @property
    def fault(self) -> str:
        """The offence in words; empty where there is none."""
        odd = self.offence
        return f"line {odd.version} is not as an export writes it: expected {odd.expected}" if odd else ""


def read_game(source: str) -> SourceLog:
    """The log in a file (NDJSON), or at a game's API address or page. Raises BadUsage."""
    return _read_service(source) if _URL.match(source) else parse_log(read_file(source), source)


def read_events(source: str) -> list[dict[str, Any]]:
    """The same log, where each line is an event and the first opens a game. Raises BadUsage."""
    events = read_game(source).events
    kinds = {"version": int, "type": str, "at": str, "data": dict}
    for number, event in enumerate(events, 1):
        if not (isinstance(event, dict) and all(isinstance(event.get(name), kind) for name, kind in kinds.items())):
            raise BadUsage(f"{printable(source)}: line {number} is not an event")
    if (events[0]["version"], events[0]["type"]) != (1, "GameCreated"):
        raise BadUsage(f"{printable(source)} doesn't begin with the first event of a game")
    return events


def read_file(path: Path | str, most: int = -1) -> bytes:
    """The file's bytes, at most so many. Raises BadUsage, which names the path as it was typed."""
    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadUsage(f"can't read {printable(path)}: {reason}") from None


def read_value(path: Path) -> Any:
    """The JSON value in a file. Raises BadUsage."""
    try:
        return json.loads(read_file(path))
    except (ValueError, RecursionError):
        raise BadUsage(f"{printable(path)} is not JSON") from None


def printable(text: object) -> str:
    """The text with a question mark for each control character, safe to print on a terminal."""
    return "".join(sign if sign.isprintable() or category(sign) == "Zs" else "?" for sign in str(text))


def parse_log(text: bytes, source: str) -> SourceLog:
    """The log in the bytes of an export. Raises BadUsage where none of its lines is an event."""
    # Split at line feeds only: U+2028 and other separators may be part of an event.
    lines = text.removesuffix(b"\n").split(b"\n")
    events, odd = [], None
    # Lines that are shorter than an event's hash are no log, and could be millions.
    for number, line in enumerate(lines if len(text) > 64 * len(lines) else (), 1):
        event = read_canonical(line)
        if event is None:
            event = _try(read_json, line)
            odd = odd or (number if _try(canonical_json, event) != line else None)
        events.append(event)
    if not any(isinstance(event, dict) for event in events):
        raise BadUsage(f"{printable(source)} holds no events: expected a log as `reibach export` writes it")
    if odd is not None:
        return SourceLog(events, Offence(odd, "a line of canonical JSON (JCS)"))
    if not text.endswith(b"\n"):
        return SourceLog(events, Offence(len(events), "a line feed at the end of the last line"))
    return SourceLog(events, lines=lines)


def _try(read: Callable[[Any], Any], value: Any) -> Any:
    """None for a line that is no JSON, or a value that has no canonical form."""
    try:
        return read(value)
    except (ValueError, RecursionError):
        return None


def _read_service(source: str) -> SourceLog:
    address = _GAME.fullmatch(source)
    if address is None:
        shown = printable(re.sub("//[^/]*@", "//", re.split("[?#]", source, maxsplit=1)[0]))  # no password
        raise BadUsage(f"{shown} is not the address of a game: expected …/v1/games/<id>")
    game = f"{address['service']}/v1/games/{address['game']}"
    for _ in range(_ATTEMPTS):
        before = _read_value(game)
        log = replace(parse_log(_get(f"{game}/events", "application/x-ndjson"), game), game=address["game"])
        scores, after = _read_value(f"{game}/scores"), _read_value(game)
        if before == after and _version_of(after) == len(log.events):
            return replace(log, view=after, scores=scores)
    # Every attempt met a new event, or the view contradicts the log.
    return replace(log, view=after, scores=scores) if _version_of(before) == _version_of(after) else log


def _version_of(view: Any) -> Any:
    return view.get("version") if isinstance(view, dict) else None


def _read_value(url: str) -> Any:
    try:
        return json.loads(_get(url, "application/json"))
    except (ValueError, RecursionError):
        raise BadUsage(f"{printable(url)} doesn't answer with JSON: is it a Reibach service?") from None


class _OwnRedirects(HTTPRedirectHandler):
    """Follows redirects within the service's origin only."""

    def redirect_request(  # noqa: PLR0913 - as urllib calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            fp.close()
            raise BadUsage(f"{printable(req.full_url)} redirects to {printable(newurl)}: name that address itself")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _get(url: str, form: str) -> bytes:
    request = Request(url, headers={"Accept": form})  # noqa: S310 - http by _GAME
    try:
        with build_opener(_OwnRedirects).open(request, timeout=_TIMEOUT_S) as response:
            content: bytes = response.read(LARGEST + 1)
    except HTTPError as error:
        error.close()  # it is the answer, too, with a connection
        if error.code == HTTPStatus.NOT_FOUND:
            raise BadUsage(f"there is no game at {printable(url)}") from None
        raise BadUsage(f"{printable(url)} answers with status {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise BadUsage(f"{printable(url)} can't be reached ({_reason_of(error)})") from None
    if len(content) > LARGEST:
        raise BadUsage(f"{printable(url)} answers with more than {LARGEST} bytes, and no game has so many")
    return content


def _reason_of(error: Exception) -> str:
    """The cause as the system words it (`Connection refused`), else the name of the error."""
    reason = getattr(error, "reason", error)  # an URLError's, which is often an OSError
    return getattr(reason, "strerror", None) or type(reason if isinstance(reason, Exception) else error).__name__

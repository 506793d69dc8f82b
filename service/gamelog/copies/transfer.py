"""Import and export of whole games: events as lines, and the entries made of such events.

Rule: an import gives the very bytes of its file again, or it is refused.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from domain.audit.findings import Offence
from domain.clock.timestamps import milliseconds
from domain.events import ENDS, EventRecord
from domain.fairness.chain import chain_key
from domain.state import Game
from service.gamelog.cache import EMPTY, LoadedGame, apply_entries
from service.gamelog.history import History
from service.gamelog.store.errors import CorruptLog, NotStorable
from service.gamelog.store.form.codec import PACKED, Row, canonical, encode_rows, payload_of_row, row_of_payload
from service.gamelog.store.form.entry import Entry, entry_check

_GAME_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_END_A_REQUEST: Final = frozenset({"TurnStarted", "ScoringStarted", "MessagePosted"})
_BEGIN_A_REQUEST: Final = frozenset({"MessagePosted"})


def is_game_id(text: object) -> bool:
    """Whether the text can name a game in an address, a file and a job."""
    return isinstance(text, str) and _GAME_ID.fullmatch(text) is not None


def is_over(events: Iterable[EventRecord]) -> bool:
    """Whether the game has ended, so that nothing of it is hidden any more."""
    return any(event["type"] in ENDS for event in events)


def lines_of(events: Iterable[EventRecord]) -> bytes:
    """The events as `…/events` gives them as NDJSON."""
    return b"".join(canonical(event) + b"\n" for event in events)


def import_entries(events: Sequence[EventRecord], game: Game | None = None) -> History:
    """The game of a log that the audit has found sound (`game`: its own), as the store keeps it. Raises NotStorable."""
    entries: list[Entry] = []
    created, rows = _time_of(events[0]), [_row_of(event) for event in events]
    for request in _requests(events):
        version, count = request[-1]["version"], len(request)
        elapsed = _time_of(request[0]) - created if entries else created
        check = entry_check(bytes.fromhex(request[-1]["hash"]))
        entries.append(Entry(version, count, elapsed, encode_rows(rows[version - count : version]), check))
    final = bytes.fromhex(events[-1]["hash"])
    try:
        head = LoadedGame(game, final, chain_key(game.server_seed)) if game else apply_entries(EMPTY, entries, final)
    except CorruptLog:
        raise NotStorable(Offence(len(events), "a game that can be served")) from None
    for event, row in zip(events, rows, strict=True):
        if row[0] in PACKED and canonical(payload_of_row(row)[1]) != canonical(event["data"]):
            raise NotStorable(Offence(event["version"], "an event that can be kept as it is"))
    return History.of(head, entries, [*events])


def _requests(events: Sequence[EventRecord]) -> Iterable[list[EventRecord]]:
    """The events request by request, as far as they show it: two actions of a seat at one time may stay together."""
    request: list[EventRecord] = []
    for event in events:
        if request and (
            event["at"] != request[-1]["at"]
            or request[-1]["type"] in _END_A_REQUEST
            or event["type"] in _BEGIN_A_REQUEST
        ):
            yield request
            request = []
        request.append(event)
    yield request


def _row_of(event: EventRecord) -> Row:
    try:
        return row_of_payload(event["type"], event["data"])
    except CorruptLog as error:
        raise NotStorable(Offence(event["version"], str(error))) from None


def _time_of(event: EventRecord) -> int:
    """Milliseconds since 1970, at least 1: the store has no earlier times. Raises NotStorable."""
    try:
        at = milliseconds(event["at"])
    except (ValueError, OverflowError):
        at = 0
    if at < 1:
        raise NotStorable(Offence(event["version"], "a time after 1970"))
    return at

"""Games kept as the store holds them, one for each released version of an event's payload: always readable.

`NAME.jsonl` has an entry a line, with the names that the stream has and `c` in base64; `NAME.events.jsonl` the events
as exported; `NAME.expected.json` the results: hash, score sheet, and views by version and viewer.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from domain.fairness.canonical import canonical_json
from domain.scoring import INCOME_REASONS
from domain.view import Viewer, redact_event, scores_of, view_of
from service.gamelog.history import History
from service.gamelog.store.form.codec import _SHAPES, decode_rows, payload_of_row
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.replies import parse_entries

PAYLOADS: Final = Path(__file__).parent / "payloads"
FORMS: Final = frozenset({*_SHAPES, *(f"scored {reason}" for reason in INCOME_REASONS)})
"""Every tag of the codec's table, and every reason that it stores as a number."""
VIEWERS: Final[tuple[Viewer, ...]] = (None, 0, 1)


@dataclass(frozen=True, slots=True)
class Kept:
    name: str
    """The release that wrote it."""

    @property
    def entries(self) -> list[Entry]:
        """As the store's own reader takes them from the stream."""
        lines = (PAYLOADS / f"{self.name}.jsonl").read_bytes().splitlines()  # of bytes: U+2028 ends no line
        return parse_entries([_raw_of(json.loads(line)) for line in lines])

    @property
    def events(self) -> bytes:
        return (PAYLOADS / f"{self.name}.events.jsonl").read_bytes()

    @property
    def expected(self) -> dict[str, Any]:
        return json.loads((PAYLOADS / f"{self.name}.expected.json").read_bytes())


def forms_in(entries: Sequence[Entry]) -> set[str]:
    rows = decode_rows([entry.body for entry in entries])
    scored = [data for kind, data in map(payload_of_row, rows) if kind == "RoundScored"]
    reasons = {row["reason"] for data in scored for seat in data["seats"] for row in seat["businesses"].values()}
    return {row[0] for row in rows} | {f"scored {reason}" for reason in reasons}


def missing_forms() -> set[str]:
    return FORMS.difference(*(forms_in(kept.entries) for kept in all_kept()))


def all_kept() -> list[Kept]:
    return [Kept(path.name.removesuffix(".expected.json")) for path in sorted(PAYLOADS.glob("*.expected.json"))]


def keep(name: str, raws: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> None:
    """Write down a finished game as XRANGE gives its stream. Raises FileExistsError: what is kept is never changed."""
    lines = [
        {"id": at.decode(), "t": words[b"t"].decode(), "e": words[b"e"].decode(), "c": b64encode(words[b"c"]).decode()}
        for at, words in raws
    ]
    entries = parse_entries([_raw_of(line) for line in lines])
    with (PAYLOADS / f"{name}.jsonl").open("x", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    with (PAYLOADS / f"{name}.events.jsonl").open("xb") as exported:
        exported.write(exported_of(entries))
    expected = expected_of(entries, [entries[len(entries) // 2].version, entries[-1].version])
    with (PAYLOADS / f"{name}.expected.json").open("xb") as file:
        file.write(json.dumps(json.loads(canonical_json(expected)), ensure_ascii=False, indent=1).encode() + b"\n")


def exported_of(entries: Sequence[Entry]) -> bytes:
    """The finished game's events, a line each, as they are exported."""
    history = History.of_entries(entries)
    head = history.head.game
    return b"".join(canonical_json(redact_event(event, None, head)) + b"\n" for event in history.events)


def expected_of(entries: Sequence[Entry], versions: Sequence[int]) -> dict[str, Any]:
    """What the code makes of the entries: hash, score sheet, and the views at the versions."""
    history = History.of_entries(entries)
    head = history.head
    then = {version: history.state_at(version) for version in versions}
    return {
        "hash": head.hash.hex(),
        "scores": scores_of(head.game),
        "views": {
            str(version): {
                "spectator" if viewer is None else f"seat {viewer}": view_of(loaded.game, viewer, loaded.hash.hex())
                for viewer in VIEWERS
            }
            for version, loaded in then.items()
        },
    }


def _raw_of(line: dict[str, str]) -> list[Any]:
    words = {"t": line["t"].encode(), "e": line["e"].encode(), "c": b64decode(line["c"])}
    return [line["id"].encode(), [word for name, value in words.items() for word in (name.encode(), value)]]

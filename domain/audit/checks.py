"""The audit: what anybody can check on a whole log, without trusting whoever kept it (contract 2, 4, 5).

Rule 1: pure. It takes the events as exported, redacted or not, whatever may be wrong with them, and never raises.
Rule 2: a check that fails names the first offending version and what was expected there.
Rule 3: before the game is over no detail holds more than a check's name and a version; `expected` would tell cards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.audit.chain import NOT_JSON, Offence, first_break, is_hex, readable
from domain.audit.referee import Referee, joined_at_creation
from domain.audit.totals import Sheet, same
from domain.events import EventRecord, GameStarted, PositionSet, payload_of
from domain.fairness.canonical import canonical_json
from domain.fairness.shuffle import commitment_to
from domain.state import Game
from domain.view import Viewer, scores_of, view_of

CHECKS: Final = ("chain", "commitment", "shuffle", "rules", "scoring", "projection")
CONSISTENCY: Final = "Without a receipt kept outside the log this proves consistency only."


@dataclass(frozen=True, slots=True)
class Check:
    """One of the six checks."""

    name: str
    ok: bool | None
    """None where it can't be shown, or not yet."""
    version: int
    """The first offending one where it fails, otherwise the last that was looked at."""
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found on a log."""

    version: int
    """The log's last."""
    over: bool
    """Whether the log says that the game has ended."""
    checks: list[Check]
    """One for each of CHECKS, in that order."""

    @property
    def ok(self) -> bool:
        """Whether no check fails."""
        return all(check.ok is not False for check in self.checks)

    @property
    def first_offence(self) -> Check | None:
        """The failing check with the lowest version."""
        failing = [check for check in self.checks if check.ok is False]
        return min(failing, key=lambda check: check.version, default=None)

    def to_json(self) -> dict[str, Any]:
        """In the contract's shape."""
        checks = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in self.checks]
        return {"ok": self.ok, "version": self.version, "checks": checks}


@dataclass(frozen=True, slots=True)
class Served:
    """What a service serves of the game at the log's last version."""

    views: Mapping[Viewer, Any]
    scores: Any


@dataclass(frozen=True, slots=True)
class _Finding:
    """The outcome of one check before it is put into words; `good` is its detail where nothing is wrong."""

    name: str
    offence: Offence | None
    good: str = ""
    shown: bool = True
    """Whether the check could be made as far as the log goes."""


def audit(
    events: Sequence[Any], *, stored: Offence | None = None, served: Served | None = None, open_cards: bool = False
) -> Audit:
    """All six checks on a log from its first event on.

    `stored`: what a store's own record of the hashes (check of an entry, header) contradicts first; `open_cards`: seed
    and shuffle are checked before the end, too, for somebody who holds the log with all that is hidden.
    """
    told = readable(events)
    created = told[0]["data"] if told and told[0]["type"] == "GameCreated" else {}
    seed = created.get("server_seed", "")
    over = any(isinstance(event, dict) and event.get("type") == "GameEnded" for event in events)
    if seed is None or is_hex(seed):
        broken = first_break(events, seed)
    else:
        broken = Offence(1, "GameCreated with a server_seed of 64 hex digits")
        told, seed = [], None
    referee = Referee(told, seed)
    rules = referee.offence
    if rules is None and len(told) < len(events):
        rules = Offence(len(told) + 1, "an event with a type and data")
    findings = [
        _chain(len(events), seed, broken, stored),
        _commitment(told, created, seed, over=over or open_cards, known=referee.game.open_information),
        _shuffle(referee, told, seed, over=over or open_cards),
        _Finding("rules", rules, "Every event is what the rules cause."),
        *_totals(referee, told, seed, served, complete=len(told) == len(events)),
    ]
    return Audit(len(events), over, [_check(finding, len(events), over=over) for finding in findings])


def _check(finding: _Finding, last: int, *, over: bool) -> Check:
    offence = finding.offence
    ok = False if offence else True if finding.shown else None
    version = offence.version if offence else last
    if not over:
        detail = f"{finding.name}: version {version}"
    elif offence:
        detail = f"Version {version}: expected {offence.expected}."
    else:
        detail = finding.good if finding.shown else "Can't be shown on this log."
    return Check(finding.name, ok, version, detail)


def _chain(length: int, seed: str | None, broken: Offence | None, stored: Offence | None) -> _Finding:
    offence = min((found for found in (broken, stored) if found), default=None)
    good = f"All {length} hashes follow from the published seed. {CONSISTENCY}"
    return _Finding("chain", offence, good, shown=seed is not None)


def _commitment(
    told: list[EventRecord], created: dict[str, Any], seed: str | None, *, over: bool, known: bool
) -> _Finding:
    """`known`: whether the seed was public before this game began, as it is in the copy of a finished one."""
    if not (over and told):
        return _Finding("commitment", None, shown=False)
    offence = None
    if seed is None:
        offence = Offence(1, "GameCreated with the seed, which is published when the game is over")
    elif created.get("commitment") != commitment_to(bytes.fromhex(seed)):
        offence = Offence(1, f"commitment {commitment_to(bytes.fromhex(seed))}")
    binding = "It was public before this game began: it is the parent's." if known else _binding(told)
    return _Finding("commitment", offence, f"The published seed is the one committed to. {binding}")


def _binding(told: list[EventRecord]) -> str:
    """Whose entropy the server could not know when it drew the seed."""
    first = [data["seat"] for data in joined_at_creation(told)]
    joined = [event["data"] for event in told if event["type"] == "PlayerJoined"]
    late = [data for data in joined[len(first) :] if type(data.get("seat")) is int]
    if not late:
        return "All seats came with the creation: there are none whose entropy binds the server."
    silent = [data["seat"] for data in late if data.get("entropy") == ""]
    words = f"Joined later, so that their entropy binds the server: {_seats(data['seat'] for data in late)}."
    return words + (f" Of these gave none, and bind nothing: {_seats(silent)}." if silent else "")


def _seats(seats: Any) -> str:
    return ", ".join(f"seat {seat}" for seat in seats)


def _shuffle(referee: Referee, told: list[EventRecord], seed: str | None, *, over: bool) -> _Finding:
    if not over or seed is None or referee.dealt is None:
        return _Finding("shuffle", None, shown=False)
    version, expected = referee.dealt
    dealt = told[version - 1]["data"]
    for name, value in payload_of(expected).items():
        if not same(dealt.get(name), value):
            return _Finding("shuffle", Offence(version, f"{name} {canonical_json(value).decode()}"))
    members = payload_of(expected)
    offence = None if len(dealt) == len(members) else Offence(version, f"{', '.join(members)} alone")
    return _Finding("shuffle", offence, _shown_by_shuffle(expected, referee.game))


def _shown_by_shuffle(dealt: GameStarted | PositionSet, game: Game) -> str:
    """What holds where the cards follow from the seed, and what of a fork no log of its own can show."""
    if isinstance(dealt, PositionSet):
        words = (
            f"All that seat {dealt.seat} could not see follows from the seed and the entropy of every seat. "
            "That the rest was the parent's position can't be shown on this log."
        )
    else:
        words = "The deal follows from the seed and the entropy of every seat."
    return words + " That it was played like this in the parent can't be shown on this log." * game.open_information


def _totals(
    referee: Referee, told: list[EventRecord], seed: str | None, served: Served | None, *, complete: bool
) -> tuple[_Finding, _Finding]:
    """The checks `scoring` and `projection`."""
    scored = "Rounds, totals and winners are what the rows give."
    added = "All totals are the sums of their incomes"
    if referee.offence is None and complete:
        # Decided again, every round was scored anew, and is the same.
        projection = _served(referee.game, told, served)
        good = f"{added}; view and scores are served as the log tells." if served else f"{added}."
        return _Finding("scoring", None, scored), _Finding("projection", projection, good)
    sheet = Sheet(told, seed)
    shown = sheet.stopped is None and complete
    totals = sheet.totals or (_served(sheet.game, told, served) if shown else None)
    return _Finding("scoring", sheet.scoring, scored, shown), _Finding("projection", totals, f"{added}.", shown)


def _served(game: Game, told: list[EventRecord], served: Served | None) -> Offence | None:
    if served is None or not told:
        return None
    try:
        head_hash = told[-1]["hash"]
        for viewer, view in served.views.items():
            if not _holds(view, view_of(game, viewer, head_hash)):
                return Offence(len(told), "the view that the events give")
        if not _holds(served.scores, scores_of(game)):
            return Offence(len(told), "the scores that the events give")
    except (*NOT_JSON, LookupError, AttributeError):
        return Offence(len(told), "a game that can be served")
    return None


def _holds(found: Any, expected: Any) -> bool:
    """Whether all of `expected` is in `found`; a later release may serve members that are not known here."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            name in found and _holds(found[name], value) for name, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(expected)
            and all(_holds(one, other) for one, other in zip(found, expected, strict=True))
        )
    return type(found) is type(expected) and bool(found == expected)


def honours(events: Sequence[Any], receipt: Mapping[str, Any]) -> Offence | None:
    """Whether the log still holds what a receipt {"version", "hash"} proves; None where it does.

    That the log's hashes are those of its events is the check `chain`.
    """
    version, expected = receipt.get("version"), receipt.get("hash")
    if type(version) is not int or version < 1 or not is_hex(expected):
        return Offence(0, "a receipt with version and hash")
    if version > len(events):
        return Offence(len(events) + 1, f"an event, for the receipt is of version {version}; the log is cut")
    event = events[version - 1]
    if not isinstance(event, dict) or event.get("hash") != expected:
        return Offence(version, f"hash {expected}, as the receipt says")
    return None

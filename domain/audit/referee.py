"""The check `rules`: every event must be exactly what `decide` causes.

Rule 1: actions, names, entropy, messages and times are taken from the log, cards from its GameStarted or PositionSet;
all else is decided again.
Rule 2: whatever a log holds, nothing is raised; the first event that isn't as it must be is named.
Rule 3: types that are not known here are passed over, but their versions count (`rules.py` counts them).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from domain.audit.chain import Offence, Offended
from domain.audit.commands import command_of, creation_of, next_of, seats_of
from domain.audit.compare import difference
from domain.audit.evidence import CANT_HAPPEN, Evidence, apply_record, fold
from domain.audit.opening import Opening, cut_short
from domain.audit.position import check_position
from domain.commands import JoinGame
from domain.decide import Decision, decide, decide_into
from domain.events import EVENT_TABLE, FIELDS, Event, GameStarted, PositionSet, type_of
from domain.forks.position import fill_hidden, hide_unseen
from domain.refusals import Refused
from domain.state import Game
from domain.timestamps import milliseconds

_BEGINNING: Final = frozenset(name for name, entry in EVENT_TABLE.items() if entry.begins)


@dataclass(frozen=True, slots=True)
class Deal:
    """The log's GameStarted or PositionSet: whether it follows from the seed is the check `shuffle`."""

    version: int
    expected: GameStarted | PositionSet
    """What it should have said, by seed and entropy."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of deciding a log again."""

    game: Game
    """At the log's end; with an offence as far as it was decided again."""
    offence: Offence | None
    deal: Deal | None
    """None where the log has none, or its seed is hidden."""


def judge(evidence: Evidence, opening: Opening) -> Judgement:
    """Decide a whole log again, append by append; `opening`: how it begins."""
    walk = _Walk(evidence)
    offence = None
    try:
        _decide_all(walk, opening)
    except Offended as offended:
        offence = offended.offence
    except Refused as refused:
        offence = Offence(walk.index + 1, f"no such action ({refused.reason})")
    except CANT_HAPPEN:
        offence = Offence(walk.index + 1, "an event that can happen here")
    return Judgement(walk.game, offence, walk.deal)


@dataclass(slots=True)
class _Walk:
    """A log on its way through `decide`."""

    evidence: Evidence
    index: int = 0
    """Of the event that begins the next append."""
    game: Game = field(default_factory=Game)
    deal: Deal | None = None


def _decide_all(walk: _Walk, opening: Opening) -> None:
    events = walk.evidence.events
    if not events:
        raise Offended(Offence(1, "GameCreated"))
    _decide_creation(walk, opening)
    while walk.index < len(events):
        _decide_append(walk)
    walk.game.version = walk.index
    if opening.forked and (cut := cut_short(opening, len(events), walk.game.turn)):
        raise Offended(cut)


def _decide_creation(walk: _Walk, opening: Opening) -> None:
    """Decide the table and its first seats again, and the deal, or in its place the position of a fork."""
    evidence = walk.evidence
    table, at = creation_of(opening, evidence.seed), milliseconds(evidence.events[0]["at"])
    _compare(walk, decide(table, Game(), at).events)
    _, *decided = decide(replace(table, seats=seats_of(opening)), Game(), at).events
    if not opening.forked or opening.position is None:
        _compare(walk, decided)
        walk.game = fold(evidence, walk.index)
        return
    _compare(walk, decided[: len(opening.joined)])
    walk.game = fold(evidence, walk.index)
    _check_set(walk)
    apply_record(walk.game, evidence, walk.index)
    walk.index += 1


def _check_set(walk: _Walk) -> None:
    """Check the log's PositionSet as far as the fork's own log shows it; `walk.game` stands before it."""
    evidence, game, version = walk.evidence, walk.game, walk.index + 1
    if any(place.name is None for place in game.seats):
        raise Offended(Offence(version, "PlayerJoined, for a fork has no open seats"))
    try:
        data = evidence.data(game, walk.index)
        check_position(data, game)
    except CANT_HAPPEN:
        raise Offended(Offence(version, "a position of the form and the cards that there are")) from None
    if data["parent"] == game.id:
        raise Offended(Offence(version, "PositionSet with another game than itself as its parent"))
    created_at, at = (evidence.events[index].get("at") for index in (0, walk.index))
    if at != created_at:
        raise Offended(Offence(version, f"the time of the whole append, {created_at}"))
    if evidence.seed is None:
        return
    entropies = [place.entropy or "" for place in game.seats]
    try:
        expected = fill_hidden(hide_unseen(data), game.rules, bytes.fromhex(evidence.seed), entropies)
    except CANT_HAPPEN:
        raise Offended(Offence(version, "a position of the cards that there are")) from None
    walk.deal = Deal(version, expected)


def _decide_append(walk: _Walk) -> None:
    """Decide the event at `walk.index` again, and all that it causes."""
    game, evidence, index = walk.game, walk.evidence, walk.index
    event = evidence.events[index]
    kind, at = event["type"], milliseconds(event["at"])
    if kind not in FIELDS:
        game.at = at
        walk.index += 1
        return
    if kind not in _BEGINNING:
        raise Offended(Offence(index + 1, f"{next_of(game)}; {kind} never begins an append"))
    game.version = index
    evidence.prepare(game, index)
    command = command_of(kind, evidence.data(game, index), game, index + 1)
    decision = Decision(game, at)  # no copy: after a refusal nothing uses this game any more
    decide_into(decision, command)
    _compare(walk, decision.events)
    if isinstance(command, JoinGame):
        walk.game = fold(evidence, walk.index)  # with the cards that the log deals


def _compare(walk: _Walk, decided: Sequence[Event]) -> None:
    """Compare what was decided with the log from `walk.index` on, and move there behind it."""
    events, index, redacted = walk.evidence.events, walk.index, walk.evidence.seed is None
    if not decided:  # a table at which all seats are open, for example: the log may end here
        return
    at = events[index].get("at")
    for expected in decided:
        while index < len(events) and events[index]["type"] not in FIELDS:
            index += 1
        if index == len(events):
            raise Offended(Offence(index + 1, type_of(expected)))
        event = events[index]
        if event["type"] == "GameStarted" and isinstance(expected, GameStarted):
            walk.deal = Deal(index + 1, expected)
        elif expectation := difference(expected, event, redacted=redacted):
            raise Offended(Offence(index + 1, expectation))
        if event.get("at") != at:
            raise Offended(Offence(index + 1, f"the time of the whole append, {at}"))
        index += 1
    walk.index = index

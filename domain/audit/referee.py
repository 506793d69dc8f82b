"""The log decided again: every event must be exactly what `decide` causes.

Rule 1: actions, names, entropy, messages and times are taken from the log, cards from its GameStarted or PositionSet;
all else is decided again.
Rule 2: whatever a log holds, nothing is raised; the first event that isn't as it must be is named.
Rule 3: types that are not known here are passed over, but their versions count (`rules.py` counts them).
Rule 4: the events about people that a copy has from its parent are not decided again: it has other people, and the
actions that bots took for the parent's are judged like everyone's. That they can have happened is checked; only the
parent's log proves that they did.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from domain.audit.evidence import CANT_HAPPEN, Evidence, apply_record, fold
from domain.audit.findings import Offence, deal_difference, difference, whole_number
from domain.audit.opening import Opening, check_position, created_fault, creation_of, origin_fault, player_fault
from domain.audit.people import ParentsPeople, command_about_people
from domain.clock.deadline import player_of
from domain.clock.timestamps import milliseconds
from domain.clock.waiting import WaitingFor, waiting_for
from domain.commands import (
    ACTIONS,
    LONGEST_MESSAGE,
    Act,
    Action,
    Append,
    Command,
    CompleteScoring,
    Draw,
    JoinGame,
    LayBusinessmaker,
    PostMessage,
    Take,
    recorded_action,
)
from domain.decide import decide, decide_into
from domain.decision import Decision
from domain.events import EVENT_TABLE, FIELDS, OF_PEOPLE, Event, GameStarted, type_of
from domain.fairness.canonical import JsonObject
from domain.forks.position import fill_hidden, hide_unseen
from domain.refusals import Refused
from domain.state import Game

_BEGINNING: Final = frozenset(name for name, entry in EVENT_TABLE.items() if entry.begins)
_DECIDED: Final = FIELDS.keys() - OF_PEOPLE
"""The types that are never passed over; the others that are known are history up to `copied_until`."""
_CANT_HAPPEN_HERE: Final = "an event that can happen here"


@dataclass(frozen=True, slots=True)
class DealCheck:
    """The log's GameStarted or PositionSet against seed and entropy: what the check `shuffle` shows."""

    version: int
    expected: str
    """What it should have said; empty where it does."""
    seat: int | None = None
    """Of a PositionSet: whose sight the cards follow from."""


@dataclass(frozen=True, slots=True)
class Judgement:
    game: Game
    """At the log's end; with an offence as far as it was decided again."""
    offence: Offence | None
    deal: DealCheck | None
    """None where the log has none, or its seed is hidden."""


def judge(evidence: Evidence, opening: Opening) -> Judgement:
    """Decide a whole log again, append by append; `opening`: how it begins."""
    walk = _Walk(evidence)
    try:
        offence = _decide_creation(walk, opening)
        while offence is None and walk.index < len(evidence.events):
            offence = _decide_append(walk)
        if offence is None:
            walk.game.version = walk.index
            offence = _find_cut(walk.game, opening)
    except Refused as refused:
        offence = Offence(walk.index + 1, f"no such action ({refused.reason})")
    except CANT_HAPPEN:
        offence = Offence(walk.index + 1, _CANT_HAPPEN_HERE)
    return Judgement(walk.game, offence, walk.deal)


@dataclass(slots=True)
class _Walk:
    evidence: Evidence
    index: int = 0
    """Of the event that begins the next append."""
    game: Game = field(default_factory=Game)
    deal: DealCheck | None = None
    parents_people: ParentsPeople = field(default_factory=ParentsPeople)
    """In a copy, up to the last version that it has from its parent."""


def _decide_creation(walk: _Walk, opening: Opening) -> Offence | None:
    """Decide the table and its first seats again, and the deal, or in its place the position of a fork."""
    evidence = walk.evidence
    if not evidence.events:
        return Offence(1, "GameCreated")
    if expected := created_fault(opening.created) or origin_fault(opening):
        return Offence(1, expected)
    command, unlawful = creation_of(opening, evidence.seed)
    decided = decide(command, Game(), milliseconds(evidence.events[0]["at"])).events
    is_set = opening.forked and opening.position is not None
    if is_set:
        decided = decided[: 1 + len(opening.joined)]
    if offence := _compare(walk, decided) or unlawful:
        return offence
    if is_set:
        walk.index = opening.position_at - 1
    return _fold(walk) or (_decide_position(walk) if is_set else None)


def _fold(walk: _Walk) -> Offence | None:
    """Take the game with the cards that the log itself deals, up to `walk.index`."""
    game = fold(walk.evidence, walk.index)
    if game.version < walk.index:
        return Offence(game.version + 1, _CANT_HAPPEN_HERE)
    walk.game = game
    return None


def _decide_position(walk: _Walk) -> Offence | None:
    """Check the log's PositionSet as far as the fork's own log shows it, and apply it."""
    evidence, game, version = walk.evidence, walk.game, walk.index + 1
    if any(place.name is None for place in game.seats):
        return Offence(version, "PlayerJoined, for a fork has no open seats")
    try:
        data = evidence.data(game, walk.index)
        check_position(data, game)
    except CANT_HAPPEN:
        return Offence(version, "a position of the form and the cards that there are")
    if data["parent"] == game.id:
        return Offence(version, "PositionSet with another game than itself as its parent")
    created_at, at = (evidence.events[index].get("at") for index in (0, walk.index))
    if at != created_at:
        return Offence(version, f"the time of the whole append, {created_at}")
    if evidence.seed is not None:
        entropies = [place.entropy or "" for place in game.seats]
        try:
            expected = fill_hidden(hide_unseen(data), game.rules, bytes.fromhex(evidence.seed), entropies)
        except CANT_HAPPEN:
            return Offence(version, "a position of the cards that there are")
        walk.deal = DealCheck(version, deal_difference(expected, data), expected.seat)
    apply_record(walk.game, evidence, walk.index)
    walk.index += 1
    return None


def _decide_append(walk: _Walk) -> Offence | None:
    """Decide the event at `walk.index` again, and all that it causes."""
    game, evidence, index = walk.game, walk.evidence, walk.index
    event = evidence.events[index]
    kind, at = event["type"], milliseconds(event["at"])
    if kind not in _DECIDED and (kind not in FIELDS or index < game.copied_until):
        if kind in FIELDS:
            walk.parents_people.apply(kind, event["data"], game, at)
        game.at = at
        walk.index += 1
        return None
    if kind not in _BEGINNING:
        return Offence(index + 1, f"{_next_of(game)}; {kind} never begins an append")
    game.version = index
    evidence.prepare(game, index)
    command = _command_of(kind, evidence.data(game, index), game, at)
    if isinstance(command, str):
        return Offence(index + 1, command)
    decision = Decision(game, at, at)  # no copy: after a refusal nothing uses this game any more
    decide_into(decision, command)
    if offence := _compare(walk, decision.events):
        return offence
    return _fold(walk) if kind == "PlayerJoined" else None


def _command_of(kind: str, data: JsonObject, game: Game, at: int) -> Command | str:
    """The command whose first event, after the creation, is of this type and has this data.

    `game`: right before it; `at`: when it happened, in ms since 1970. Where no command begins with that event there: in
    words what should have been there.
    Raises one of CANT_HAPPEN.
    """
    if kind in ACTIONS:
        # In a turn that a bot plays for a person, no action is the person's: it would have reclaimed the seat before.
        by_bot = player_of(game) is not None and game.status == "playing"
        return Act(seat=whole_number(data["seat"]), actions=(_action_of(kind, data, game),), by_bot=by_bot)
    match kind:
        case "PlayerJoined":
            bot = data.get("bot") if game.parent is not None else None
            return player_fault(data) or JoinGame(
                name=data["name"], entropy=data["entropy"], bot=bot, salt=data.get("salt")
            )
        case "MessagePosted":
            seat, text = whole_number(data["seat"]), data["text"]
            if isinstance(text, str) and len(text) <= LONGEST_MESSAGE:  # "" is an erased one
                return PostMessage(seat=seat, text=text, salt=data.get("salt"))
            return f"MessagePosted with a text of 1 to {LONGEST_MESSAGE} characters"
        case "RoundScored" if game.scoring is not None:
            return CompleteScoring(round=game.scoring)
    return command_about_people(kind, data, game, at) or _next_of(game)


def _action_of(kind: str, data: JsonObject, game: Game) -> Action:
    match action := recorded_action(kind, data):
        case Take(slot=slot):
            assert whole_number(slot) < game.rules.display_size
        case Draw():
            pass
        case LayBusinessmaker(card=card):
            assert isinstance(card, str)
        case Append(card=card, row=row):
            assert isinstance(card, str)
            whole_number(row)
        case _ as never:
            assert_never(never)
    return action


def _next_of(game: Game) -> str:
    """What may come next, for a log in which another event does."""
    waiting = waiting_for(game)
    if waiting is None:
        return "nothing that changes a game that is over"
    match waiting.reason:
        case WaitingFor.PLAYERS:
            return "PlayerJoined"
        case WaitingFor.SCORING:
            return f"RoundScored of round {waiting.round}"
        case WaitingFor.SEAT | WaitingFor.BOT:
            return f"an action of seat {waiting.seat}"


def _compare(walk: _Walk, decided: Sequence[Event]) -> Offence | None:
    """Compare what was decided with the log from `walk.index` on, and move past it."""
    events, index, redacted = walk.evidence.events, walk.index, walk.evidence.seed is None
    if not decided:  # a round that is scored already, for example: the log may end here
        return None
    at = events[index].get("at")
    for expected in decided:
        try:
            while index < len(events) and events[index]["type"] not in _DECIDED and _passes_over(walk, index, expected):
                index += 1
        except CANT_HAPPEN:
            return Offence(index + 1, _CANT_HAPPEN_HERE)
        if index == len(events):
            return Offence(index + 1, type_of(expected))
        event = events[index]
        if isinstance(expected, GameStarted) and event["type"] == "GameStarted":
            if not redacted:
                walk.deal = DealCheck(index + 1, deal_difference(expected, event["data"]))
        elif expectation := difference(expected, event, redacted=redacted):
            return Offence(index + 1, expectation)
        if event.get("at") != at:
            return Offence(index + 1, f"the time of the whole append, {at}")
        index += 1
    walk.index = index
    return None


def _passes_over(walk: _Walk, index: int, expected: Event) -> bool:
    """Whether the event at `index`, where `expected` was decided, none of _DECIDED, isn't decided again.

    Raises one of CANT_HAPPEN where it is about the people of a copy's parent, and can't come there.
    """
    event = walk.evidence.events[index]
    if event["type"] not in FIELDS or index == walk.index or index >= walk.game.copied_until:
        return event["type"] not in FIELDS
    walk.parents_people.settle_bank(event["type"], event["data"], expected, len(walk.game.seats))
    assert event["at"] == walk.evidence.events[walk.index]["at"]
    return True


def _find_cut(game: Game, opening: Opening) -> Offence | None:
    """The first version that a fork has had since its creation, and that a log up to `game` has not."""
    if not opening.forked:
        return None
    if not game.turn:
        complaint = "an event, for a fork has no open seats and begins in a turn; the log is cut"
        return Offence(game.version + 1, complaint)
    version = opening.created["from"]
    if not opening.copied or version <= game.version:
        return None
    return Offence(
        game.version + 1, f"an event, for a copy of {version} has no fewer; the log is cut, or from is wrong"
    )

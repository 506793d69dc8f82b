"""The recap: what has happened, as sentences with their events.

It is built from events as `view.redact_event` gives them to the asking viewer, and from nothing else, so it can't
reveal more than they do.

Rule: an item's events follow one another in the log, and where an item begins depends on them alone. So a recap since
the end of any item is the rest of the recap: pages join without a gap, and no item is on two of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from domain.commands import ACTIONS
from domain.erasure import ERASED
from domain.events import ENDS, OF_PEOPLE
from domain.fairness.canonical import JsonObject
from domain.projections.clauses import describe_event
from domain.projections.table import GameTable, TableSeat
from domain.words.sentence import Clause, add_clause, make_sentence
from domain.words.wording import Words, words_of

BY_TURN: Final = "turn"
BY_ACTION: Final = "action"
_CONSEQUENCES: Final = frozenset({"ReibachRevealed", "DisplayRefilled", "CardDrawn"})
"""Events that join the sentence of the action that caused them."""
_OF_A_TURN: Final = ACTIONS.keys() | _CONSEQUENCES | {"ActionPointsForfeited", "BankUsed", "BankRefilled"}
_ANNOUNCEMENTS: Final = frozenset({"TurnStarted", "ScoringStarted"})
"""Events whose clause is dropped when others of the same item follow."""
_Group = list[JsonObject]
"""The events of one item."""


_NOBODY: Final[Mapping[int, str]] = {}
_ABSENCE: Final = {"SeatAbandoned": True, "PlayerResigned": True, "SeatReclaimed": False, "SeatReplaced": False}
"""Whether a bot plays for the seat's person from then on."""


class Recap(NamedTuple):
    items: list[JsonObject]
    """{"version" (of the last event), "type", "seat" (or None), "at", "text", "events"} each, in order."""
    next: int | None
    """The version since which the next page is; None at the end."""
    lines: list[list[str]]
    """Each item's text for a list with more room: that a player turned up Reibach cards is a sentence of its own."""


def recap(  # noqa: PLR0913 - what is told, to whom and how
    events: Sequence[JsonObject],
    since: int,
    language: str,
    *,
    by: str = BY_TURN,
    limit: int | None = None,
    players: Mapping[int, str] = _NOBODY,
    reader: int | None = None,
    zone: str = "UTC",
) -> Recap:
    """What happened after version `since`, at most `limit` items (None: all); of empty turns only the present one.

    `events`: all of the game's, from the first, as the reader may see them. `by`: an item for each turn, or for each
    action. `players`: who played for the reader, by version. `reader`: the seat of who is told, as "you" where its
    person acted. A turn that a message or a scoring round interrupts, or in which they take turns, has an item for each
    part. Sentences are made for the page alone. Raises one of the errors of `GameTable` for impossible events.
    """
    words = words_of(language, zone)
    present = _present_turn(events)
    copied = _copied_until(events)
    every = _group(events[since:], words, by, copied, players)
    groups = [new for new in every if len(new) > 1 or new[0]["type"] != "TurnStarted" or new[0]["version"] == present]
    page = groups[:limit]
    more = len(page) < len(groups)
    told = _describe(events, page, words, by, players, reader)
    items, lines = [item for item, _ in told], [sentences for _, sentences in told]
    return Recap(items, page[-1][-1]["version"] if more else None, lines)


def describe_events(events: Sequence[JsonObject], language: str) -> list[JsonObject]:
    """All items by action, with the start of every turn."""
    words = words_of(language)
    groups = _group(events, words, BY_ACTION, _copied_until(events), _NOBODY)
    return [item for item, _ in _describe(events, groups, words, BY_ACTION, _NOBODY, None)]


def last_own_action(events: Sequence[JsonObject], seat: int | None, players: Mapping[int, str] | None = None) -> int:
    """The last version that the answer to the last action which the seat's person sent showed it; 0 without one."""
    players = played_for(events, seat) if players is None else players
    versions = (
        event["version"] for event in reversed(events) if event["type"] in ACTIONS and event["data"]["seat"] == seat
    )
    version: int = next((version for version in versions if version not in players), 0)
    if version:
        caused = takewhile(lambda event: event["type"] in _OF_A_TURN - ACTIONS.keys(), events[version:])
        version += sum(1 for _ in caused)
    return version


def played_for(events: Sequence[JsonObject], seat: int | None, by_orders: Iterable[int] = ()) -> Mapping[int, str]:
    """By the version of each action of the seat that its person didn't send: who took it, `bot` or `orders`.

    `by_orders`: the versions of those of its standing orders, of which nobody else knows.
    """
    players, is_away, is_late = dict.fromkeys(by_orders, "orders"), False, False
    for event in events[_copied_until(events) :]:
        kind, is_own = event["type"], event["data"].get("seat") == seat
        if kind == "TurnStarted":
            is_late = False
        elif is_own and kind == "TurnTimedOut":
            is_late = events[0]["data"]["pace"]["on_timeout"] == "bot"
        elif is_own and kind in _ABSENCE:
            is_away = _ABSENCE[kind]
        elif is_own and kind in ACTIONS and (is_away or is_late):
            players.setdefault(event["version"], "bot")
    return players


def _present_turn(events: Sequence[JsonObject]) -> int | None:
    """The version at which the present turn began; None before the first turn and when the game is over."""
    last = next((event for event in reversed(events) if event["type"] in {"TurnStarted", *ENDS}), None)
    return int(last["version"]) if last and last["type"] == "TurnStarted" else None


def _copied_until(events: Sequence[JsonObject]) -> int:
    """The last version that a copy has from its parent; 0 where the game is none."""
    created = events[0]["data"] if events else {}
    is_set = "from" in created and any(
        event["type"] == "PositionSet" and event["data"]["parent"] == created.get("parent") for event in events
    )
    return 0 if is_set else int(created.get("from", 0))


def _group(
    events: Iterable[JsonObject], words: Words, by: str, copied: int, players: Mapping[int, str]
) -> list[_Group]:
    """The events of each item; those of unknown types are left out, and those about people of a copy's parent."""
    groups: list[_Group] = []
    for event in events:
        if event["type"] not in words.clauses or (event["type"] in OF_PEOPLE and event["version"] <= copied):
            continue
        joins, player = groups and _continues(groups[-1][-1]["type"], event["type"], by), _player([event], players)
        if joins and (player is None or _player(groups[-1], players) in (None, player)):
            groups[-1].append(event)
        else:
            groups.append([event])
    return groups


def _player(group: _Group, players: Mapping[int, str]) -> str | None:
    """Who took the first action of an item; "" for the person, None where there is none."""
    return next((players.get(event["version"], "") for event in group if event["type"] in ACTIONS), None)


def _continues(before: str, kind: str, by: str) -> bool:
    """Whether an event of type `kind` belongs to the item of the event before it."""
    if kind == "RoundScored":
        return before == "ScoringStarted"
    if by == BY_ACTION:
        return kind in _CONSEQUENCES and before in _CONSEQUENCES | ACTIONS.keys()
    if kind == "PlayerJoined":
        return before == kind
    return kind in _OF_A_TURN and (before in _OF_A_TURN or before == "TurnStarted")


def _describe(  # noqa: PLR0913 - what is told, to whom and how
    events: Sequence[JsonObject],
    groups: Iterable[_Group],
    words: Words,
    by: str,
    players: Mapping[int, str],
    reader: int | None,
) -> list[tuple[JsonObject, list[str]]]:
    seats, table, told = _seats_of(events), GameTable(), []
    names, to_reader = words.name_seats(seats), words.name_seats(seats, reader)
    sits_since = _sits_since(events, reader)
    for group in groups:
        clauses: tuple[Clause, ...] = ()
        cards: tuple[Clause, ...] = ()
        player = _player(group, players)
        for event in group:
            while table.version < event["version"]:
                table.apply(events[table.version])
                if events[table.version - 1]["type"] == "SeatReplaced":  # what came before was said of another person
                    names, to_reader = words.name_seats(table.seats), words.name_seats(table.seats, reader)
            called = names if player or event["version"] < sits_since else to_reader
            if clauses and clauses[-1].name in _ANNOUNCEMENTS:
                clauses = ()
            for clause in describe_event(event, table, called, words):
                if clause.name == "ReibachRevealed":
                    cards = add_clause(cards, clause)
                else:
                    clauses = add_clause(clauses, clause)
        text, *lines = [make_sentence(said, words) for said in ((*clauses, *cards), clauses, cards) if said]
        if player:
            form = words.in_your_name[player]
            text, lines[0] = form.format(text=text), form.format(text=lines[0])
        told.append((_to_json(group, text, table, by), lines))
    return told


def _to_json(group: _Group, text: str, table: GameTable, by: str) -> JsonObject:
    last = group[-1]
    kind = "RoundScored" if last["type"] == "RoundScored" else group[0]["type"]
    seats = {event["data"]["seat"] for event in group if "seat" in event["data"]}
    seat = seats.pop() if len(seats) == 1 else None
    if by == BY_TURN and kind in _OF_A_TURN:
        kind, seat = "TurnStarted", table.turn_seat
    return {
        "version": last["version"],
        "type": kind,
        "seat": seat,
        "at": last["at"],
        "text": text,
        "events": [{name: event[name] for name in ("version", "type", "data")} for event in group],
    }


def _sits_since(events: Sequence[JsonObject], reader: int | None) -> int:
    """The version at which the reader took the seat of another person; 0 where there was none."""
    copied = _copied_until(events)
    replaced = (event for event in reversed(events[copied:]) if event["type"] == "SeatReplaced")
    return next((event["version"] for event in replaced if event["data"]["seat"] == reader), 0)


def _seats_of(events: Iterable[JsonObject]) -> list[TableSeat]:
    """The seats with their first names; those taken later are included."""
    seats: list[TableSeat] = []
    for event in events:
        if event["type"] == "GameCreated":
            assert event["data"]["seats"] <= 5  # of a million none is made
            seats = [TableSeat() for _ in range(event["data"]["seats"])]
        elif event["type"] == "PlayerJoined":
            seats[event["data"]["seat"]] = TableSeat(event["data"]["name"] or ERASED, event["data"]["bot"])
    return seats

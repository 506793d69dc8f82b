"""The kinds of forgery: each makes a forged log of a lawful one, versions and hashes aside.

Events are replaced, never changed. A forgery need not be unlawful: a card in the place of one of its own kind is none.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from domain.events import OF_PEOPLE, EventRecord
from tests.oracle.fairness import commitment
from tests.oracle.terms import HAND_CARDS, KEYS
from tests.support.cases import cases

CARDS: Final = (*HAND_CARDS, "reibach")
Log = list[EventRecord]


@dataclass(frozen=True)
class Source:
    """A lawful, whole log, and the versions at which its game waits."""

    log: Log
    waits: Sequence[int]


def leaves(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of each value within a JSON value that is no container, or an empty one."""
    found = []
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        found += leaves(inner) if isinstance(inner, dict | list) and inner else [(value, key)]
    return found


def with_change(log: Log, index: int, change: Callable[[EventRecord], object]) -> Log:
    event = json.loads(json.dumps(log[index]))
    change(event)
    return [*log[:index], event, *log[index + 1 :]]


def _of(log: Log, kinds: set[str], chance: Random) -> int:
    """The index of an event of one of these types; of any event where there is none."""
    return chance.choice([index for index, event in enumerate(log) if event["type"] in kinds] or range(len(log)))


def other(value: Any, chance: Random) -> Any:
    """Another value of the same type; null becomes a text."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 1, 2, -value])
    if isinstance(value, str) and value in CARDS:
        return chance.choice(CARDS)
    return f"{value}{chance.choice('a0 ü')}" if isinstance(value, str) else chance.choice(["", "greedy", [None], {}])


def change_leaf(log: Log, index: int, chance: Random, new: Callable[[Any], Any]) -> Log:
    def change(event: EventRecord) -> None:
        if places := leaves(event["data"]):
            container, key = chance.choice(places)
            container[key] = new(container[key])

    return with_change(log, index, change)


# The kinds.


def values(_source: Source, log: Log, chance: Random) -> Log:
    return change_leaf(log, chance.randrange(len(log)), chance, lambda value: other(value, chance))


def cards(_source: Source, log: Log, chance: Random) -> Log:
    """A card that was taken, drawn, laid, appended or refilled is another."""
    index = _of(log, {"CardTaken", "CardDrawn", "BusinessmakerLaid", "CardAppended", "DisplayRefilled"}, chance)
    return with_change(log, index, lambda event: event["data"].update(card=chance.choice(CARDS)))


def types(_source: Source, log: Log, chance: Random) -> Log:
    new: list[Any] = [None, True, False, 0, 1, -1, 1.0, 1.5, -0.0, 2**53, "", "x", [], {}, [0], {"a": 1}, 10**400]
    return change_leaf(log, chance.choice([0, 1, chance.randrange(len(log))]), chance, lambda _: chance.choice(new))


def dropped(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.randrange(1, len(log))
    return [*log[:index], *log[index + 1 :]]


def cut_inside(_source: Source, log: Log, chance: Random) -> Log:
    """Some events in the middle, or all from one on, are missing."""
    start = chance.randrange(1, len(log))
    return [*log[:start], *log[start + chance.randint(2, 40) :]] if chance.random() < 0.7 else log[:start]


def doubled(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.randrange(1, len(log))
    place = index if chance.random() < 0.5 else chance.randrange(index, len(log))
    return [*log[: place + 1], log[index] | {"at": log[place]["at"]}, *log[place + 1 :]]


def swapped(_source: Source, log: Log, chance: Random) -> Log:
    """Two events, neighbours or not, change places; times stay."""
    one = chance.randrange(1, len(log))
    other = min(one + 1, len(log) - 1) if chance.random() < 0.7 else chance.randrange(1, len(log))
    changed = list(log)
    changed[one], changed[other] = log[other] | {"at": log[one]["at"]}, log[one] | {"at": log[other]["at"]}
    return changed


def swapped_appends(source: Source, log: Log, chance: Random) -> Log:
    """Two neighbouring requests change places, each with all that it causes."""
    ends = [end for end in source.waits if end <= len(log)]
    if len(ends) < 3:
        return swapped(source, log, chance)
    place = chance.randrange(len(ends) - 2)
    one, other, end = ends[place : place + 3]
    return [*log[:one], *log[other:end], *log[one:other], *log[end:]]


def inserted(source: Source, log: Log, chance: Random) -> Log:
    index = chance.randrange(1, len(log) + 1)
    return [*log[:index], chance.choice(source.log) | {"at": log[index - 1]["at"]}, *log[index:]]


def retyped(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.randrange(len(log))
    return [*log[:index], log[index] | {"type": chance.choice(sorted(KEYS))}, *log[index + 1 :]]


def times(source: Source, log: Log, chance: Random) -> Log:
    """One time, or all from there on, are others; in order or not, of the right form or not."""
    starts = [end for end in source.waits if end < len(log)]
    index, end = chance.choice([*starts, chance.randrange(len(log))]), chance.choice([None, None, 1, 2])
    new = chance.choice(["2027-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "now", 7])
    until = None if end is None else index + end
    return [*log[:index], *(event | {"at": new} for event in log[index:until]), *(log[until:] if until else [])]


def seeds(_source: Source, log: Log, chance: Random) -> Log:
    """Another seed with its commitment, or one of the two alone."""
    seed = chance.randbytes(32).hex()
    data = {"server_seed": seed, "commitment": commitment(seed)}
    chosen = chance.choice([data, data, {"server_seed": seed}, {"commitment": data["commitment"]}])
    return [log[0] | {"data": log[0]["data"] | chosen}, *log[1:]]


def piles(_source: Source, log: Log, chance: Random) -> Log:
    """Two cards of the deal change places: in the pile, or between pile and a hand or the display."""

    def change(event: EventRecord) -> None:
        data = event["data"]
        if isinstance(pile := data.get("draw_pile"), list):
            places = [pile, pile, *filter(None, data["hands"]), data["display"]]
            one, other = chance.choice(places), chance.choice(places)
            index, place = chance.randrange(len(one)), chance.randrange(len(other))
            one[index], other[place] = other[place], one[index]

    return with_change(log, _of(log, {"GameStarted", "PositionSet"}, chance), change)


def renamed_cards(_source: Source, log: Log, chance: Random) -> Log:
    """Two kinds of card change places in the whole game: all but the shuffle fits."""
    one, other = chance.sample(CARDS[:10], 2)
    text = json.dumps(log).replace(f'"{one}"', '"@"').replace(f'"{other}"', f'"{one}"').replace('"@"', f'"{other}"')
    changed: Log = json.loads(text)
    return [log[0], *changed[1:]]


def added(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.choice([0, chance.randrange(len(log))])
    more = chance.choice(
        [{"note": 1}, {"pace": None}, {"pace": 5}, {"parent": "x"}, {"from": 3}, {"parent": "x", "from": 3}]
    )
    return with_change(log, index, lambda event: event["data"].update(more))


def removed(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.choice([0, chance.randrange(len(log))])
    return with_change(log, index, lambda event: event["data"].pop(chance.choice([*event["data"], ""]), None))


def entropies(_source: Source, log: Log, chance: Random) -> Log:
    new: list[Any] = ["", "x", "x" * 200, "x" * 201, None, 0, False, {}, "a\nb", "\U0001f3b2"]
    index = _of(log, {"PlayerJoined"}, chance)
    return with_change(log, index, lambda event: event["data"].update(entropy=chance.choice(new)))


def players(_source: Source, log: Log, chance: Random) -> Log:
    names: list[Any] = ["Alma", "greedy", "", "x" * 41, "a\x00", 5, None, []]
    member = chance.choice([{"name": chance.choice(names)}, {"bot": chance.choice(names)}])
    both = {"name": (one := chance.choice(names)), "bot": one}
    index = _of(log, {"PlayerJoined"}, chance)
    return with_change(log, index, lambda event: event["data"].update(chance.choice([member, both])))


_PACED: Final = {"turn_seconds": 60, "on_timeout": "wait", "bank_seconds": 60, "bank_refill_seconds": 5}


def settings(_source: Source, log: Log, chance: Random) -> Log:
    value = chance.choice(
        [
            {"listed": chance.choice([True, "yes", None, 1])},
            {"game": chance.choice(["other", "", 5])},
            {"name": chance.choice(["Club", "", "x" * 61, "a\nb", 5, None])},
            {"rules": chance.choice(["unknown@1", None])},
            {"starting_seat": chance.choice([0, 1, 2, 5, -1, True])},
            {"seats": chance.choice([1, 2, 3, 4, 5, 6, 2.0])},
            {"variants": {"expensive_specials": chance.random() < 0.5, "staggered_start": chance.random() < 0.5}},
            {"variants": chance.choice([{}, None, {"expensive_specials": True}, []])},
            {
                "pace": chance.choice(
                    [{"turn_seconds": 60, "on_timeout": "bot"}, {"turn_seconds": 1}, 5, None, {}, _PACED]
                )
            },
        ]
    )
    return [log[0] | {"data": log[0]["data"] | value}, *log[1:]]


def origins(_source: Source, log: Log, chance: Random) -> Log:
    """A fork, or a game that is none, names another parent or version there."""
    number = chance.choice([0, 1, 3, len(log) - 1, len(log), 10**6, 2**53, -1, True, 2.0, "3", None])
    parent = chance.choice(["other", "", log[0]["data"]["game"], 5, None])
    value = chance.choice([{"from": number}, {"parent": parent}, {"from": number, "parent": parent}])
    if chance.random() < 0.2:
        kept = {name: item for name, item in log[0]["data"].items() if name not in {"parent", "from"}}
        return [log[0] | {"data": kept}, *log[1:]]
    return [log[0] | {"data": log[0]["data"] | value}, *log[1:]]


def seats_taken(_source: Source, log: Log, chance: Random) -> Log:
    """A seat is never taken, taken at another place, by another seat's player, or at another time."""
    index = _of(log, {"PlayerJoined"}, chance)
    rest, joined = [*log[:index], *log[index + 1 :]], log[index]
    place = chance.randrange(1, min(len(rest), 12) + 1)
    match chance.randrange(4):
        case 0:
            return rest
        case 1:
            return [*rest[:place], joined | {"at": rest[place - 1]["at"]}, *rest[place:]]
        case 2:
            return with_change(log, index, lambda event: event["data"].update(seat=chance.randrange(5)))
    late = max(joined["at"], log[min(len(log), index + chance.randint(0, 3)) - 1]["at"])
    return [*log[:index], *(event | {"at": max(late, event["at"])} for event in log[index:])]


def messages(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.randrange(1, len(log) + 1)
    seats: list[Any] = [0, 1, 2, 4, 5, -1, True, None]
    texts: list[Any] = ["well\n\u2028\x00", "x", "x" * 2000, "x" * 2001, "", None, 5, ["x"]]
    data = {"seat": chance.choice(seats), "text": chance.choice(texts)}
    return [*log[:index], log[index - 1] | {"type": "MessagePosted", "data": data}, *log[index:]]


def others(_source: Source, log: Log, chance: Random) -> Log:
    """Events of types that are unknown, or that nothing plays yet, anywhere."""
    data = chance.choice(
        [
            *({}, {"seat": 0}, {"turn": 1, "seat": 0}, {"seat": 0, "to": "cancel"}, {"seat": 0, "name": "Cleo"}),
            *({"value": 1.5}, {"\U0001f3b2": 1}, {"value": 2**53}, {"ö": [None]}),
            {"seat": 0, "seconds": 5, "left": chance.choice([0, 5])},
            {"seat": 0, "until": chance.choice(["2026-02-01T00:00:00.000Z", "2026-02-01", "", 5, None])},
        ]
    )
    kind = chance.choice(
        [*sorted(OF_PEOPLE), "GameCancelled", "Foo", "", "gamestarted", "\U0001f3b2" * 200, "x" * 3000]
    )
    index = chance.randrange(1, len(log) + 1)
    return [*log[:index], log[index - 1] | {"type": kind, "data": data}, *log[index:]]


def scores(_source: Source, log: Log, chance: Random) -> Log:
    """A seat gets more in one round, and all totals and winners after it fit."""
    rounds = [index for index, event in enumerate(log) if event["type"] == "RoundScored"]
    if not rounds:
        return values(_source, log, chance)
    first, more = chance.choice(rounds), chance.choice([-1, 1, 2, 4])
    changed: Log = json.loads(json.dumps(log))
    scored = changed[first]["data"]["seats"]
    seat = chance.randrange(len(scored))
    scored[seat]["income"] += more
    if chance.random() < 0.7:
        lines = [*scored[seat]["businesses"].values()] or [{"income": 0}]
        chance.choice(lines)["income"] += more
    for event in changed[first:]:
        if event["type"] in {"RoundScored", "GameEnded"}:
            event["data"]["totals"][seat] += more
        if event["type"] == "GameEnded":
            totals = event["data"]["totals"]
            event["data"]["winners"] = [index for index, total in enumerate(totals) if total == max(totals)]
    return [*log[:first], *changed[first:]]


def hashes(_source: Source, log: Log, chance: Random) -> Log:
    """One member outside the data is another, and no hash is recomputed."""
    index = chance.randrange(len(log))
    name = chance.choice(["hash", "version", "type", "at"])
    new: list[Any] = [None, 0, len(log), "0" * 64, log[index]["hash"].upper(), "x", [], {}, True]
    return [*log[:index], log[index] | {name: chance.choice(new)}, *log[index + 1 :]]


INVENTED: Final[Sequence[tuple[str, dict[str, Any]]]] = [
    *cases(__file__, "invented"),
    ("PlayerResigned", {"seat": 0, "note": "x" * 200_000}),
]
"""Events about the parent's people that can't have happened where nothing about them happened before."""


def copy_of_nobodys(log: Log) -> Log:
    """A game, finished or not, as a copy of all its events but the end; of a game that there is not."""
    ends = [index for index, event in enumerate(log) if event["type"] in {"GameEnded", "GameCancelled"}]
    created = {name: value for name, value in log[0]["data"].items() if name not in {"pace", "replaceable"}}
    own = {"parent": "nobodys", "from": ends[0] if ends else len(log)}
    return [log[0] | {"data": created | own}, *log[1:]]


def with_invented(log: Log, index: int, kind: str, data: dict[str, Any]) -> Log:
    """A copy of nobody's game in which something more has happened to the people of its parent."""
    return copy_of_nobodys([*log[:index], log[index - 1] | {"type": kind, "data": data}, *log[index:]])


def invented(_source: Source, log: Log, chance: Random) -> Log:
    """Something that happened to the people of a parent, anywhere in a copy: lawful only where others allow it."""
    kind, data = chance.choice(INVENTED)
    data = data | {name: chance.randrange(5) for name in ("seat", "turn") if name in data and chance.random() < 0.5}
    return with_invented(log, chance.randrange(1, len(log) + 1), kind, data)


PLAIN_KINDS: Final[Sequence[Callable[[Source, Log, Random], Log]]] = (
    *(values, cards, types, dropped, cut_inside, doubled, swapped, swapped_appends, inserted, retyped, times, seeds),
    *(piles, renamed_cards, added, removed, entropies, players, settings, origins, seats_taken, messages, others),
    *(scores, hashes, invented),
)

"""The recap: what has happened, as sentences with their events.

It is built from events as `view.redact_event` gives them to the asking viewer, and from nothing else, so it can't
reveal more than they do.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from domain.cards import RISK
from domain.events import ACTIONS
from domain.fairness.canonical import JsonObject
from domain.projections.table import GameTable
from domain.words import WORDS
from domain.words.wording import Words, isolate, label_seats

_CONSEQUENCES: Final = frozenset({"ReibachRevealed", "DisplayRefilled", "CardDrawn"})
"""Events that join the sentence of the action that caused them."""
Clause: TypeAlias = tuple[str, dict[str, Any]]
"""The name of a template in `Words.clauses`, and the values that fill it."""


@dataclass(slots=True)
class _Item:
    """A sentence under construction."""

    type: str
    events: list[JsonObject] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)

    def accepts(self, kind: str) -> bool:
        """Whether an event of this type continues the sentence."""
        before: str = self.events[-1]["type"]
        if kind == "RoundScored":
            return before == "ScoringStarted"
        return kind in _CONSEQUENCES and before in _CONSEQUENCES | ACTIONS

    def add(self, event: JsonObject, clauses: list[Clause]) -> None:
        """Continue the sentence with an event and its clauses."""
        kind = event["type"]
        if kind == "RoundScored":  # its clause replaces the one of ScoringStarted
            self.type, self.clauses = kind, []
        elif kind == "CardDrawn" and self.events and self.events[-1]["type"] == "PileDrawn":
            # A draw and its card make one clause.
            self.clauses.clear()
            clauses = [(name.replace(kind, "PileDrawn"), values) for name, values in clauses]
        self.events.append(event)
        self.clauses += clauses

    def to_json(self, words: Words) -> JsonObject:
        """The item in the shape of the API."""
        last = self.events[-1]
        return {
            "version": last["version"],
            "type": self.type,
            "seat": next((one["data"]["seat"] for one in self.events if "seat" in one["data"]), None),
            "at": last["at"],
            "text": words.make_sentence(self.clauses),
            "events": [{name: event[name] for name in ("version", "type", "data")} for event in self.events],
        }


def recap(events: Sequence[JsonObject], since: int, language: str) -> list[JsonObject]:
    """What happened after version `since`, in order; of the starts of turns only that of the present turn.

    `events`: all of the game's, from the first, as the reader may see them. Each item is {"version" (of its last
    event), "type", "seat" (or None), "at", "text", "events"}. Raises as `GameTable` does for impossible events.
    """
    items = describe_events(events, language, since)
    turns = [item for item in items if item["type"] == "TurnStarted"]
    over = any(event["type"] == "GameEnded" for event in events)
    passed = {item["version"] for item in (turns if over else turns[:-1])}
    return [item for item in items if item["version"] not in passed]


def describe_events(events: Sequence[JsonObject], language: str, since: int = 0) -> list[JsonObject]:
    """Like `recap`, with the start of every turn."""
    words = WORDS[language]
    names = _name_seats(events, words)
    table = GameTable()
    items: list[_Item] = []
    for event in events:
        table.apply(event)
        kind = event["type"]
        if event["version"] <= since or kind not in words.clauses:
            continue
        if not (items and items[-1].accepts(kind)):
            items.append(_Item(kind))
        items[-1].add(event, _CLAUSES.get(kind, _describe_fields)(event, table, names, words))
    return [item.to_json(words) for item in items]


def last_own_action(events: Iterable[JsonObject], seat: int | None) -> int:
    """The version of the seat's last action; 0 where it has not acted, and for a spectator."""
    own = (one["version"] for one in events if one["type"] in ACTIONS and one["data"]["seat"] == seat)
    return max(own, default=0)


def _name_seats(events: Iterable[JsonObject], words: Words) -> list[str]:
    """The seats' labels; those taken later are included."""
    names: list[str | None] = []
    for event in events:
        if event["type"] == "GameCreated":
            names = [None] * event["data"]["seats"]
        elif event["type"] == "PlayerJoined":
            names[event["data"]["seat"]] = event["data"]["name"]
    return [isolate(label) for label in label_seats(names, words.terms["open seat"])]


def _describe_fields(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    """A clause of the event's own fields, with seat and card by name."""
    kind, data = event["type"], event["data"]
    values = {name: value for name, value in data.items() if isinstance(value, int)}
    if "seat" in data:
        values["player"] = names[data["seat"]]
    if "card" not in data:
        return [(kind, values)]
    hidden = data["card"] is None
    case = kind if hidden or f"{kind}.seen" not in words.clauses else f"{kind}.seen"
    return [(case, values if hidden else values | {"card": words.cards[data["card"]]})]


def _game_created(event: JsonObject, _table: GameTable, _names: Sequence[str], _words: Words) -> list[Clause]:
    data = event["data"]
    if "parent" not in data:
        return [("GameCreated", {"seats": data["seats"]})]
    values = {"seats": data["seats"], "parent": isolate(data["parent"]), "from": data["from"]}
    return [("GameCreated.fork", values)]


def _player_joined(event: JsonObject, _table: GameTable, names: Sequence[str], _words: Words) -> list[Clause]:
    data = event["data"]
    return [("PlayerJoined.bot" if data["bot"] else "PlayerJoined", {"player": names[data["seat"]]})]


def _game_started(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    return [("GameStarted", {"cards": _join_cards(data["display"], words)}), *_describe_hands(data, names, words)]


def _position_set(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    turn = ("TurnStarted", {"turn": table.turn, "player": names[table.turn_seat]})
    return [("PositionSet", {"player": names[data["seat"]]}), *_describe_hands(data, names, words), turn]


def _describe_hands(data: JsonObject, names: Sequence[str], words: Words) -> list[Clause]:
    """A clause for each hand that the reader may see."""
    return [
        ("GameStarted.hand", {"player": names[seat], "cards": _join_cards(hand, words)})
        for seat, hand in enumerate(data["hands"])
        if hand
    ]


def _join_cards(cards: Sequence[str], words: Words) -> str:
    return words.join([words.cards[card] for card in cards])


def _card_appended(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    row, card = table.seats[data["seat"]].rows[data["row"]], data["card"]
    if card == RISK:
        case = "CardAppended.risk"
    elif len(row.cards) == 1:
        case = "CardAppended.first"
    else:
        case = "CardAppended.same" if card == row.business else "CardAppended"
    assert row.business is not None
    values = {
        "player": names[data["seat"]],
        "card": words.cards[card],
        "business": words.cards[row.business],
        "length": row.length,
    }
    return [(case, values)]


def _round_scored(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    incomes = [
        words.clauses["RoundScored.seat"].format(
            player=name, income=words.money(seat["income"], signed=True), total=words.money(total)
        )
        for name, seat, total in zip(names, data["seats"], data["totals"], strict=True)
    ]
    return [("RoundScored", {"round": data["round"], "incomes": words.semicolon.join(incomes)})]


def _points_forfeited(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    return [("ActionPointsForfeited", {"player": names[data["seat"]], "points": words.points(data["points"])})]


def _game_ended(event: JsonObject, _table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    winners = [names[seat] for seat in data["winners"]]
    total = words.money(max(data["totals"]))
    if len(winners) > 1:
        return [("GameEnded.shared", {"players": words.join(winners), "total": total})]
    return [("GameEnded", {"player": winners[0], "total": total})]


def _message_posted(event: JsonObject, table: GameTable, names: Sequence[str], words: Words) -> list[Clause]:
    data = event["data"]
    copied = event["version"] <= table.copied_until  # another person wrote it in the parent
    case = "MessagePosted.copied" if copied else "MessagePosted"
    return [(case, {"player": names[data["seat"]], "text": words.quote(data["text"])})]


_CLAUSES: Final[dict[str, Callable[[JsonObject, GameTable, Sequence[str], Words], list[Clause]]]] = {
    "GameCreated": _game_created,
    "PlayerJoined": _player_joined,
    "GameStarted": _game_started,
    "PositionSet": _position_set,
    "CardAppended": _card_appended,
    "RoundScored": _round_scored,
    "ActionPointsForfeited": _points_forfeited,
    "GameEnded": _game_ended,
    "MessagePosted": _message_posted,
}
"""By event type: the function that makes its clauses, where `_describe_fields` isn't enough."""

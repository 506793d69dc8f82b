"""A log as the audit reads it: the same interface whether its cards are shown or hidden.

Of a running game, as its seats and spectators see it, hidden cards are null, and of a hidden hand only the size is
known. Before each event the hand of the acting seat is filled with stand-in cards with which the event could have
happened, so that the rules can be checked against all that is shown, and no honest log fails. Null alone hides; any
other value must be one that could be there when the game is over.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, TypeAlias

from domain.audit.findings import is_hex
from domain.audit.opening import created_fault
from domain.cards import BUSINESSES, HAND_CARDS, MULTITALENT, REIBACH, Card
from domain.clock.timestamps import milliseconds
from domain.commands import ACTIONS
from domain.erasure import read_erased
from domain.events import FIELDS, OPTIONAL, EventRecord
from domain.evolve import EFFECTS
from domain.fairness.canonical import NOT_JSON, JsonObject
from domain.forks.position import pile_size
from domain.rules import Rules
from domain.state import Game, Seat

_FROM_PILE: Final = frozenset({"ReibachRevealed", "CardDrawn", "DisplayRefilled"})
_FROM_HAND: Final = frozenset(event for event, kind in ACTIONS.items() if "card" in kind.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class RedactedEvidence:
    """A log with null for hidden cards, read with stand-ins in their place.

    Example: seat 1 has laid nothing yet. It draws, and lays a businessmaker; a spectator's log says

        PileDrawn          {"seat": 1}
        CardDrawn          {"seat": 1, "card": null}
        BusinessmakerLaid  {"seat": 1, "row": 0, "card": null}

    1. `prepare` for PileDrawn makes the seat's four cards, and all unseen cards of the draw pile, "multitalent". The
       rules decide PileDrawn(1), CardDrawn(1, "multitalent"): null hides the card, so both agree with the log.
    2. `prepare` for BusinessmakerLaid makes all five cards of the hand "multitalent", and `data` gives
       {"seat": 1, "row": 0, "card": "multitalent"}. The rules decide that event, which agrees again.
    3. Had the log shown {"card": "oil"} there, `prepare` would have made the first card of the hand "oil".
    """

    events: Sequence[EventRecord]
    pile: Sequence[Card | None]
    """The draw pile from its top: the cards that the log shows, None for each that it hides, as far as it tells."""
    seed: None = None

    def prepare(self, game: Game, index: int) -> None:
        """Change `game`: fill the acting seat's hand, and what is hidden of the draw pile, with stand-ins.

        Hands of other seats and everything else stay. Before the deal there is nothing to fill.
        """
        if not game.started:
            return
        kind, data = self.events[index]["type"], self.events[index]["data"]
        place = game.seats[data["seat"] if kind in ACTIONS else game.turn_seat]
        card = self._stand_in(place, index)
        game.draw_pile = tuple(known or card for known in self._fill_pile(len(game.draw_pile)))
        place.hand[:] = [card] * len(place.hand)
        if kind in _FROM_HAND:
            visible = data["card"]
            assert visible in HAND_CARDS or (visible is None and kind == "BusinessmakerLaid")
            place.hand[:1] = [visible or card] * bool(place.hand)

    def data(self, game: Game, index: int) -> JsonObject:
        """The data of the event, with the stand-ins that `game` holds in the place of null."""
        data: JsonObject = self.events[index]["data"]
        match self.events[index]["type"]:
            case "GameCreated":
                return data | {"server_seed": ""}
            case "GameStarted":
                return self._deal(game.rules, data)
            case "PositionSet":
                return self._position(game.rules, data)
            case "CardDrawn":
                return data | {"card": data["card"] or game.draw_pile[game.drawn]}
            case "BusinessmakerLaid":
                return data | {"card": data["card"] or game.seats[data["seat"]].hand[0]}
        return data

    def _deal(self, rules: Rules, data: JsonObject) -> JsonObject:
        assert data.keys() == set(FIELDS["GameStarted"])
        assert len(data["display"]) == rules.display_size
        hands = [_shown_or(hand, [MULTITALENT] * rules.hand_size) for hand in data["hands"]]
        assert all(len(hand) == rules.hand_size for hand in hands)
        left = len(rules.deck) + rules.reibachs - rules.hand_size * len(hands) - rules.display_size
        draw_pile = self._pile_of(data, left, rules.reibachs)
        _refuse_more_than_a_deck(rules, [data["display"], *data["hands"]], data["draw_pile"])
        return data | {"hands": hands, "draw_pile": draw_pile}

    def _position(self, rules: Rules, data: JsonObject) -> JsonObject:
        sizes, left = data["hand_sizes"], pile_size(data, rules)
        hands = [_shown_or(hand, [MULTITALENT] * size) for hand, size in zip(data["hands"], sizes, strict=True)]
        every = [row for laid in data["rows"] for row in laid]
        visible = [data["display"], *data["hands"], *[row["cards"] for row in every]]
        visible.append([row["businessmaker"] for row in every if row["businessmaker"] is not None])
        draw_pile = self._pile_of(data, left, rules.reibachs - data["revealed"])
        _refuse_more_than_a_deck(rules, visible, data["draw_pile"])
        rows = [
            [row | {"businessmaker": _shown_or(row["businessmaker"], MULTITALENT)} for row in laid]
            for laid in data["rows"]
        ]
        return data | {"hands": hands, "rows": rows, "draw_pile": draw_pile}

    def _pile_of(self, data: JsonObject, length: int, reibachs: int) -> list[Card]:
        """The draw pile of a deal or a position. AssertionError where a shown one has other numbers of cards."""
        if data["draw_pile"] is not None:
            assert type(data["draw_pile"]) is list
            assert (len(data["draw_pile"]), data["draw_pile"].count(REIBACH)) == (length, reibachs)
        return [card or MULTITALENT for card in self._fill_pile(length)]

    def _fill_pile(self, length: int) -> list[Card | None]:
        return [*self.pile, *[None] * length][:length]

    def _stand_in(self, place: Seat, index: int) -> Card:
        """A card that leaves the seat stuck (ruling 5) only if the log says that it was."""
        closed = {row.business: row.closed for row in place.rows if row.business}
        if self._forfeits(index):
            return next((business for business in closed if closed[business]), MULTITALENT)
        if all(row.business for row in place.rows):
            return MULTITALENT
        return next((business for business in BUSINESSES if business not in closed), MULTITALENT)

    def _forfeits(self, index: int) -> bool:
        """Whether action points are forfeited before the next action."""
        for later in range(index + 1, len(self.events)):
            kind = self.events[later]["type"]
            if kind == "TurnStarted" or kind in ACTIONS:
                return False
            if kind == "ActionPointsForfeited":
                return True
        return False


def shown_pile(events: Sequence[EventRecord]) -> list[Card | None]:
    """The draw pile as the deal shows it, otherwise the cards that leave it, in order."""
    for event in events:
        if event["type"] in ("GameStarted", "PositionSet") and type(event["data"].get("draw_pile")) is list:
            pile: list[Card | None] = event["data"]["draw_pile"]
            return pile
    return [
        REIBACH if event["type"] == "ReibachRevealed" else _card_in(event["data"])
        for event in events
        if event["type"] in _FROM_PILE
    ]


def _card_in(data: JsonObject) -> Card | None:
    """The card that an event shows; None for a value that is no card, so that no stand-in equals it."""
    card = data.get("card")
    return card if card in HAND_CARDS else None


def _shown_or(value: Any, stand_in: Any) -> Any:
    return stand_in if value is None else value


def _refuse_more_than_a_deck(rules: Rules, visible: Iterable[list[Card] | None], pile: list[Card] | None) -> None:
    """AssertionError, or TypeError, unless these are lists of cards of one deck, the Reibach cards all in `pile`."""
    left = Counter(rules.deck)
    for cards in (*visible, [card for card in pile or () if card != REIBACH]):
        if cards is not None:
            assert type(cards) is list
            left.subtract(cards)
    assert min(left.values()) >= 0


CANT_HAPPEN: Final = (AssertionError, LookupError, AttributeError, OverflowError, *NOT_JSON)
"""What reading or applying an event raises that can't have happened."""


@dataclass(frozen=True, slots=True)
class OpenEvidence:
    """An unredacted log: it says itself what happened."""

    events: Sequence[EventRecord]
    seed: str
    """64 hex digits."""

    def prepare(self, game: Game, index: int) -> None:
        """Change nothing: every card is known."""

    def data(self, game: Game, index: int) -> JsonObject:
        data: JsonObject = self.events[index]["data"]
        return data


Evidence: TypeAlias = OpenEvidence | RedactedEvidence
"""The events of one log, and what happened in each; both methods raise one of CANT_HAPPEN where no cards would do."""


def readable(events: Sequence[Any]) -> list[EventRecord]:
    """The events up to the first that has no type or no data."""
    return list(takewhile(_is_readable, events))


def _is_readable(event: Any) -> bool:
    return isinstance(event, dict) and isinstance(event.get("type"), str) and isinstance(event.get("data"), dict)


def evidence_of(events: Sequence[Any]) -> Evidence:
    """A log up to its first event without type or data; an empty one where it doesn't begin with a sound GameCreated.

    Its `server_seed` must be null or 64 hex digits.
    """
    records = [read_erased(event) for event in readable(events)]
    created = records[0]["data"] if records and records[0]["type"] == "GameCreated" else {}
    seed = created.get("server_seed", "")
    if seed is None:
        return RedactedEvidence(records, shown_pile(records))
    return OpenEvidence(records, seed) if is_hex(seed) else OpenEvidence([], "")


def apply_record(game: Game, evidence: Evidence, index: int) -> None:
    """Apply the event at `index` to `game`, at the time that the log gives. Raises one of CANT_HAPPEN.

    An event of an unknown type changes time and version alone.
    """
    event = evidence.events[index]
    kind = event["type"]
    game.at = milliseconds(event["at"])
    if kind in FIELDS:
        evidence.prepare(game, index)
        data = evidence.data(game, index)
        if kind == "GameCreated":
            assert not created_fault(data), "of a million seats none is made"
        values = [data[field] for field in FIELDS[kind]]
        if kind in OPTIONAL:
            values += [data.get(member) for member in OPTIONAL[kind]]
        EFFECTS[kind](game, *values)
    game.version = index + 1


def fold(evidence: Evidence, end: int) -> Game:
    """The game after the log's first `end` events; where one of them can't happen, its `version` is that before it."""
    game = Game()
    with suppress(*CANT_HAPPEN):
        for index in range(end):
            apply_record(game, evidence, index)
    return game

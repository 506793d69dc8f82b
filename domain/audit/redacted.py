"""What can be said of a log whose hidden cards are null: a running game as its seats and spectators see it.

Of hands only their sizes are known. Before each event the hand of the seat that acts is made of cards with which the
event could have happened; so the rules are held against all that can be seen, and no honest log is accused.
Only null hides; anything else that stands in its place must be what could stand there at the end.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from domain.cards import BUSINESSES, HAND_CARDS, MULTITALENT, REIBACH, Card
from domain.events import ACTIONS, FIELDS, EventRecord
from domain.position import pile_size
from domain.rules.standard import Rules
from domain.state import Game, Seat

_LEAVE_PILE: Final = frozenset({"ReibachRevealed", "CardDrawn", "DisplayRefilled"})
_LAID: Final = frozenset({"BusinessmakerLaid", "CardAppended"})


class Veil:
    """Stand-ins for the hidden cards of one log."""

    def __init__(self, events: list[EventRecord]) -> None:
        """`events`: with type and data."""
        self._events = events
        self._pile: list[Card | None] = [
            REIBACH if event["type"] == "ReibachRevealed" else _card_in(event["data"])
            for event in events
            if event["type"] in _LEAVE_PILE
        ]

    def uncover(self, game: Game, index: int) -> dict[str, Any]:
        """The data of an event with stand-ins; `game`, which is about to live through it, gets them too.

        Raises one of many errors where what is shown can't be.
        """
        kind: str = self._events[index]["type"]
        data: dict[str, Any] = self._events[index]["data"]
        if kind == "GameCreated":
            return data | {"server_seed": ""}
        if kind == "GameStarted":
            return self._dealt(game, data)
        if kind == "PositionSet":
            return self._set(game, data)
        seat = data["seat"] if kind in ACTIONS else game.turn_seat
        place = game.seats[seat]
        card = self._stand_in(place, index)
        game.draw_pile = tuple(known or card for known in self._filled(len(game.draw_pile)))
        place.hand[:] = [card] * len(place.hand)
        if kind in _LAID:
            assert data["card"] is None or data["card"] in HAND_CARDS
            data = data | {"card": data["card"] or card}
            place.hand[:1] = [data["card"]] * bool(place.hand)
        elif kind == "CardDrawn":
            data = data | {"card": data["card"] or game.draw_pile[game.drawn]}
        return data

    def _dealt(self, game: Game, data: dict[str, Any]) -> dict[str, Any]:
        rules = game.rules
        assert data.keys() == set(FIELDS["GameStarted"])
        assert len(data["display"]) == rules.display_size
        hands = [_shown_or(hand, [MULTITALENT] * rules.hand_size) for hand in data["hands"]]
        assert all(len(hand) == rules.hand_size for hand in hands)
        left = len(rules.deck) + rules.reibachs - rules.hand_size * len(hands) - rules.display_size
        draw_pile = self._pile_of(data, left, rules.reibachs)
        _refuse_more_than_a_deck(rules, [data["display"], *data["hands"]], data["draw_pile"])
        return data | {"hands": hands, "draw_pile": draw_pile}

    def _set(self, game: Game, data: dict[str, Any]) -> dict[str, Any]:
        rules, sizes, left = game.rules, data["hand_sizes"], pile_size(data, game.rules)
        hands = [_shown_or(hand, [MULTITALENT] * size) for hand, size in zip(data["hands"], sizes, strict=True)]
        every = [row for laid in data["rows"] for row in laid]
        shown = [data["display"], *data["hands"], *[row["cards"] for row in every]]
        shown.append([row["businessmaker"] for row in every if row["businessmaker"] is not None])
        draw_pile = self._pile_of(data, left, rules.reibachs - data["revealed"])
        _refuse_more_than_a_deck(rules, shown, data["draw_pile"])
        rows = [
            [row | {"businessmaker": _shown_or(row["businessmaker"], MULTITALENT)} for row in laid]
            for laid in data["rows"]
        ]
        return data | {"hands": hands, "rows": rows, "draw_pile": draw_pile}

    def _pile_of(self, data: dict[str, Any], length: int, reibachs: int) -> list[Card]:
        """The draw pile of a deal or a position; one that is shown must be what leaves it, too."""
        if data["draw_pile"] is not None:
            assert type(data["draw_pile"]) is list
            assert (len(data["draw_pile"]), data["draw_pile"].count(REIBACH)) == (length, reibachs)
            self._pile = data["draw_pile"]
        return [card or MULTITALENT for card in self._filled(length)]

    def _filled(self, length: int) -> list[Card | None]:
        """The draw pile: what left it, in order, and what nobody has seen."""
        return (self._pile + [None] * length)[:length]

    def _stand_in(self, place: Seat, index: int) -> Card:
        """A card that leaves the seat stuck (ruling 5) only if the log says that it was."""
        closed = {row.business: row.closed for row in place.rows if row.business}
        if self._forfeits(index):
            return next((business for business in closed if closed[business]), MULTITALENT)
        if all(row.business for row in place.rows):
            return MULTITALENT
        return next((business for business in BUSINESSES if business not in closed), MULTITALENT)

    def _forfeits(self, index: int) -> bool:
        for later in range(index + 1, len(self._events)):
            kind = self._events[later]["type"]
            if kind == "TurnStarted" or kind in ACTIONS:
                return False
            if kind == "ActionPointsForfeited":
                return True
        return False


def _card_in(data: dict[str, Any]) -> Card | None:
    """The card that an event shows; None for one that there isn't, which no stand-in equals."""
    card = data.get("card")
    return card if card in HAND_CARDS else None


def _shown_or(value: Any, stand_in: Any) -> Any:
    return stand_in if value is None else value


def _refuse_more_than_a_deck(rules: Rules, shown: Iterable[list[Card] | None], pile: list[Card] | None) -> None:
    """AssertionError, or TypeError, unless these are lists of cards that there are, the Reibach cards in the pile."""
    left = Counter(rules.deck)
    for cards in (*shown, [card for card in pile or () if card != REIBACH]):
        if cards is not None:
            assert type(cards) is list
            left.subtract(cards)
    assert min(left.values()) >= 0

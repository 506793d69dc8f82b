"""What can be said of a log whose hidden cards are null: a running game as its seats and spectators see it.

Of hands only their sizes are known. Before each event the hand of the seat that acts is made of cards with which the
event could have happened; so the rules are held against all that can be seen, and no honest log is accused.
"""

from typing import Any, Final

from domain.audit_chain import Event
from domain.cards import BUSINESSES, MULTITALENT, REIBACH, Card
from domain.position import pile_size
from domain.state import Game, Seat

ACTIONS: Final = frozenset({"CardTaken", "PileDrawn", "BusinessmakerLaid", "CardAppended"})
_LEAVE_PILE: Final = frozenset({"ReibachRevealed", "CardDrawn", "DisplayRefilled"})
_LAID: Final = frozenset({"BusinessmakerLaid", "CardAppended"})


class Veil:
    """Stand-ins for the hidden cards of one log."""

    def __init__(self, events: list[Event]) -> None:
        """`events`: with type and data."""
        self._events = events
        self._pile: list[Card | None] = [
            REIBACH if event["type"] == "ReibachRevealed" else event["data"].get("card")
            for event in events
            if event["type"] in _LEAVE_PILE
        ]

    def uncover(self, game: Game, index: int) -> dict[str, Any]:
        """The data of an event with stand-ins; `game`, which is about to live through it, gets them too."""
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
            data = data | {"card": data["card"] or card}
            place.hand[:1] = [data["card"]] * bool(place.hand)
        elif kind == "CardDrawn":
            data = data | {"card": data["card"] or card}
        return data

    def _dealt(self, game: Game, data: dict[str, Any]) -> dict[str, Any]:
        rules = game.rules
        hands = [hand or [MULTITALENT] * rules.hand_size for hand in data["hands"]]
        dealt = sum(map(len, hands)) + rules.display_size
        length = len(rules.deck) + rules.reibachs - dealt
        return data | {"hands": hands, "draw_pile": [card or MULTITALENT for card in self._filled(length)]}

    def _set(self, game: Game, data: dict[str, Any]) -> dict[str, Any]:
        sizes, left = data["hand_sizes"], pile_size(data, game.rules)
        hands = [hand or [MULTITALENT] * size for hand, size in zip(data["hands"], sizes, strict=True)]
        rows = [[row | {"businessmaker": row["businessmaker"] or MULTITALENT} for row in laid] for laid in data["rows"]]
        draw_pile = [card or MULTITALENT for card in self._filled(left)]
        return data | {"hands": hands, "rows": rows, "draw_pile": draw_pile}

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

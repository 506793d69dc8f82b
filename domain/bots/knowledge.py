"""What a seat knows of the cards: its view, and what its redacted history tells beyond it.

Only events as `redact_event` shows them to the seat come in here, so a bot can't see more than its seat's person could
look up. Cards that others took from the display are known until they are laid open.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from domain.cards import Card
from domain.events import EventRecord
from domain.rules import Rules


class Holding(NamedTuple):
    """A card that a seat has in its hand, or has laid as a businessmaker that isn't shown any more."""

    card: Card | None
    """None where the seat that looks has never seen it."""
    arrived: int
    """Number of such businessmakers that its owner had laid before it got the card."""


@dataclass(slots=True)
class SeatKnowledge:
    """The cards that a seat can't see, as far as what it has seen tells where they are."""

    unseen: Counter[Card]
    """Cards never seen, without the Reibach cards: they are in the draw pile, or holdings without a `card`."""
    holdings: list[list[Holding]]
    """Of each seat, in the order of arrival. Hidden businessmakers and hand together have as many cards."""
    hidden: list[int]
    """Each seat's number of businessmakers that aren't shown any more."""
    hand_size: int
    """Number of cards that each seat is dealt."""

    def note(self, kind: str, data: dict[str, Any]) -> None:
        match kind:
            case "GameStarted":
                self._see(data["display"])
                for seat in range(len(self.holdings)):
                    self._deal(seat, data["hands"][seat] or [None] * self.hand_size)
            case "PositionSet":
                self._set_position(data)
            case "CardTaken":
                self._hold(data["seat"], data["card"])
            case "CardDrawn":
                self._deal(data["seat"], [data["card"]])
            case "DisplayRefilled":
                self._see([data["card"]])
            case "CardAppended":
                self._lay_open(data["seat"], data["card"])
            case "BusinessmakerLaid":
                if data["card"] is None:
                    self.hidden[data["seat"]] += 1
                else:
                    self._lay_open(data["seat"], data["card"])
            case _:
                pass  # moves no card

    def _see(self, cards: Iterable[Card]) -> None:
        self.unseen.subtract(cards)

    def _hold(self, seat: int, card: Card | None) -> None:
        self.holdings[seat].append(Holding(card, self.hidden[seat]))

    def _deal(self, seat: int, cards: Iterable[Card | None]) -> None:
        """Give a seat cards that have not been seen before."""
        for card in cards:
            if card is not None:
                self._see([card])
            self._hold(seat, card)

    def _set_position(self, data: dict[str, Any]) -> None:
        self._see(data["display"])
        for seat, rows in enumerate(data["rows"]):
            for row in rows:
                self._see(row["cards"])
                if row["businessmaker"] is None:
                    self._hold(seat, None)
                    self.hidden[seat] += 1
                else:
                    self._see([row["businessmaker"]])
            self._deal(seat, data["hands"][seat] or [None] * data["hand_sizes"][seat])

    def _lay_open(self, seat: int, card: Card) -> None:
        """Take a card that is open now from the seat's holdings: one that was known, if there is one.

        Cards of a kind are alike, so which of them it was stays open; so does when it arrived. The latest arrival is
        taken away: the early ones may be needed as businessmakers.
        """
        holdings = self.holdings[seat]
        candidates = [place for place, held in enumerate(holdings) if held.card in {card, None}]
        laid = max(candidates, key=lambda place: (holdings[place].card is not None, holdings[place].arrived))
        latest = max(candidates, key=lambda place: holdings[place].arrived)
        if holdings[laid].card is None:
            self._see([card])
        holdings[latest] = Holding(holdings[latest].card, holdings[laid].arrived)
        del holdings[laid]


Recall: TypeAlias = Callable[[], SeatKnowledge]
"""Gives what the seat knows. It costs a walk over the game's history."""


def knowledge_of(seats: int, rules: Rules, history: Iterable[EventRecord]) -> SeatKnowledge:
    """What a seat knows after `history`: all events of the game, each as `redact_event` shows it to the seat."""
    known = SeatKnowledge(Counter(rules.deck), [[] for _ in range(seats)], [0] * seats, rules.hand_size)
    for event in history:
        known.note(event["type"], event["data"])
    return known

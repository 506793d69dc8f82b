"""The game as an aggregate of the `eventsourcing` library: the same events, the same code for what each one does."""

import re
from collections.abc import Iterable
from typing import Any, Self

from eventsourcing.domain import Aggregate, event

from domain.cards import Card
from domain.events import FIELDS, Event, type_of
from domain.evolve import EFFECTS
from domain.state import Game


class ReibachGame(Aggregate):
    """One method an event type; the library turns each call into a stored event, and back on replay."""

    @event("Opened")
    def __init__(self) -> None:
        self.game = Game()

    def _happen(self, name: str, *values: Any) -> None:
        EFFECTS[name](self.game, *values)
        self.game.version += 1

    @event("GameCreated")
    def game_created(
        self,
        game: str,
        rules: str,
        seats: int,
        variants: dict[str, bool],
        starting_seat: int,
        listed: bool,
        commitment: str,
        server_seed: str,
    ) -> None:
        self._happen("GameCreated", game, rules, seats, variants, starting_seat, listed, commitment, server_seed)

    @event("PlayerJoined")
    def player_joined(self, seat: int, name: str, bot: str | None, entropy: str) -> None:
        self._happen("PlayerJoined", seat, name, bot, entropy)

    @event("GameStarted")
    def game_started(self, hands: list[list[Card]], display: list[Card], draw_pile: list[Card]) -> None:
        self._happen("GameStarted", hands, display, draw_pile)

    @event("TurnStarted")
    def turn_started(self, turn: int, seat: int) -> None:
        self._happen("TurnStarted", turn, seat)

    @event("CardTaken")
    def card_taken(self, seat: int, slot: int, card: Card, cost: int) -> None:
        self._happen("CardTaken", seat, slot, card, cost)

    @event("PileDrawn")
    def pile_drawn(self, seat: int) -> None:
        self._happen("PileDrawn", seat)

    @event("CardDrawn")
    def card_drawn(self, seat: int, card: Card) -> None:
        self._happen("CardDrawn", seat, card)

    @event("BusinessmakerLaid")
    def businessmaker_laid(self, seat: int, row: int, card: Card) -> None:
        self._happen("BusinessmakerLaid", seat, row, card)

    @event("CardAppended")
    def card_appended(self, seat: int, row: int, card: Card) -> None:
        self._happen("CardAppended", seat, row, card)

    @event("DisplayRefilled")
    def display_refilled(self, slot: int, card: Card) -> None:
        self._happen("DisplayRefilled", slot, card)

    @event("ReibachRevealed")
    def reibach_revealed(self, count: int) -> None:
        self._happen("ReibachRevealed", count)

    @event("ScoringStarted")
    def scoring_started(self, round: int) -> None:  # noqa: A002 - the event's own field
        self._happen("ScoringStarted", round)

    @event("RoundScored")
    def round_scored(
        self,
        round: int,  # noqa: A002 - the event's own field
        seats: list[dict[str, Any]],
        totals: list[int],
    ) -> None:
        self._happen("RoundScored", round, seats, totals)

    @event("ActionPointsForfeited")
    def action_points_forfeited(self, seat: int, points: int) -> None:
        self._happen("ActionPointsForfeited", seat, points)

    @event("GameEnded")
    def game_ended(self, totals: list[int], winners: list[int]) -> None:
        self._happen("GameEnded", totals, winners)

    @classmethod
    def after(cls, events: Iterable[Event]) -> Self:
        """A game that has applied our events."""
        aggregate = cls()
        for happened in events:
            name = type_of(happened)
            method = re.sub("(?<!^)(?=[A-Z])", "_", name).lower()
            getattr(aggregate, method)(*(getattr(happened, field) for field in FIELDS[name]))
        return aggregate

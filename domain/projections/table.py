"""The table: the state of a game as a redacted log shows it, with None for hidden cards.

`evolve` needs every card; this folds redacted logs as well, and so never knows more than its reader may. Its input is
events as the contract has them, {"version", "type", "data", …}, from the first on; unknown types count as versions and
change nothing. Impossible events raise KeyError, IndexError, TypeError, ValueError or AssertionError.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from domain.cards import BUSINESS_SET, RISK, Business, Card
from domain.erasure import ERASED
from domain.fairness.canonical import JsonObject
from domain.forks.position import pile_size
from domain.rules import NEWEST, Rules, rules_of


@dataclass(slots=True)
class TableRow:
    """One businessmaker, None where it is hidden, and the cards laid on it."""

    businessmaker: Card | None
    business: Business | None = None
    cards: list[Card] = field(default_factory=list)
    closed: bool = False

    @property
    def length(self) -> int:
        """Business cards and multitalents."""
        return sum(card != RISK for card in self.cards)


@dataclass(slots=True)
class TableSeat:
    """A seat; its hand has None for each card that the log hides."""

    name: str | None = None
    bot: str | None = None
    hand: list[Card | None] = field(default_factory=list)
    rows: list[TableRow] = field(default_factory=list)
    total: int = 0
    away: str | None = None
    """Why a bot plays for the seat's person, as in a view."""

    def remove_card(self, card: Card | None) -> None:
        """Take one card from the hand; None: a hidden one."""
        if card is None:  # it may have been any of the known cards, so none of them is certain any more
            self.hand = [None] * (len(self.hand) - 1)
        else:
            self.hand.remove(card if card in self.hand else None)


@dataclass(slots=True)
class GameTable:
    rules: Rules = NEWEST
    version: int = 0
    starting_seat: int = 0
    name: str | None = None
    """What the table is called."""
    parent: str | None = None
    copied_until: int = 0
    """The last version that was copied from the game of which this one is a fork."""
    seats: list[TableSeat] = field(default_factory=list)
    display: list[Card | None] = field(default_factory=list)
    draw_pile: int | None = None
    """Number of cards left in it; None before the deal."""
    revealed: int = 0
    rounds: list[JsonObject] = field(default_factory=list)
    """{"round", "version", "seats"} of each scoring round done."""
    scoring: bool = False
    turn: int = 0
    turn_seat: int = 0
    action_points: int = 0
    winners: list[int] | None = None

    def apply(self, event: JsonObject) -> None:
        assert event["version"] == self.version + 1
        self.version += 1
        if change := CHANGES.get(event["type"]):
            change(self, event["data"])

    @property
    def status(self) -> str:
        """`open`, `playing`, `scoring` or `over` (contract 2)."""
        if self.winners is not None:
            return "over"
        if self.draw_pile is None:
            return "open"
        return "scoring" if self.scoring else "playing"

    @property
    def bonus(self) -> list[int]:
        return self.rules.bonuses(len(self.seats), self.starting_seat)

    @property
    def scores(self) -> JsonObject:
        totals = [seat.total for seat in self.seats]
        return {"rounds": self.rounds, "bonus": self.bonus, "totals": totals, "winners": self.winners}


def _game_created(game: GameTable, data: JsonObject) -> None:
    game.rules = rules_of(data["rules"], frozenset(name for name, on in data["variants"].items() if on))
    game.starting_seat = data["starting_seat"]
    game.name = data.get("name")
    game.parent, game.copied_until = data.get("parent"), data.get("from", 0)
    assert 2 <= data["seats"] <= 5
    game.seats = [TableSeat() for _ in range(data["seats"])]
    game.display = [None] * game.rules.display_size
    for seat, bonus in zip(game.seats, game.bonus, strict=True):
        seat.total = bonus


def _player_joined(game: GameTable, data: JsonObject) -> None:
    seat = game.seats[data["seat"]]
    seat.name, seat.bot = data["name"] or ERASED, data["bot"]


def _game_started(game: GameTable, data: JsonObject) -> None:
    rules = game.rules
    for seat, hand in zip(game.seats, data["hands"], strict=True):
        seat.hand = [None] * rules.hand_size if hand is None else list(hand)
    game.display = list(data["display"])
    dealt = rules.hand_size * len(game.seats) + rules.display_size
    game.draw_pile = len(rules.deck) + rules.reibachs - dealt


def _position_set(game: GameTable, data: JsonObject) -> None:
    if data["parent"] == game.parent:  # set in this game, not copied from the parent
        game.copied_until = 0
    game.draw_pile = pile_size(data, game.rules)
    lists = (data[name] for name in ("hands", "hand_sizes", "rows", "totals"))
    for seat, hand, size, rows, total in zip(game.seats, *lists, strict=True):
        seat.hand = [None] * size if hand is None else list(hand)
        seat.rows = [_make_row(row["businessmaker"], row["cards"]) for row in rows]
        seat.total = total
    game.display = list(data["display"])
    game.revealed = data["revealed"]
    game.rounds = [{"round": done["round"], "version": game.version, "seats": done["seats"]} for done in data["rounds"]]
    turn = data["turn"]
    game.turn, game.turn_seat, game.action_points = turn["number"], turn["seat"], turn["action_points"]


def _make_row(businessmaker: Card | None, cards: Sequence[Card]) -> TableRow:
    return TableRow(businessmaker, cards[0] if cards else None, list(cards), closed=RISK in cards)


def _turn_started(game: GameTable, data: JsonObject) -> None:
    game.turn, game.turn_seat, game.action_points = data["turn"], data["seat"], game.rules.action_points


def _card_taken(game: GameTable, data: JsonObject) -> None:
    game.action_points -= data["cost"]
    game.seats[data["seat"]].hand.append(data["card"])
    game.display[data["slot"]] = None


def _pile_drawn(game: GameTable, _data: JsonObject) -> None:
    game.action_points -= game.rules.cost_draw


def _leave_pile(game: GameTable) -> None:
    assert game.draw_pile
    game.draw_pile -= 1


def _card_drawn(game: GameTable, data: JsonObject) -> None:
    _leave_pile(game)
    game.seats[data["seat"]].hand.append(data["card"])


def _businessmaker_laid(game: GameTable, data: JsonObject) -> None:
    seat = game.seats[data["seat"]]
    assert data["row"] == len(seat.rows)
    game.action_points -= game.rules.cost_lay
    seat.remove_card(data["card"])
    seat.rows.append(TableRow(data["card"]))


def _card_appended(game: GameTable, data: JsonObject) -> None:
    seat, card = game.seats[data["seat"]], data["card"]
    game.action_points -= game.rules.cost_append
    seat.remove_card(card)
    row = seat.rows[data["row"]]
    row.cards.append(card)
    row.closed = card == RISK
    if card in BUSINESS_SET:
        row.business = card


def _display_refilled(game: GameTable, data: JsonObject) -> None:
    _leave_pile(game)
    game.display[data["slot"]] = data["card"]


def _reibach_revealed(game: GameTable, data: JsonObject) -> None:
    _leave_pile(game)
    game.revealed = data["count"]


def _scoring_started(game: GameTable, _data: JsonObject) -> None:
    game.scoring = True


def _round_scored(game: GameTable, data: JsonObject) -> None:
    game.rounds.append({"round": data["round"], "version": game.version, "seats": data["seats"]})
    for seat, total in zip(game.seats, data["totals"], strict=True):
        seat.total = total
    game.scoring = len(game.rounds) == len(game.rules.scoring_at)


def _action_points_forfeited(game: GameTable, data: JsonObject) -> None:
    game.action_points -= data["points"]


def _game_ended(game: GameTable, data: JsonObject) -> None:
    game.winners = data["winners"]


def _game_cancelled(game: GameTable, _data: JsonObject) -> None:
    game.winners = []


def _seat_replaced(game: GameTable, data: JsonObject) -> None:
    _set_away(game, data)
    if game.version > game.copied_until:
        game.seats[data["seat"]].name = data["name"] or ERASED


def _set_away(game: GameTable, data: JsonObject, away: str | None = None) -> None:
    """Note whether the seat's person is away; what was copied is about another person."""
    if game.version > game.copied_until:
        game.seats[data["seat"]].away = away


CHANGES: Final[dict[str, Callable[[GameTable, JsonObject], None]]] = {
    "GameCreated": _game_created,
    "PlayerJoined": _player_joined,
    "GameStarted": _game_started,
    "PositionSet": _position_set,
    "TurnStarted": _turn_started,
    "CardTaken": _card_taken,
    "PileDrawn": _pile_drawn,
    "CardDrawn": _card_drawn,
    "BusinessmakerLaid": _businessmaker_laid,
    "CardAppended": _card_appended,
    "DisplayRefilled": _display_refilled,
    "ReibachRevealed": _reibach_revealed,
    "ScoringStarted": _scoring_started,
    "RoundScored": _round_scored,
    "ActionPointsForfeited": _action_points_forfeited,
    "GameEnded": _game_ended,
    "SeatAbandoned": partial(_set_away, away="abandoned"),
    "SeatReclaimed": _set_away,
    "SeatReplaced": _seat_replaced,
    "PlayerResigned": partial(_set_away, away="resigned"),
    "GameCancelled": _game_cancelled,
}
"""By event type: what an event changes on the table; messages, consents and the clock change nothing there."""


def table_at(events: Sequence[JsonObject], version: int) -> GameTable:
    """The table at a version of a log that begins with the first event."""
    table = GameTable()
    for event in events[:version]:
        table.apply(event)
    return table

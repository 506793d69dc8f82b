"""What each event makes of a game.

Rule 1: evolve never refuses. An event has happened; one that can't have happened fails an assertion.
Rule 2: nothing is decided here. What an event changes follows from its fields and the game before it.
Rule 3: time comes from the log: the caller sets `game.at` before it applies an event.
Rule 4: the functions change the game that they are given, for speed; `evolve` gives them a copy.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from domain.cards import BUSINESS_SET, REIBACH, RISK, Card
from domain.clock.deadline import clock_from
from domain.clock.pace import Pace
from domain.events import EVENT_TABLE, Event, GameCreated, PositionSet, require_all, type_of
from domain.people.effects import EFFECTS_OF_PEOPLE
from domain.people.legality import begin_wait
from domain.rules import rules_of
from domain.state import Game, Row, ScoredRound, Seat


def _game_created(game: Game, event: GameCreated) -> None:
    assert game.version == 0
    game.id = event.game
    game.created = game.waiting_since = game.at
    game.rules = rules_of(event.rules, frozenset(name for name, on in event.variants.items() if on))
    game.variants = event.variants
    game.starting_seat = event.starting_seat
    game.listed = event.listed
    game.commitment = event.commitment
    game.server_seed = bytes.fromhex(event.server_seed)
    game.parent = event.parent
    game.copied_until = event.from_version or 0
    game.waits_in_copy = event.parent is not None
    game.pace = None if event.pace is None else Pace.from_json(event.pace)
    game.replaceable = bool(event.replaceable)
    game.name = event.name
    game.seats = [Seat(bank=game.pace.bank_seconds if game.pace else None) for _ in range(event.seats)]
    game.display = [None] * game.rules.display_size
    for seat, bonus in zip(game.seats, game.bonus, strict=True):
        seat.total = bonus


def _player_joined(  # noqa: PLR0913 - one parameter for each field of the event
    game: Game, seat: int, name: str, bot: str | None, entropy: str, salt: str | None = None
) -> None:
    place = game.seats[seat]
    assert place.name is None
    assert (salt is not None) == game.salted or all(other.name is None for other in game.seats)
    game.salted = salt is not None
    place.name, place.bot, place.entropy = name, bot, entropy
    if bot is not None:
        place.bank = None
    game.waiting_since = game.at


def _game_started(game: Game, hands: list[list[Card]], display: list[Card], draw_pile: list[Card]) -> None:
    assert not game.started
    for seat, hand in zip(game.seats, hands, strict=True):
        seat.hand = list(hand)
    game.display = list(display)
    game.draw_pile = tuple(draw_pile)


def _position_set(game: Game, event: PositionSet) -> None:
    assert not game.started
    for seat, hand, laid, total in zip(game.seats, event.hands, event.rows, event.totals, strict=True):
        seat.hand, seat.rows, seat.total = list(hand), [_make_row(**row) for row in laid], total
    game.position_of = event.parent
    if event.parent == game.parent:  # set in this game, not copied from the parent
        game.copied_until, game.waits_in_copy = 0, False
    game.display = list(event.display)
    game.draw_pile = tuple(event.draw_pile)
    game.revealed = event.revealed
    # They get the version of this event: `apply_event` counts it after this call.
    game.rounds = [ScoredRound(done["round"], game.version + 1, done["seats"]) for done in event.rounds]
    game.waiting_since = game.at
    game.turn, game.turn_seat = event.turn["number"], event.turn["seat"]
    game.action_points = event.turn["action_points"]
    game.turn_since = game.at
    game.turn_version = game.version + 1


def _make_row(businessmaker: Card, shown: bool, cards: list[Card]) -> Row:
    closed = cards[-1:] == [RISK]
    return Row(businessmaker, shown, cards[0] if cards else None, tuple(cards), len(cards) - closed, closed)


def _turn_started(game: Game, turn: int, seat: int) -> None:
    assert turn == game.turn + 1
    if game.turn and not game.timed_out and not game.seats[game.turn_seat].away:
        game.seats[game.turn_seat].timeouts = 0
    game.turn, game.turn_seat, game.action_points = turn, seat, game.rules.action_points
    game.waiting_since, game.turn_since = game.at, clock_from(game)
    game.turn_version = game.version + 1  # this event's own, as in `_round_scored`
    game.timed_out = game.interrupted = False
    game.pauses = ()
    # Ruling 7: every other player has had a turn since; from now on no player sees them.
    rows = game.seats[seat].rows
    for index, row in enumerate(rows):
        if row.shown:
            rows[index] = row._replace(shown=False)


def _card_taken(game: Game, seat: int, slot: int, card: Card, cost: int) -> None:
    assert game.display[slot] == card
    game.action_points -= cost
    begin_wait(game)
    game.seats[seat].hand.append(card)
    game.display[slot] = None
    game.waiting_slot = slot


def _pile_drawn(game: Game, seat: int) -> None:
    assert seat == game.turn_seat
    game.action_points -= game.rules.cost_draw
    begin_wait(game)
    game.waiting_draw = True


def _leave_pile(game: Game, card: Card) -> None:
    assert game.draw_pile[game.drawn] == card
    game.drawn += 1


def _card_drawn(game: Game, seat: int, card: Card) -> None:
    _leave_pile(game, card)
    game.seats[seat].hand.append(card)
    game.waiting_draw = False


def _businessmaker_laid(game: Game, seat: int, row: int, card: Card) -> None:
    place = game.seats[seat]
    assert row == len(place.rows)
    game.action_points -= game.rules.cost_lay
    begin_wait(game)
    place.hand.remove(card)
    place.rows.append(Row(card, shown=True))


def _card_appended(game: Game, seat: int, row: int, card: Card) -> None:
    place = game.seats[seat]
    game.action_points -= game.rules.cost_append
    begin_wait(game)
    place.hand.remove(card)
    businessmaker, shown, business, cards, length, closed = place.rows[row]
    assert not closed
    if card in BUSINESS_SET:
        business = card
    is_risk = card == RISK
    place.rows[row] = Row(businessmaker, shown, business, (*cards, card), length + (not is_risk), is_risk)


def _display_refilled(game: Game, slot: int, card: Card) -> None:
    _leave_pile(game, card)
    game.display[slot] = card
    game.waiting_slot = None


def _reibach_revealed(game: Game, count: int) -> None:
    _leave_pile(game, REIBACH)
    game.revealed += 1
    assert count == game.revealed


def _scoring_started(game: Game, round: int) -> None:  # noqa: A002 - the event's own field
    assert round == len(game.rounds) + 1
    game.scoring = round
    game.interrupted = True
    game.waiting_since = game.at


def _round_scored(game: Game, round: int, seats: list[dict[str, Any]], totals: list[int]) -> None:  # noqa: A002
    assert round == game.scoring
    # The next version is that of this event: `apply_event` counts it after this call.
    game.rounds.append(ScoredRound(round, game.version + 1, seats))
    for seat, total in zip(game.seats, totals, strict=True):
        seat.total = total
    game.waiting_since = game.at
    if round < len(game.rules.scoring_at):
        game.scoring = None


def _action_points_forfeited(game: Game, seat: int, points: int) -> None:
    assert seat == game.turn_seat
    game.action_points -= points


def _game_ended(game: Game, totals: list[int], winners: list[int]) -> None:
    assert totals == [seat.total for seat in game.seats]
    game.winners = winners
    # As in `_round_scored`: this event's own version.
    game.end = game.version + 1
    game.scoring = None


EFFECTS: Final[dict[str, Callable[..., None]]] = {
    "GameCreated": lambda game, *values, **optional: _game_created(game, GameCreated(*values, **optional)),
    "PlayerJoined": _player_joined,
    "GameStarted": _game_started,
    "PositionSet": lambda game, *values: _position_set(game, PositionSet(*values)),
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
    **EFFECTS_OF_PEOPLE,
}
"""By event type: what it changes. Called with the game and the event's fields in their order."""
require_all("EFFECTS", EFFECTS, EVENT_TABLE)


def apply_event(game: Game, event: Event) -> None:
    """Apply one event, which happened at `game.at`, to a game that nothing else refers to."""
    EFFECTS[type_of(event)](game, *event)
    game.version += 1


def evolve(game: Game, events: Iterable[Event], at: int | None = None) -> Game:
    """The game after `events`, as a copy; `at`: their time in ms since 1970, None: that of the event before them."""
    after = game.copy()
    if at is not None:
        after.at = at
    for event in events:
        apply_event(after, event)
    return after

"""Which events a command causes, or why it is refused.

Rule 1: pure. The same command on the same game gives the same events; seed and entropy come in with the command.
Rule 2: a refused command changes nothing. The only exception raised is `Refused`.
Rule 3: what is legal is asked of the guards here, by `decide` and by `legal_actions` alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from domain.cards import BUSINESS_SET, MULTITALENT, REIBACH, RISK, SPECIALS, Card, in_canonical_order
from domain.commands import (
    Act,
    Action,
    Append,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    GoOn,
    JoinGame,
    LayBusinessmaker,
    SeatPlan,
    Take,
)
from domain.events import (
    ActionPointsForfeited,
    BusinessmakerLaid,
    CardAppended,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    Event,
    GameCreated,
    GameEnded,
    GameStarted,
    PileDrawn,
    PlayerJoined,
    ReibachRevealed,
    RoundScored,
    ScoringStarted,
    TurnStarted,
)
from domain.evolve import happen
from domain.fairness import commitment_to, deal
from domain.refusals import Reason, Refused
from domain.rules import VARIANTS
from domain.scoring import score, winners_of
from domain.state import Game, Row, Seat


@dataclass(slots=True)
class Decision:
    """What a command makes of a game: the events it causes, and a copy of the game that has lived through them."""

    game: Game
    events: list[Event] = field(default_factory=list)
    applied: int = 0
    """How many of an `Act`'s actions were carried out."""
    refusal: Refused | None = None
    """Why the next of them was not."""

    def happen(self, event: Event) -> None:
        """Add one event."""
        happen(self.game, event)
        self.events.append(event)


def decide(command: Command, game: Game) -> Decision:
    """The events that `command` causes. Raises Refused; `game` stays as it is."""
    decision = Decision(game.copy())
    add_to(decision, command)
    return decision


def add_to(decision: Decision, command: Command) -> None:
    """Let `command` cause its events on a decision's own game. Raises Refused; earlier actions of an `Act` stay."""
    match command:
        case CreateGame():
            _create(decision, command)
        case JoinGame():
            _join(decision, command)
        case Act():
            _act(decision, command)
        case CompleteScoring():
            _complete_scoring(decision, command)
        case GoOn():
            _go_on_from_anywhere(decision)
        case _ as never:
            assert_never(never)


def _create(decision: Decision, command: CreateGame) -> None:
    decision.happen(
        GameCreated(
            game=command.game,
            rules=command.rules,
            seats=len(command.seats),
            variants={name: name in command.variants for name in VARIANTS},
            starting_seat=command.starting_seat,
            listed=command.listed,
            commitment=commitment_to(command.server_seed),
            server_seed=command.server_seed.hex(),
            parent=command.parent,
            from_version=command.from_version,
        )
    )
    for seat, plan in enumerate(command.seats):
        if joined := seated(seat, plan):
            decision.happen(joined)
    if command.position:
        decision.happen(command.position)
    else:
        _start_if_full(decision)


def seated(seat: int, plan: SeatPlan) -> PlayerJoined | None:
    """What tells that the seat is taken as planned; None where it stays open."""
    name = plan.name if plan.bot is None else plan.bot
    return None if name is None else PlayerJoined(seat, name, plan.bot, plan.entropy)


def _join(decision: Decision, command: JoinGame) -> None:
    seat = next((index for index, place in enumerate(decision.game.seats) if place.name is None), None)
    if seat is None:
        raise Refused(Reason.NO_OPEN_SEAT, "Every seat of this game is taken.")
    joined = seated(seat, SeatPlan(name=command.name, bot=command.bot, entropy=command.entropy))
    assert joined is not None
    decision.happen(joined)
    _start_if_full(decision)


def _start_if_full(decision: Decision) -> None:
    game = decision.game
    entropies = [seat.entropy for seat in game.seats if seat.entropy is not None]
    if len(entropies) < len(game.seats):
        return
    cards = deal(game.rules, game.server_seed, entropies)
    decision.happen(GameStarted(cards.hands, cards.display, cards.draw_pile))
    decision.happen(TurnStarted(1, game.starting_seat))


def refuse_by_state(game: Game, seat: int) -> None:
    """Raise Refused where nobody, or not this seat, may act now."""
    refuse_unless_playing(game)
    if game.turn_seat != seat:
        raise Refused(Reason.NOT_YOUR_TURN, f"It is seat {game.turn_seat}'s turn.")


def refuse_unless_playing(game: Game) -> None:
    """Raise Refused where nobody may act now."""
    if not game.started:
        raise Refused(Reason.GAME_NOT_STARTED, "The game starts when every seat is taken.")
    if game.over:
        raise Refused(Reason.GAME_OVER, "The game is over.")
    if game.scoring is not None:
        raise Refused(Reason.SCORING_IN_PROGRESS, f"Scoring round {game.scoring} is being worked out.")


def _act(decision: Decision, command: Act) -> None:
    for action in command.actions:
        try:
            refuse_by_state(decision.game, command.seat)
            _refuse_by_rules(decision.game, command.seat, action)
        except Refused as refusal:
            if not decision.applied:
                raise
            decision.refusal = refusal
            return
        _carry_out(decision, command.seat, action)
        decision.applied += 1


def _carry_out(decision: Decision, seat: int, action: Action) -> None:
    game = decision.game
    match action:
        case Take(slot=slot):
            card = game.display[slot]
            assert card is not None
            decision.happen(CardTaken(seat, slot, card, _cost(game, action)))
        case Draw():
            decision.happen(PileDrawn(seat))
        case LayBusinessmaker(card=card):
            decision.happen(BusinessmakerLaid(seat, len(game.seats[seat].rows), card))
        case Append(card=card, row=row):
            decision.happen(CardAppended(seat, row, card))
        case _ as never:
            assert_never(never)
    _go_on(decision)


def _go_on(decision: Decision) -> None:
    """Complete what is pending, then see whether the turn is at its end."""
    game = decision.game
    while game.waiting_draw or game.waiting_slot is not None:
        card = game.draw_pile[game.drawn]
        if card == REIBACH:
            decision.happen(ReibachRevealed(game.revealed + 1))
            if game.revealed in game.rules.scoring_at:
                decision.happen(ScoringStarted(game.rules.scoring_at.index(game.revealed) + 1))
                return
        elif game.waiting_slot is not None:
            decision.happen(DisplayRefilled(game.waiting_slot, card))
        else:
            decision.happen(CardDrawn(game.turn_seat, card))
    if game.action_points and next(legal_actions(game, game.turn_seat), None) is None:
        decision.happen(ActionPointsForfeited(game.turn_seat, game.action_points))
    if not game.action_points:
        decision.happen(TurnStarted(game.turn + 1, (game.turn_seat + 1) % len(game.seats)))


def _complete_scoring(decision: Decision, command: CompleteScoring) -> None:
    game = decision.game
    if game.scoring != command.round:
        return  # scored already: a job may run more than once, and then nothing happens
    seats = score(game.rules, game.seats, command.round)
    totals = [place.total + scored["income"] for place, scored in zip(game.seats, seats, strict=True)]
    decision.happen(RoundScored(command.round, seats, totals))
    _go_on_from_anywhere(decision)


def _go_on_from_anywhere(decision: Decision) -> None:
    """Go on where the last event, whichever it was, left something to follow; not with a scoring round."""
    game = decision.game
    if not game.turn or game.over:
        return
    scored, due = len(game.rounds), game.rules.scoring_at
    if scored == len(due):
        totals = [place.total for place in game.seats]
        decision.happen(GameEnded(totals, winners_of(totals)))
    elif game.scoring is None:
        if game.revealed == due[scored]:
            decision.happen(ScoringStarted(scored + 1))
        else:
            _go_on(decision)


def legal_actions(game: Game, seat: int) -> Iterator[Action]:
    """Every action that the seat may take now, once each; none when it isn't its turn."""
    for action in _imaginable_actions(game, seat):
        try:
            refuse_by_state(game, seat)
            _refuse_by_rules(game, seat, action)
        except Refused:
            continue
        yield action


def _imaginable_actions(game: Game, seat: int) -> Iterator[Action]:
    yield Draw()
    for slot in range(game.rules.display_size):
        yield Take(slot=slot)
    place = game.seats[seat]
    cards = in_canonical_order(list(set(place.hand)))
    for card in cards:
        yield LayBusinessmaker(card=card)
    for row in range(len(place.rows)):
        for card in cards:
            yield Append(card=card, row=row)


def _cost(game: Game, action: Action) -> int:
    rules = game.rules
    match action:
        case Take(slot=slot):
            return rules.cost_take_special if game.display[slot] in SPECIALS else rules.cost_take
        case Draw():
            return rules.cost_draw
        case LayBusinessmaker():
            return rules.cost_lay
        case Append():
            return rules.cost_append
        case _ as never:
            assert_never(never)


def _refuse_by_rules(game: Game, seat: int, action: Action) -> None:
    """Raise Refused where the rules forbid an action to the seat whose turn it is."""
    cost = _cost(game, action)
    if cost > game.action_points:
        raise Refused(
            Reason.NOT_ENOUGH_ACTION_POINTS, f"This costs {cost} action points; {game.action_points} are left."
        )
    place = game.seats[seat]
    match action:
        case LayBusinessmaker(card=card):
            _refuse_card_not_in_hand(place, card)
            if len(place.rows) >= game.rules.max_businessmakers:
                raise Refused(
                    Reason.TOO_MANY_BUSINESSMAKERS, f"{len(place.rows)} businessmakers are laid; there can be no more."
                )
        case Append(card=card, row=row):
            _refuse_card_not_in_hand(place, card)
            if row >= len(place.rows):
                raise Refused(Reason.NO_SUCH_ROW, f"There is no row {row}; {len(place.rows)} are laid.")
            _refuse_card_on_row(place, card, place.rows[row])


def _refuse_card_not_in_hand(place: Seat, card: Card) -> None:
    if card not in place.hand:
        raise Refused(Reason.CARD_NOT_IN_HAND, f"There is no {card} card in your hand.")


def _refuse_card_on_row(place: Seat, card: Card, row: Row) -> None:
    if row.closed:
        raise Refused(Reason.ROW_CLOSED, "A risk card has closed this row.")
    if card in (MULTITALENT, RISK):
        if row.business is None:
            raise Refused(Reason.ROW_NEEDS_BUSINESS_FIRST, "The first card of a row must be a business card.")
        return
    assert card in BUSINESS_SET
    if row.business is None:
        if any(other.business == card for other in place.rows):
            raise Refused(Reason.BUSINESS_ALREADY_HAS_ROW, f"You have a row of {card} already.")
    elif row.business != card:
        raise Refused(Reason.WRONG_BUSINESS, f"This row is of {row.business}.")

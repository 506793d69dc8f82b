"""Which events a command causes, or why it is refused.

Rule 1: pure. The same command on the same game gives the same events; seed, entropy and time come in with the command.
Rule 2: a refused command changes nothing. The only exception raised is `Refused`.
Rule 3: the guards in `legality.py` say what is legal.
"""

from typing import assert_never

from domain.cards import REIBACH
from domain.commands import (
    Act,
    Action,
    Append,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    JoinGame,
    LayBusinessmaker,
    ResumePending,
    SeatPlan,
    Take,
)
from domain.decision import Decision
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
from domain.fairness.shuffle import commitment_to, deal
from domain.legality import check_action, has_legal_action, refuse_away, refuse_off_turn
from domain.people.decisions import decide_about_people, replace_person, settle_bank
from domain.people.events import SeatReclaimed, SeatsInvited
from domain.refusals import Refused
from domain.rules import RULES
from domain.scoring import score, winners_of
from domain.state import Game


def decide(command: Command, game: Game, now: int = 0) -> Decision:
    """The events that `command` causes. Raises Refused; `game` stays as it is.

    `now`: the time of the command, in milliseconds since 1970. No event happens before the one that precedes it: with a
    clock that is behind, the events get the time of the game's last event.
    """
    decision = Decision(game.copy(), at=max(now, game.at), now=now)
    decide_into(decision, command)
    return decision


def decide_into(decision: Decision, command: Command) -> None:
    """Record what `command` causes on the decision's own game. Raises Refused; earlier actions of an `Act` stay."""
    match command:
        case CreateGame():
            _create(decision, command)
        case JoinGame():
            _join(decision, command)
        case Act():
            _act(decision, command)
        case CompleteScoring():
            _complete_scoring(decision, command)
        case ResumePending():
            _resume(decision)
        case _:
            decide_about_people(decision, command)


def _create(decision: Decision, command: CreateGame) -> None:
    decision.record(
        GameCreated(
            game=command.game,
            rules=command.rules,
            seats=len(command.seats),
            variants={name: name in command.variants for name in RULES[command.rules].variants},
            starting_seat=command.starting_seat,
            listed=command.listed,
            commitment=commitment_to(command.server_seed),
            server_seed=command.server_seed.hex(),
            parent=command.parent,
            from_version=command.from_version,
            pace=None if command.pace is None else command.pace.to_json(),
            replaceable=command.replaceable or None,
            name=command.name,
        )
    )
    for seat, plan in enumerate(command.seats):
        if joined := make_joined(seat, plan):
            decision.record(joined)
    if command.position:
        decision.record(command.position)
    else:
        _start_if_full(decision)
    invited = [seat for seat, plan in enumerate(command.seats) if plan.is_invited]
    if invited and command.pace:
        decision.record(SeatsInvited(invited))


def make_joined(seat: int, plan: SeatPlan) -> PlayerJoined | None:
    """The event of a seat that is taken as planned; None where it stays open."""
    name = plan.name if plan.bot is None else plan.bot
    return None if name is None else PlayerJoined(seat, name, plan.bot, plan.entropy, plan.salt)


def _join(decision: Decision, command: JoinGame) -> None:
    seat = next((index for index, place in enumerate(decision.game.seats) if place.name is None), None)
    if seat is None:
        replace_person(decision, command)
        return
    is_old = not decision.game.salted and any(place.name is not None for place in decision.game.seats)
    salt = None if is_old else command.salt
    joined = make_joined(seat, SeatPlan(name=command.name, bot=command.bot, entropy=command.entropy, salt=salt))
    assert joined is not None
    decision.record(joined)
    _start_if_full(decision)


def _start_if_full(decision: Decision) -> None:
    game = decision.game
    entropies = [seat.entropy for seat in game.seats if seat.entropy is not None]
    if len(entropies) < len(game.seats):
        return
    decision.record(GameStarted(*deal(game.rules, game.server_seed, entropies)))
    decision.record(TurnStarted(1, game.starting_seat))


def _act(decision: Decision, command: Act) -> None:
    refuse_seat = refuse_off_turn if command.by_bot else refuse_away
    for action in command.actions:
        try:
            refuse_seat(decision.game, command.seat)
            cost = check_action(decision.game, command.seat, action)
        except Refused as refusal:
            if not decision.applied:
                raise
            decision.refusal = refusal
            return
        if not command.by_bot and decision.game.seats[command.seat].away:
            decision.record(SeatReclaimed(command.seat))
        decision.record(event_of(action, decision.game, command.seat, cost))
        _complete_pending(decision)
        decision.applied += 1


def event_of(action: Action, game: Game, seat: int, cost: int) -> Event:
    """What the action itself does, without what it causes."""
    match action:
        case Take(slot=slot):
            card = game.display[slot]
            assert card is not None
            return CardTaken(seat, slot, card, cost)
        case Draw():
            return PileDrawn(seat)
        case LayBusinessmaker(card=card):
            return BusinessmakerLaid(seat, len(game.seats[seat].rows), card)
        case Append(card=card, row=row):
            return CardAppended(seat, row, card)
        case _ as never:
            assert_never(never)


def _complete_pending(decision: Decision) -> None:
    """Complete a pending draw or refill, then end the turn if no action point or no legal action is left."""
    game = decision.game
    while game.waiting_draw or game.waiting_slot is not None:
        card = game.draw_pile[game.drawn]
        if card == REIBACH:
            decision.record(ReibachRevealed(game.revealed + 1))
            if game.revealed in game.rules.scoring_at:
                decision.record(ScoringStarted(game.rules.scoring_at.index(game.revealed) + 1))
                return
        elif game.waiting_slot is not None:
            decision.record(DisplayRefilled(game.waiting_slot, card))
        else:
            decision.record(CardDrawn(game.turn_seat, card))
    if game.action_points and not has_legal_action(game, game.turn_seat):
        decision.record(ActionPointsForfeited(game.turn_seat, game.action_points))
    if not game.action_points:
        settle_bank(decision)
        decision.record(TurnStarted(game.turn + 1, (game.turn_seat + 1) % len(game.seats)))


def _complete_scoring(decision: Decision, command: CompleteScoring) -> None:
    game = decision.game
    if game.scoring != command.round:
        return  # scored already: a job may run more than once, and changes nothing then
    seats = score(game.rules, game.seats, command.round)
    totals = [place.total + scored["income"] for place, scored in zip(game.seats, seats, strict=True)]
    decision.record(RoundScored(command.round, seats, totals))
    _resume(decision)


def _resume(decision: Decision) -> None:
    """Record what must follow the last event, whichever it was, except the result of a scoring round."""
    game = decision.game
    if not game.turn or game.over:
        return
    scored, due = len(game.rounds), game.rules.scoring_at
    if scored == len(due):
        totals = [place.total for place in game.seats]
        decision.record(GameEnded(totals, winners_of(totals)))
    elif game.scoring is None:
        if game.revealed == due[scored]:
            decision.record(ScoringStarted(scored + 1))
        else:
            _complete_pending(decision)

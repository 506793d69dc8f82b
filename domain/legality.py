"""What is legal: the guards that `decide` and `legal_actions` share."""

from collections.abc import Iterator
from typing import assert_never

from domain.cards import BUSINESS_SET, MULTITALENT, RISK, SPECIALS, Card, in_canonical_order
from domain.clock.deadline import is_played_out
from domain.commands import (
    MOST_COPIED_BYTES,
    MOST_MESSAGE_BYTES,
    MOST_MESSAGES,
    Action,
    Append,
    Draw,
    LayBusinessmaker,
    Take,
    utf8_length,
)
from domain.refusals import Reason, Refused
from domain.state import Game, Seat


def check_action(game: Game, seat: int, action: Action) -> int:
    """The cost in action points of an action of the seat whose turn it is. Raises Refused where the rules forbid it."""
    cost = _cost_of(game, action)
    if cost > game.action_points:
        raise Refused(Reason.NOT_ENOUGH_ACTION_POINTS, cost=cost, left=game.action_points)
    place = game.seats[seat]
    match action:
        case LayBusinessmaker(card=card):
            _refuse_card_not_in_hand(place, card)
            if len(place.rows) >= game.rules.max_businessmakers:
                raise Refused(Reason.TOO_MANY_BUSINESSMAKERS, rows=len(place.rows))
        case Append(card=card, row=row):
            _refuse_card_not_in_hand(place, card)
            _refuse_missing_row(place, row)
            _refuse_card_on_row(place, card, row)
        case Take() | Draw():
            pass
        case _ as never:
            assert_never(never)
    return cost


def refuse_off_turn(game: Game, seat: int) -> None:
    """Raise Refused where no seat, or another seat, may act now. A bot may play for an absent person."""
    refuse_unless_playing(game)
    if game.turn_seat != seat:
        raise Refused(Reason.NOT_YOUR_TURN, seat=game.turn_seat, name=_name_of(game, game.turn_seat))


def _name_of(game: Game, seat: int) -> str:
    return game.seats[seat].name or f"#{seat + 1}"  # an erased name


def refuse_away(game: Game, seat: int) -> None:
    """Raise Refused where no seat may act now, another one may, or a bot plays this one in its person's place.

    An abandoned seat's person may act: the seat is reclaimed by it.
    """
    refuse_off_turn(game, seat)
    refuse_resigned(game, seat)
    if is_played_out(game):
        raise Refused(Reason.NOT_YOUR_TURN, case="timed-out")


def refuse_resigned(game: Game, seat: int) -> None:
    if game.seats[seat].away == "resigned":
        raise Refused(Reason.SEAT_RESIGNED)


def refuse_finished(game: Game) -> None:
    """Raise Refused where the game has not started, or is over."""
    if not game.started:
        raise Refused(Reason.GAME_NOT_STARTED)
    if game.winners == []:
        raise Refused(Reason.GAME_OVER, case="cancelled")
    if game.winners is not None:
        names = [_name_of(game, seat) for seat in game.winners]
        raise Refused(Reason.GAME_OVER, case="won" if len(names) == 1 else "shared", winners=names)


def refuse_unless_playing(game: Game) -> None:
    refuse_finished(game)
    if game.scoring is not None:
        raise Refused(Reason.SCORING_IN_PROGRESS, round=game.scoring)


def refuse_message(game: Game, text: str) -> None:
    """Raise Refused where the game has no room for the message: whatever a request makes grow has a limit."""
    if game.messages >= MOST_MESSAGES:
        raise Refused(Reason.TOO_MANY_MESSAGES, case="number", most=MOST_MESSAGES)
    if game.message_bytes + utf8_length(text) > MOST_MESSAGE_BYTES:
        left = MOST_MESSAGE_BYTES - game.message_bytes
        raise Refused(Reason.TOO_MANY_MESSAGES, case="bytes", most=MOST_MESSAGE_BYTES, left=left)


def refuse_copy(game: Game, version: int) -> None:
    """Raise Refused where no copy may begin with `game`, as it stood at `version`: it is over, or has much to copy."""
    if game.over:
        raise Refused(Reason.GAME_OVER, case="version", version=version)
    if game.message_bytes > MOST_COPIED_BYTES:
        raise Refused(Reason.TOO_MANY_MESSAGES, case="copy", most=MOST_COPIED_BYTES)


def open_actions(game: Game, seat: int) -> Iterator[Action]:
    """Every action that the seat's person may take now, once each; none while a bot plays in the person's place."""
    try:
        refuse_away(game, seat)
    except Refused:
        return
    yield from legal_actions(game, seat)


def legal_actions(game: Game, seat: int) -> Iterator[Action]:
    """Every action that the rules allow the seat now, once each, even if a bot plays it; none if it isn't its turn."""
    try:
        refuse_off_turn(game, seat)
    except Refused:
        return
    for action in _candidates(game, seat):
        try:
            check_action(game, seat, action)
        except Refused:
            continue
        yield action


def has_legal_action(game: Game, seat: int) -> bool:
    return next(legal_actions(game, seat), None) is not None


def _candidates(game: Game, seat: int) -> Iterator[Action]:
    if game.action_points >= game.rules.cost_draw:
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


def _cost_of(game: Game, action: Action) -> int:
    """Cost of an action in action points; the slot of a `Take` may be empty."""
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


def _refuse_card_not_in_hand(place: Seat, card: Card) -> None:
    if card not in place.hand:
        raise Refused(Reason.CARD_NOT_IN_HAND, card=card)


def _refuse_missing_row(place: Seat, row: int) -> None:
    rows = len(place.rows)
    if rows == 0:
        raise Refused(Reason.NO_SUCH_ROW, case="none")
    if row >= rows:
        raise Refused(Reason.NO_SUCH_ROW, case="one" if rows == 1 else "several", row=row, first=0, last=rows - 1)


def _refuse_card_on_row(place: Seat, card: Card, number: int) -> None:
    row = place.rows[number]
    if row.closed:
        raise Refused(Reason.ROW_CLOSED, row=number)
    if card in (MULTITALENT, RISK):
        if row.business is None:
            raise Refused(Reason.ROW_NEEDS_BUSINESS_FIRST, row=number)
        return
    assert card in BUSINESS_SET
    if row.business is None:
        for other, of_business in enumerate(place.rows):
            if of_business.business == card:
                case = "closed" if of_business.closed else "open"
                raise Refused(Reason.BUSINESS_ALREADY_HAS_ROW, case=case, card=card, row=other)
    elif row.business != card:
        raise Refused(Reason.WRONG_BUSINESS, row=number, business=row.business, card=card)

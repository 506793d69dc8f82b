"""Styles of play that lead to the rare clauses. A style sees the whole table, hidden cards too."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeAlias

from domain.bots import choose_action
from domain.cards import BUSINESS_SET, MULTITALENT, RISK, SPECIALS, Card
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.state import Game, Row

Style: TypeAlias = Callable[[Game, Sequence[Action], Random], Action]
"""(the game, the legal actions, chance) -> one of these actions."""


def _wanted(worth: Callable[[Game, Action], float]) -> Style:
    """The action worth most, chance deciding between equals."""

    def choose(game: Game, legal: Sequence[Action], chance: Random) -> Action:
        return max(legal, key=lambda action: (worth(game, action), chance.random()))

    return choose


def _card(game: Game, action: Action) -> Card | None:
    match action:
        case Take(slot=slot):
            return game.display[slot]
        case LayBusinessmaker(card=card) | Append(card=card):
            return card
    return None


def _row(game: Game, action: Append) -> Row:
    return game.seats[game.turn_seat].rows[action.row]


def _random(_game: Game, legal: Sequence[Action], chance: Random) -> Action:
    return chance.choice(legal)


def _by_kind(_game: Game, legal: Sequence[Action], chance: Random) -> Action:
    """First what to do, then with which card: a full hand doesn't drown the draw."""
    kind = chance.choice(sorted({type(action).__name__ for action in legal}))
    return chance.choice([action for action in legal if type(action).__name__ == kind])


def _greedy(game: Game, _legal: Sequence[Action], chance: Random) -> Action:
    return choose_action("greedy", game, chance)


def _hoard(_game: Game, action: Action) -> float:
    """Cards to the hand, and never one from it."""
    return 2 if isinstance(action, Draw) else isinstance(action, Take)


def _collect(_game: Game, action: Action) -> float:
    """The same from the display, so that all rounds come by refills."""
    return 2 if isinstance(action, Take) else isinstance(action, Draw)


def _pile_up(game: Game, action: Action) -> float:
    """Ten businessmakers first; then cards for them."""
    full = len(game.seats[game.turn_seat].rows) == game.rules.max_businessmakers
    match action:
        case LayBusinessmaker():
            return 3
        case Append():
            return 2 if full else 0
    return 1


def _build(game: Game, action: Action) -> float:
    """Long rows, with a businessmaker in reserve."""
    empty = any(row.business is None for row in game.seats[game.turn_seat].rows)
    match action:
        case Append(card=card):
            return -1 if card == RISK else 4 + _row(game, action).length
        case LayBusinessmaker():
            return -2 if empty else 3
    rows = {row.business for row in game.seats[game.turn_seat].rows if not row.closed}
    return 2 if _card(game, action) in rows else 1


def _double(game: Game, action: Action) -> float:
    """Risk cards on every row, jokers before them."""
    card = _card(game, action)
    empty = any(row.business is None for row in game.seats[game.turn_seat].rows)
    match action:
        case Append():
            return 5 if card in SPECIALS else 4
        case LayBusinessmaker():
            return -1 if empty or card in SPECIALS else 3
    return 2 if card in SPECIALS else 1


def _match(game: Game, action: Action) -> float:
    """Rows of one card in the businesses that most others have: ties."""
    card = _card(game, action)
    own = game.seats[game.turn_seat]
    mine = {row.business for row in own.rows}
    shared = sum(any(row.business == card for row in seat.rows) for seat in game.seats)
    empty = any(row.business is None for row in own.rows)
    match action:
        case Append():
            if card == RISK:
                row = _row(game, action)
                return 6 if sum(_has_single(seat.rows, row.business) for seat in game.seats) > 3 else -1
            return 5 + shared if _row(game, action).business is None else -5
        case LayBusinessmaker():
            return -3 if empty else 4 - (card in BUSINESS_SET - mine) - shared / 10
        case Take():
            return 2 + shared if card in BUSINESS_SET - mine - set(own.hand) else 2 * (card == RISK)
    return 1


def _has_single(rows: Sequence[Row], business: Card | None) -> bool:
    return any(row.business == business and row.length == 1 for row in rows)


def _strip(game: Game, action: Action) -> float:
    """An empty hand, and specials left on the display: the way to forfeited points."""
    card = _card(game, action)
    match action:
        case Append() | LayBusinessmaker():
            return 3 + isinstance(action, Append)
        case Take():
            return -1 if card in SPECIALS else 2
    return 1


def _clog(game: Game, action: Action) -> float:
    """Ten businessmakers, specials left on the display, and a hand that fits nowhere: forfeited points again."""
    card = _card(game, action)
    full = len(game.seats[game.turn_seat].rows) == game.rules.max_businessmakers
    match action:
        case LayBusinessmaker():
            return 1 if card in SPECIALS else 4
        case Take():
            return -1 if card in SPECIALS else 2
        case Append():
            return (3 if card in SPECIALS else 2.5) if full else -2
    return 0


def _jest(game: Game, action: Action) -> float:
    """Jokers, as many on a row as there are."""
    card = _card(game, action)
    match action:
        case Append():
            return 5 if card == MULTITALENT else 3 - 2 * (card == RISK)
        case LayBusinessmaker():
            return 2 - 3 * (card == MULTITALENT)
    return 4 if card == MULTITALENT else 1


STYLES: Final[dict[str, Style]] = {
    "random": _random,
    "by-kind": _by_kind,
    "greedy": _greedy,
    "hoard": _wanted(_hoard),
    "collect": _wanted(_collect),
    "pile-up": _wanted(_pile_up),
    "build": _wanted(_build),
    "double": _wanted(_double),
    "match": _wanted(_match),
    "strip": _wanted(_strip),
    "clog": _wanted(_clog),
    "jest": _wanted(_jest),
}

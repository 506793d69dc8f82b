"""What the recorded games must show: the name of every clause, and how a game shows it."""

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Final, TypeAlias

from domain.cards import BUSINESS_SET, BUSINESSES, MULTITALENT, REIBACH, RISK, SPECIALS
from domain.commands import Act, JoinGame, LayBusinessmaker
from domain.events import (
    ActionPointsForfeited,
    BusinessmakerLaid,
    CardAppended,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    GameEnded,
    GameStarted,
    ReibachRevealed,
    RoundScored,
    TurnStarted,
)
from domain.refusals import Reason
from domain.rules import VARIANTS
from domain.state import Game
from tests.games.clauses_of_scoring import SCORING
from tests.games.played import Moment, Played

Clause: TypeAlias = Callable[[Played], bool]
TABLES: Final = [
    (players, frozenset(variants))
    for players in (2, 3, 4, 5)
    for count in range(len(VARIANTS) + 1)
    for variants in combinations(VARIANTS, count)
]


def _table(players: int, variants: frozenset[str]) -> Clause:
    return lambda played: len(played.game.seats) == players and set(played.recorded.variants) == variants


def _deal(players: int) -> Clause:
    """Four cards each, three open, 97 - 4n + 10 in the pile."""
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, GameStarted)
            and [len(hand) for hand in moment.event.hands] == [4] * players
            and (len(moment.event.display), len(moment.event.draw_pile)) == (3, 107 - 4 * players)
        )
    )


def _starts(seat: int) -> Clause:
    return lambda played: played.any(lambda moment: moment.event == TurnStarted(1, seat))


def _bots(*names: str) -> Clause:
    return lambda played: sorted(seat.bot or "" for seat in played.game.seats) == sorted(names)


SEATS: Final[dict[str, Clause]] = {
    **{f"{players} players, {' and '.join(sorted(on)) or 'no variant'}": _table(players, on) for players, on in TABLES},
    **{f"the deal for {players}": _deal(players) for players in (2, 3, 4, 5)},
    **{f"seat {seat} starts": _starts(seat) for seat in range(5)},
    **{
        f"{players} players, another seat than 0 starts": (
            lambda played, players=players: len(played.game.seats) == players and played.game.starting_seat > 0
        )
        for players in (2, 3, 4, 5)
    },
    "seats are joined one by one": lambda played: sum(isinstance(step.command, JoinGame) for step in played.steps) > 1,
    "a person joins a table of bots": lambda played: (
        played.game.seats[-1].bot is not None
        and any(isinstance(step.command, JoinGame) and not step.refusal for step in played.steps)
    ),
    "a seat without entropy": lambda played: any(not seat.entropy and not seat.bot for seat in played.game.seats),
    "greedy against greedy": _bots("greedy", "greedy"),
    "greedy against random": _bots("greedy", "random"),
    "five bots": lambda played: all(seat.bot for seat in played.game.seats) and len(played.game.seats) == 5,
}


# Actions


def _laid(moment: Moment, *cards: str) -> bool:
    return isinstance(moment.event, BusinessmakerLaid) and moment.event.card in cards


def _appended(test: Callable[[CardAppended, Moment], object]) -> Clause:
    return lambda played: played.any(
        lambda moment: isinstance(moment.event, CardAppended) and test(moment.event, moment)
    )


def _under(event: CardAppended, moment: Moment) -> tuple[str, int, int]:
    """Businessmaker, length and multitalents of the row that the card came to."""
    row = moment.before.seats[event.seat].rows[event.row]
    return row.businessmaker, row.length, row.cards.count(MULTITALENT)


def _ten(moment: Moment) -> bool:
    return isinstance(moment.event, BusinessmakerLaid) and moment.event.row == 9


def _own_rows(moment: Moment) -> list[tuple[bool, bool]]:
    """Of the seat that lays or appends: whether each row is empty, whether it is closed."""
    assert isinstance(moment.event, BusinessmakerLaid | CardAppended)
    return [(row.business is None, row.closed) for row in moment.after.seats[moment.event.seat].rows]


def _whole_turn(played: Played) -> bool:
    return any(
        isinstance(step.command, Act) and len(step.command.actions) == 3 and not step.refusal for step in played.steps
    )


def _stopped(played: Played, reason: str) -> bool:
    return any(isinstance(step.command, Act) and step.events and step.refusal == reason for step in played.steps)


ACTIONS: Final[dict[str, Clause]] = {
    "take, refilled at once": lambda played: any(
        isinstance(one.event, CardTaken) and isinstance(two.event, DisplayRefilled)
        for one, two in pairwise(played.moments)
    ),
    "draw": lambda played: played.any(lambda moment: isinstance(moment.event, CardDrawn)),
    "lay a business card": lambda played: played.any(lambda moment: _laid(moment, *BUSINESSES)),
    "lay a multitalent": lambda played: played.any(lambda moment: _laid(moment, MULTITALENT)),
    "lay a risk card": lambda played: played.any(lambda moment: _laid(moment, RISK)),
    "a row of its businessmaker's business": _appended(lambda event, moment: event.card == _under(event, moment)[0]),
    "a row of another business": _appended(
        lambda event, moment: event.card in BUSINESS_SET and event.card != _under(event, moment)[0]
    ),
    "a multitalent on a row": _appended(lambda event, _: event.card == MULTITALENT),
    "three multitalents on a row": _appended(
        lambda event, moment: event.card == MULTITALENT and _under(event, moment)[2] == 2
    ),
    "a business card after a multitalent": _appended(
        lambda event, moment: event.card in BUSINESS_SET and _under(event, moment)[2]
    ),
    "a risk card on one business card": _appended(
        lambda event, moment: event.card == RISK and _under(event, moment)[1] == 1
    ),
    "a risk card on a longer row": _appended(lambda event, moment: event.card == RISK and _under(event, moment)[1] > 2),
    "a risk card after a multitalent": _appended(lambda event, moment: event.card == RISK and _under(event, moment)[2]),
    "three empty businessmakers of a seat": lambda played: played.any(
        lambda moment: isinstance(moment.event, BusinessmakerLaid) and sum(empty for empty, _ in _own_rows(moment)) == 3
    ),
    "ten businessmakers": lambda played: played.any(_ten),
    "ten businessmakers, empty and closed ones among them": lambda played: played.any(
        lambda moment: (
            _ten(moment)
            and sum(empty for empty, _ in _own_rows(moment)) > 1
            and any(closed for _, closed in _own_rows(moment))
        )
    ),
    "appending with ten businessmakers": _appended(lambda _, moment: len(_own_rows(moment)) == 10),
    "a businessmaker is hidden from its owner's next turn on": lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, TurnStarted)
            and any(row.shown for row in moment.before.seats[moment.event.seat].rows)
        )
    ),
    "three actions in one request": _whole_turn,
    **{
        f"a request stops: {reason}": (lambda played, reason=reason: _stopped(played, reason))
        for reason in ("not-your-turn", "scoring-in-progress", "not-enough-action-points", "no-such-row")
    },
}


# Refusals


def _refused(reason: str, test: Callable[[Act, Played], object] = lambda _act, _played: True) -> Clause:
    return lambda played: any(
        step.refusal == reason and (not isinstance(step.command, Act) or test(step.command, played))
        for step in played.steps
    )


def _refused_card(reason: str, card: str) -> Clause:
    return _refused(reason, lambda act, _: getattr(act.actions[-1], "card", None) == card)


def _at_scoring(*, own: bool) -> Clause:
    return lambda played: any(
        step.refusal == "scoring-in-progress"
        and isinstance(step.command, Act)
        and (step.before.turn_seat == step.command.seat) is own
        and not step.events
        for step in played.steps
    )


def _closed_row_bars(played: Played) -> bool:
    for step in played.steps:
        if step.refusal == "business-already-has-row" and isinstance(step.command, Act):
            card = getattr(step.command.actions[-1], "card", None)
            if any(row.business == card and row.closed for row in step.after.seats[step.command.seat].rows):
                return True
    return False


def _dear_refused(played: Played) -> bool:
    return any(
        step.refusal == "not-enough-action-points"
        and isinstance(step.command, Act)
        and step.after.action_points == 1
        and step.after.display[getattr(step.command.actions[-1], "slot", 0)] in SPECIALS
        and hasattr(step.command.actions[-1], "slot")
        for step in played.steps
    )


REFUSALS: Final[dict[str, Clause]] = {
    **{f"refused: {reason}": _refused(str(reason)) for reason in Reason},
    **{f"refused: {card} first on a row": _refused_card("row-needs-business-first", card) for card in sorted(SPECIALS)},
    **{f"refused: {card} on a closed row": _refused_card("row-closed", card) for card in sorted(SPECIALS)},
    "refused: a Reibach card": _refused_card("card-not-in-hand", REIBACH),
    "refused: an eleventh businessmaker": _refused(
        "too-many-businessmakers", lambda act, _: isinstance(act.actions[-1], LayBusinessmaker)
    ),
    "refused: a second row, the first being closed": _closed_row_bars,
    "refused: an open special for the last action point": _dear_refused,
    "refused during scoring: the interrupted seat": _at_scoring(own=True),
    "refused during scoring: another seat": _at_scoring(own=False),
}


# Reibach cards


def _round_by(kind: str, number: int) -> Clause:
    return lambda played: any(kind == by and number in rounds for by, rounds in played.interruptions)


def _rounds_in_one(kind: str, *rounds: int) -> Clause:
    return lambda played: (kind, list(rounds)) in played.interruptions


def _goes_on(kind: type, *, spent: bool) -> Clause:
    """A refill or draw that is completed after scoring, with action points left or not."""
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, kind)
            and isinstance(moment.step.events[0], RoundScored)
            and (moment.before.action_points == 0) is spent
        )
    )


def _end_by(kind: str, test: Callable[[Moment, Game], object]) -> Clause:
    """The tenth Reibach card turned up in a refill or in a draw; asked are that moment and the game as it ended."""

    def shows(played: Played) -> bool:
        tenth = next(
            moment
            for moment in played.moments
            if isinstance(moment.event, ReibachRevealed) and moment.event.count == 10
        )
        return tenth.before.waiting_draw is (kind == "draw") and bool(test(tenth, played.game))

    return shows


def _several(played: Played) -> bool:
    """Two Reibach cards in one refill or draw without a scoring round."""
    return any(
        sum(isinstance(event, ReibachRevealed) for event in step.events) > 1 and step.after.scoring is None
        for step in played.steps
    )


REIBACHS: Final[dict[str, Clause]] = {
    **{f"round {number} by a {kind}": _round_by(kind, number) for number in (1, 2, 3) for kind in ("refill", "draw")},
    **{
        f"rounds {first} and {first + 1} in one {kind}": _rounds_in_one(kind, first, first + 1)
        for first in (1, 2)
        for kind in ("refill", "draw")
    },
    **{f"all three rounds in one {kind}": _rounds_in_one(kind, 1, 2, 3) for kind in ("refill", "draw")},
    "two Reibach cards in one refill or draw": _several,
    "a refill completed after scoring": _goes_on(DisplayRefilled, spent=False),
    "a draw completed after scoring": _goes_on(CardDrawn, spent=False),
    "a refill completed after scoring, the turn being spent": _goes_on(DisplayRefilled, spent=True),
    "a draw completed after scoring, the turn being spent": _goes_on(CardDrawn, spent=True),
    "the last refill leaves its slot empty": _end_by("refill", lambda _, game: game.display.count(None) == 1),
    "the card taken last is in hand and costs its million": _end_by(
        "refill", lambda _, game: game.rounds[-1].seats[game.turn_seat]["penalties"]["hand_cards"] < 0
    ),
    "the last draw gives no card": _end_by(
        "draw", lambda tenth, game: tenth.before.seats[game.turn_seat].hand == game.seats[game.turn_seat].hand
    ),
    "the last draw costs an empty hand nothing": _end_by("draw", lambda _, game: not game.seats[game.turn_seat].hand),
    "action points are lost at the end": lambda played: played.any(
        lambda moment: isinstance(moment.event, GameEnded) and moment.before.action_points > 0
    ),
}


# Variants and rulings


def _taken_special(cost: int) -> Clause:
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, CardTaken) and moment.event.card in SPECIALS and moment.event.cost == cost
        )
    )


def _forfeited(*, full: bool) -> Clause:
    """Ruling 5: with an empty hand, or with ten businessmakers and cards that fit nowhere."""
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, ActionPointsForfeited)
            and bool(moment.before.seats[moment.event.seat].hand) is full
        )
    )


def _bonus(played: Played) -> list[int]:
    return played.game.bonus


VARIANT_RULES: Final[dict[str, Clause]] = {
    "an open special for one action point": _taken_special(1),
    "an open special for two action points": _taken_special(2),
    "a special drawn unseen, specials being expensive": lambda played: (
        "expensive_specials" in played.recorded.variants
        and played.any(lambda moment: isinstance(moment.event, CardDrawn) and moment.event.card in SPECIALS)
    ),
    "forfeit with an empty hand": _forfeited(full=False),
    "forfeit with ten businessmakers": _forfeited(full=True),
    "staggered start from another seat than 0": lambda played: any(_bonus(played)) and played.game.starting_seat > 0,
    "the staggered start decides who wins": lambda played: (
        any(_bonus(played))
        and played.game.winners
        != [
            seat
            for seat, earned in enumerate(_earned(played))
            if earned == max(_earned(played))
        ]
    ),
}  # fmt: skip


def _earned(played: Played) -> list[int]:
    return [seat.total - bonus for seat, bonus in zip(played.game.seats, _bonus(played), strict=True)]


CLAUSES: Final[dict[str, Clause]] = SEATS | ACTIONS | REFUSALS | REIBACHS | SCORING | VARIANT_RULES
EXCUSED: Final = {
    "all three rounds in one refill": "wants seven Reibach cards in a row: one deal in 2.4 million",
    "all three rounds in one draw": "wants seven Reibach cards in a row: one deal in 2.4 million",
}
"""Clauses that no recorded game shows, with the reason."""


def shown_by(played: Played) -> set[str]:
    """The clauses that a game shows."""
    return {name for name, clause in CLAUSES.items() if clause(played)}

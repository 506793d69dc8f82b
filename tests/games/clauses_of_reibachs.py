"""The clauses of Reibach cards: what causes a scoring round, and how the game continues or ends."""

from collections.abc import Callable
from typing import Final

from domain.cards import SPECIALS
from domain.commands import CompleteScoring
from domain.events import CardDrawn, DisplayRefilled, GameEnded, ReibachRevealed, RoundScored
from domain.state import Game
from tests.games.played import Clause, Moment, Played


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
    "a scoring job that runs twice": lambda played: any(
        isinstance(step.command, CompleteScoring) and not step.events for step in played.steps
    ),
    "three specials on display": lambda played: played.any(lambda moment: set(moment.after.display) <= SPECIALS),
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

"""The clauses of refusals: every code, and the cases that share one."""

from collections.abc import Callable
from typing import Final

from domain.cards import REIBACH, SPECIALS
from domain.commands import Act, LayBusinessmaker
from domain.refusals import Reason
from tests.games.played import Clause, Played


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

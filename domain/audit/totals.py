"""The checks `scoring` and `projection`: rounds and totals computed again, and what a service serves of the game.

What follows the rules was scored anew when it was decided again, and is the same. A log whose play breaks the rules can
still be folded: its rounds are compared with the rows, and its totals with the incomes that it names itself.
"""

from dataclasses import dataclass, field
from typing import Any

from domain.audit.evidence import CANT_HAPPEN, Evidence, apply_record
from domain.audit.findings import Finding, Offence, Served, difference
from domain.audit.referee import Judgement
from domain.events import EventRecord, GameEnded, RoundScored
from domain.fairness.canonical import NOT_JSON
from domain.scoring import score, winners_of
from domain.state import Game
from domain.view import scores_of, view_of


def check_totals(last: int, evidence: Evidence, judgement: Judgement, served: Served | None) -> tuple[Finding, Finding]:
    """The checks `scoring` and `projection`; `last`: the log's version."""
    scored = "Rounds, totals and winners are what the rows give."
    added = "All totals are the sums of their incomes"
    is_whole = len(evidence.events) == last
    follows = judgement.offence is None and is_whole
    totals = Totals(judgement.game) if follows else add_up(evidence)
    possible = totals.complete and is_whole
    fault = totals.totals
    if fault is None and possible and served is not None and evidence.events:
        fault = _served_fault(served, totals.game, evidence.events[-1].get("hash"))
    added += "; the view and the scores as served follow from the log." if served and follows else "."
    return Finding("scoring", totals.scoring, scored, possible), Finding("projection", fault, added, possible)


@dataclass(slots=True)
class Totals:
    game: Game = field(default_factory=Game)
    """The fold of the log's events, up to the first that can't happen."""
    scoring: Offence | None = None
    """The first round, or end, that isn't what the rows give."""
    totals: Offence | None = None
    """The first event whose totals aren't the sums of the log's own incomes."""
    sums: list[int] = field(default_factory=list)
    """Each seat's income so far, by the log."""
    complete: bool = True
    """Whether all events could happen."""


def add_up(evidence: Evidence) -> Totals:
    """Compute rounds and totals of a log again, whether or not its play follows the rules."""
    totals = Totals()
    for index, event in enumerate(evidence.events):
        try:
            if event["type"] in ("RoundScored", "GameEnded"):
                _compare_amounts(totals, index + 1, event)
            apply_record(totals.game, evidence, index)
        except CANT_HAPPEN:
            totals.complete = False
            break
    return totals


def _compare_amounts(totals: Totals, version: int, event: EventRecord) -> None:
    """Compare a RoundScored or GameEnded with the rows before it, and with the log's own incomes."""
    game, data = totals.game, event["data"]
    if complaint := difference(_score_again(event["type"], game), event):
        totals.scoring = totals.scoring or Offence(version, complaint)
    if event["type"] == "RoundScored":
        before = totals.sums or [place.total for place in game.seats]
        totals.sums = [total + seat["income"] for total, seat in zip(before, data["seats"], strict=True)]
    if totals.sums != data["totals"]:
        totals.totals = totals.totals or Offence(version, f"totals {totals.sums}")


def _score_again(kind: str, game: Game) -> RoundScored | GameEnded:
    totals = [place.total for place in game.seats]
    if kind == "GameEnded":
        return GameEnded(totals, winners_of(totals))
    number = len(game.rounds) + 1
    seats = score(game.rules, game.seats, number)
    return RoundScored(number, seats, [total + seat["income"] for total, seat in zip(totals, seats, strict=True)])


def _served_fault(served: Served, game: Game, head_hash: Any) -> Offence | None:
    """What differs from the view and the scores that `game`, folded from the log, gives; None where nothing does."""
    try:
        views = {viewer: view_of(game, viewer, head_hash) for viewer in served.views}
        scores = scores_of(game)
        if not all(_holds(view, views[viewer]) for viewer, view in served.views.items()):
            return Offence(game.version, "the view that the events give")
        if not _holds(served.scores, scores):
            return Offence(game.version, "the scores that the events give")
    except (*NOT_JSON, LookupError, AttributeError):
        return Offence(game.version, "a game that can be served")
    return None


def _holds(served: Any, expected: Any) -> bool:
    """Whether all of `expected` is in `found`; a later release may serve members that are not known here."""
    if isinstance(expected, dict):
        return isinstance(served, dict) and all(
            name in served and _holds(served[name], value) for name, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(served, list | tuple)
            and len(served) == len(expected)
            and all(_holds(served_item, other) for served_item, other in zip(served, expected, strict=True))
        )
    return type(served) is type(expected) and bool(served == expected)

"""The checks `scoring` and `projection` of a log whose play breaks the rules: its rounds and totals, computed again."""

from dataclasses import dataclass, field

from domain.audit.chain import Offence, Offended
from domain.audit.compare import difference
from domain.audit.evidence import CANT_HAPPEN, Evidence, apply_record
from domain.events import EventRecord, GameEnded, RoundScored
from domain.scoring import score, winners_of
from domain.state import Game


@dataclass(slots=True)
class Totals:
    """The result of computing rounds and totals again."""

    game: Game = field(default_factory=Game)
    """As the log's events make it, as far as they can happen."""
    scoring: Offence | None = None
    """The first round, or end, that isn't what the rows give."""
    totals: Offence | None = None
    """The first event whose totals aren't the sums of the log's own incomes."""
    complete: bool = True
    """Whether all events could happen."""


def check_totals(evidence: Evidence) -> Totals:
    """Compute rounds and totals of a log again, whether or not its play follows the rules."""
    found = Totals()
    sums: list[int] = []
    for index, event in enumerate(evidence.events):
        try:
            if event["type"] == "RoundScored":
                sums = _check_round(found, index + 1, event, sums or [place.total for place in found.game.seats])
            elif event["type"] == "GameEnded":
                _check_end(found, index + 1, event, sums)
            apply_record(found.game, evidence, index)
        except (*CANT_HAPPEN, Offended):
            found.complete = False
            break
    return found


def _check_round(found: Totals, version: int, event: EventRecord, sums: list[int]) -> list[int]:
    """Check a RoundScored; `sums`: each seat's income so far, by the log. Returns them with this round's."""
    game, data = found.game, event["data"]
    number = len(game.rounds) + 1
    seats = score(game.rules, game.seats, number)
    totals = [place.total + one["income"] for place, one in zip(game.seats, seats, strict=True)]
    if expected := difference(RoundScored(number, seats, totals), event, redacted=False):
        found.scoring = found.scoring or Offence(version, expected)
    new_sums = [total + one["income"] for total, one in zip(sums, data["seats"], strict=True)]
    if new_sums != data["totals"]:
        found.totals = found.totals or Offence(version, f"totals {new_sums}")
    return new_sums


def _check_end(found: Totals, version: int, event: EventRecord, sums: list[int]) -> None:
    """Check a GameEnded; `sums`: each seat's income, by the log."""
    totals = [place.total for place in found.game.seats]
    if expected := difference(GameEnded(totals, winners_of(totals)), event, redacted=False):
        found.scoring = found.scoring or Offence(version, expected)
    if event["data"]["totals"] != sums:
        found.totals = found.totals or Offence(version, f"totals {sums}")

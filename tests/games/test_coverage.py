"""The recorded games show every clause, or the missing ones are named."""

from domain.refusals import Reason
from service.gamelog.codec import _REASONS
from tests.games.clauses import CLAUSES, EXCUSED, shown_by
from tests.games.played import Played
from tests.games.recorded import GAMES, read


def test_every_clause_is_shown() -> None:
    """Each clause is shown by a recorded game; an excused one has a reason and is indeed shown by none."""
    shown: set[str] = set()
    for path in GAMES.glob("*.jsonl"):
        for recorded in read(path):
            shown |= shown_by(Played.of(recorded))
    missing = sorted(CLAUSES.keys() - EXCUSED.keys() - shown)
    assert not missing, f"no recorded game shows: {missing}; python -m tests.games.record looks for some"
    assert not EXCUSED.keys() - CLAUSES.keys()
    assert not shown & EXCUSED.keys(), "these are shown and need no excuse"
    assert all(EXCUSED.values())


def test_clauses_name_every_refusal_and_every_reason_of_income() -> None:
    """A new code or line of the rules' table needs its recorded game."""
    assert {f"refused: {reason}" for reason in Reason} <= CLAUSES.keys()
    assert {f"{reason} in round {number}" for reason in _REASONS for number in (1, 2, 3)} <= CLAUSES.keys()

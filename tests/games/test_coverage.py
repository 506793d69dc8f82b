"""The recorded games show every clause, or the missing ones are named."""

import pytest

from domain.refusals import Reason
from domain.scoring import INCOME_REASONS
from tests.games.clauses import CLAUSES, EXCUSED, clauses_of
from tests.games.played import Played
from tests.games.recorded import COVER, GAMES, read


def test_every_clause_has_a_recorded_game() -> None:
    """Each clause is shown by one of the few games chosen for that, or is excused with a reason."""
    cover = COVER.read_text("utf-8").split()
    games = {recorded.game: recorded for path in GAMES.glob("*.jsonl") for recorded in read(path)}
    shown = set().union(*(clauses_of(Played.of(games[name])) for name in cover))
    missing = CLAUSES.keys() - EXCUSED.keys() - shown
    assert not missing, (
        f"no game of {COVER.name} shows: {sorted(missing)}; python -m tests.bench.tools.record_games looks for some"
    )
    assert not EXCUSED.keys() - CLAUSES.keys()
    assert all(EXCUSED.values())


@pytest.mark.nightly
def test_no_clause_is_excused_without_need() -> None:
    for recorded in (recorded for path in GAMES.glob("*.jsonl") for recorded in read(path)):
        assert not clauses_of(Played.of(recorded)) & EXCUSED.keys(), recorded.game


def test_clauses_name_every_refusal_and_every_reason_of_income() -> None:
    """A new code or line of the rules' table needs its recorded game."""
    assert {f"refused: {reason}" for reason in Reason} <= CLAUSES.keys()
    assert {f"{reason} in round {number}" for reason in INCOME_REASONS for number in (1, 2, 3)} <= CLAUSES.keys()

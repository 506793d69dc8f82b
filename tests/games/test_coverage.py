"""The recorded games show every clause, or the missing ones are named."""

from itertools import chain, zip_longest

import pytest

from domain.refusals import Reason
from domain.scoring import INCOME_REASONS
from tests.games.clauses import CLAUSES, EXCUSED, clauses_of
from tests.games.played import Played
from tests.games.recorded import GAMES, read


def test_every_clause_has_a_recorded_game() -> None:
    """Each clause is shown by a recorded game, or is excused with a reason."""
    missing = CLAUSES.keys() - EXCUSED.keys()
    # A game was recorded last because it shows what is rare: with those first, half of the games suffice.
    files = [reversed(read(path)) for path in sorted(GAMES.glob("*.jsonl"))]
    for recorded in filter(None, chain.from_iterable(zip_longest(*files))):
        missing -= clauses_of(Played.of(recorded))
        if not missing:
            break
    assert not missing, f"no recorded game shows: {sorted(missing)}; python -m tests.games.record looks for some"
    assert not EXCUSED.keys() - CLAUSES.keys()
    assert all(EXCUSED.values())


@pytest.mark.nightly
def test_no_clause_is_excused_without_need() -> None:
    """No recorded game shows an excused clause."""
    for recorded in (recorded for path in GAMES.glob("*.jsonl") for recorded in read(path)):
        assert not clauses_of(Played.of(recorded)) & EXCUSED.keys(), recorded.game


def test_clauses_name_every_refusal_and_every_reason_of_income() -> None:
    """A new code or line of the rules' table needs its recorded game."""
    assert {f"refused: {reason}" for reason in Reason} <= CLAUSES.keys()
    assert {f"{reason} in round {number}" for reason in INCOME_REASONS for number in (1, 2, 3)} <= CLAUSES.keys()

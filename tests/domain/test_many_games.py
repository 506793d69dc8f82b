"""2,000 whole games by random players: every number of players, each variant, both and none.

Every eighteenth of them is played in every run, the others once a day.
"""

import pytest

from domain.events import GameEnded, RoundScored, ScoringStarted
from tests.domain.invariants import check
from tests.support.play import fold, steps

PARTS = [range(7), pytest.param(range(7, 125), marks=pytest.mark.nightly)]
VARIANTS = {"plain": (), "dear": ("expensive_specials",), "staggered": ("staggered_start",)}
VARIANTS["both"] = ("expensive_specials", "staggered_start")


@pytest.mark.parametrize("part", PARTS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("variants", VARIANTS.values(), ids=VARIANTS)
def test_whole_games(players: int, variants: tuple[str, ...], part: range) -> None:
    """Each ends after three rounds, keeps its invariants after every command, and folds to where it ended."""
    for index in part:
        seed = f"many/{players}/{'+'.join(variants)}/{index}"
        events = []
        for _, decision in steps(players, seed, variants, starting_seat=index % players):
            check(decision.game)
            events += decision.events
        game = decision.game
        scored = [event for event in events if isinstance(event, RoundScored)]
        started = [event for event in events if isinstance(event, ScoringStarted)]
        ended = [event for event in events if isinstance(event, GameEnded)]
        assert [event.round for event in scored] == [event.round for event in started] == [1, 2, 3], seed
        assert [(event.totals, event.winners) for event in ended] == [
            ([seat.total for seat in game.seats], game.winners)
        ], seed
        assert events[-1] is ended[0], seed
        assert game.revealed == 10, seed
        assert fold(events) == game, seed

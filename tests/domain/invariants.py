"""What holds for every game at every version."""

from collections import Counter

from domain.rules import RULES
from domain.state import Game

ALL_CARDS = Counter(RULES["standard@1"].deck + RULES["standard@1"].reibach_cards)
assert ALL_CARDS.total() == 110


def check(game: Game) -> None:
    """All 110 cards are somewhere, points are within a turn's, rows are rows, totals are sums."""
    assert 0 <= game.action_points <= 3
    if not game.started:
        return
    assert _cards(game) == ALL_CARDS
    for seat, place in enumerate(game.seats):
        businesses = [row.business for row in place.rows if row.business]
        assert len(businesses) == len(set(businesses))
        assert len(place.rows) <= 10
        assert place.total == game.bonus[seat] + sum(scored.seats[seat]["income"] for scored in game.rounds)
        for row in place.rows:
            assert {card for card in row.cards if card not in {"multitalent", "risk"}} <= {row.business}
            assert "risk" not in row.cards[:-1]
            assert row.closed == (row.cards[-1:] == ("risk",))
            assert row.length == len(row.cards) - row.closed
            assert not row.cards or row.cards[0] == row.business


def _cards(game: Game) -> Counter[str]:
    found = Counter(game.draw_pile[game.drawn :])
    found.update(card for card in game.display if card)
    found["reibach"] += game.revealed
    for place in game.seats:
        found.update(place.hand)
        for row in place.rows:
            found.update([row.businessmaker, *row.cards])
    return found

"""The form of a position that a fork starts from: types, cards, counts and ranges.

That the parent stood so is compared with the parent's log, not guessed (`parent.py`).
"""

from typing import Final

from domain.audit.compare import same, whole_number
from domain.cards import BUSINESS_SET, HAND_CARDS, MULTITALENT, RISK
from domain.events import FIELDS
from domain.fairness.canonical import LARGEST, JsonObject
from domain.rules.standard import Rules
from domain.scoring import score
from domain.state import Game, Row, Seat

_CARDS: Final = frozenset(HAND_CARDS)


def check_position(data: JsonObject, game: Game) -> None:
    """Raise one of CANT_HAPPEN where this is no data of PositionSet.

    `data`: without null for hidden cards; `game`: the fork right before it.
    """
    rules, seats = game.rules, range(len(game.seats))
    assert data.keys() == set(FIELDS["PositionSet"])
    assert isinstance(data["parent"], str)
    assert whole_number(data["seat"]) in seats
    assert [whole_number(size) for size in data["hand_sizes"]] == [len(hand) for hand in data["hands"]]
    assert all(type(hand) is list and _CARDS.issuperset(hand) for hand in (*data["hands"], data["display"]))
    assert len(data["display"]) == rules.display_size
    assert len(data["rows"]) == len(data["hands"]) == len(data["totals"]) == len(seats)
    for rows in data["rows"]:
        _check_rows(rows, rules)
    _check_turn(data["turn"], game)
    _check_rounds(data, game)


def _check_turn(turn: JsonObject, game: Game) -> None:
    assert turn.keys() == {"number", "seat", "action_points"}
    assert 1 <= whole_number(turn["number"]) <= LARGEST
    assert whole_number(turn["seat"]) == (game.starting_seat + turn["number"] - 1) % len(game.seats)
    assert 1 <= whole_number(turn["action_points"]) <= game.rules.action_points


def _check_rows(rows: list[JsonObject], rules: Rules) -> None:
    assert len(rows) <= rules.max_businessmakers
    businesses = []
    for row in rows:
        assert row.keys() == {"businessmaker", "shown", "cards"}
        assert type(row["shown"]) is bool
        assert row["businessmaker"] in _CARDS
        assert type(row["cards"]) is list
        if row["cards"]:
            business, *more = row["cards"]
            assert business in BUSINESS_SET
            assert set(more[:-1]) <= {business, MULTITALENT}
            assert set(more[-1:]) <= {business, MULTITALENT, RISK}
            businesses.append(business)
    assert len(set(businesses)) == len(businesses)


def _check_rounds(data: JsonObject, game: Game) -> None:
    """Each round that is due is there, scored as its row lengths give it, and the totals are the sums."""
    rules = game.rules
    due = sum(whole_number(data["revealed"]) >= at for at in rules.scoring_at)
    assert len(data["rounds"]) == due < len(rules.scoring_at)
    totals = game.bonus
    for number, done in enumerate(data["rounds"], 1):
        assert done.keys() == {"round", "seats"}
        assert whole_number(done["round"]) == number
        places = [_seat_as_scored(one, rows) for one, rows in zip(done["seats"], data["rows"], strict=True)]
        scored = score(rules, places, number)
        assert same(done["seats"], scored)
        totals = [total + seat["income"] for total, seat in zip(totals, scored, strict=True)]
    assert same(data["totals"], totals)


def _seat_as_scored(scored: JsonObject, rows: list[JsonObject]) -> Seat:
    """A seat's rows at a scoring round: none longer than it is in the position, for rows never shrink."""
    now = {row["cards"][0]: row["cards"] for row in rows if row["cards"]}
    place = Seat()
    for business, line in scored["businesses"].items():
        length, doubled = whole_number(line["length"]), line["doubled"]
        assert type(doubled) is bool
        assert 1 <= length <= sum(card != RISK for card in now[business])
        assert doubled <= (RISK in now[business])
        place.rows.append(Row("", shown=False, business=business, length=length, closed=doubled))
    return place

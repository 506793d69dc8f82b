"""The audit's look at a position that a game starts from: whether a game can have come to it.

That one has, only the log of the parent could show.
"""

from domain.audit.origin import MOST
from domain.audit.totals import same
from domain.cards import BUSINESS_SET, HAND_CARDS, MULTITALENT, RISK
from domain.events import FIELDS, PositionSet
from domain.fairness.canonical import JsonObject
from domain.rules.standard import Rules
from domain.scoring import score
from domain.state import Row, Seat

_CARDS = frozenset(HAND_CARDS)


def position_in(data: JsonObject, rules: Rules, starting_seat: int) -> PositionSet:
    """The event, from data without null members. Raises one of many errors where no game can have come to it."""
    assert data.keys() == set(FIELDS["PositionSet"])
    seats = range(len(data["totals"]))
    assert isinstance(data["parent"], str)
    assert _whole(data["seat"]) in seats
    assert [_whole(size) for size in data["hand_sizes"]] == [len(hand) for hand in data["hands"]]
    assert all(type(hand) is list and _CARDS.issuperset(hand) for hand in (*data["hands"], data["display"]))
    assert len(data["display"]) == rules.display_size
    assert len(data["rows"]) == len(data["hands"]) == len(seats)
    for rows in data["rows"]:
        _check_rows(rows, rules)
    _check_turn(data["turn"], rules, starting_seat, len(seats))
    scored = sum(_whole(data["revealed"]) >= at for at in rules.scoring_at)
    assert len(data["rounds"]) == scored < len(rules.scoring_at)
    bonus = rules.bonuses(len(seats), starting_seat)
    for number, done in enumerate(data["rounds"], 1):
        assert done.keys() == {"round", "seats"}
        assert _whole(done["round"]) == number
        bonus = _after(bonus, done["seats"], data["rows"], rules, number)
    assert same(data["totals"], bonus)
    return PositionSet(**{name: data[name] for name in FIELDS["PositionSet"]})


def _whole(value: object) -> int:
    assert type(value) is int
    assert value >= 0
    return value


def _check_turn(turn: JsonObject, rules: Rules, starting_seat: int, seats: int) -> None:
    assert turn.keys() == {"number", "seat", "action_points"}
    assert 1 <= _whole(turn["number"]) <= MOST
    assert _whole(turn["seat"]) == (starting_seat + turn["number"] - 1) % seats
    assert 1 <= _whole(turn["action_points"]) <= rules.action_points


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


def _after(
    totals: list[int], told: list[JsonObject], rows: list[list[JsonObject]], rules: Rules, number: int
) -> list[int]:
    """The totals after a scored round, which must be what rows give that were not longer then than they are now."""
    places = []
    for seat, laid in zip(told, rows, strict=True):
        now = {row["cards"][0]: row["cards"] for row in laid if row["cards"]}
        place = Seat()
        for business, line in seat["businesses"].items():
            length, doubled = _whole(line["length"]), line["doubled"]
            assert type(doubled) is bool
            assert 1 <= length <= sum(card != RISK for card in now[business])
            assert doubled <= (RISK in now[business])
            place.rows.append(Row("", shown=False, business=business, length=length, closed=doubled))
        places.append(place)
    scored = score(rules, places, number)
    assert same(told, scored)
    return [total + seat["income"] for total, seat in zip(totals, scored, strict=True)]

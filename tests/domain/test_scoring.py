"""The scoring table of the rules, case by case, and whole rounds."""

import pytest

from domain.cards import BUSINESSES
from domain.scoring import score, winners_of
from tests.support.cases import cases
from tests.support.positions_as_text import given

# Lengths of one business by seat (- is no row), then income and reason of each.
AWARDS = cases(__file__, "awards")


def _cases(table: str) -> list[tuple[list[str], ...]]:
    lines = table.strip().splitlines()
    starts = [lines[0].index(word) for word in lines[0].split()]
    found = []
    for line in lines[1:]:
        text = line[4:]
        columns = [text[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
        found.append(tuple(column.split() for column in columns))
    return found


@pytest.mark.parametrize(("lengths", "incomes", "reasons"), _cases(AWARDS), ids=" ".join)
@pytest.mark.parametrize("doubled", [False, True], ids=["open", "doubled"])
def test_income_of_one_business(lengths: list[str], incomes: list[str], reasons: list[str], doubled: bool) -> None:
    """Each case of the scoring table, plain and with a risk card on every row."""
    risk = " risk" if doubled else ""
    game = given([""] * len(lengths), ["" if n == "-" else f"art/gold*{n}{risk}" for n in lengths])
    for seat, scored in enumerate(score(game.rules, game.seats, 1)):
        if lengths[seat] == "-":
            assert scored["businesses"] == {}
        else:
            expected = {
                "income": int(incomes[seat]) * (2 if doubled else 1),
                "reason": reasons[seat],
                "length": int(lengths[seat]),
                "doubled": doubled,
            }
            assert scored["businesses"] == {"gold": expected}


# Row lengths that fit the published incomes; `r` is a risk card on the row.
PUBLISHED = cases(__file__, "published")


def test_published_example() -> None:
    """Players A, B and C of the German rules earn 11, 12 and 13 in round 2."""
    laid: list[list[str]] = [[], [], []]
    for line in PUBLISHED.strip().splitlines():
        business, *lengths = line.split()
        for seat, length in enumerate(lengths):
            if length != "-":
                laid[seat].append(f"art/{business}*{length.rstrip('r')}{' risk' if 'r' in length else ''}")
    game = given(["gold*3", "", ""], [", ".join(rows) for rows in laid])
    scored = score(game.rules, game.seats, 2)
    assert [seat["income"] for seat in scored] == [11, 12, 13]
    assert {name: row["income"] for name, row in scored[0]["businesses"].items()} == {
        "property": 2,
        "gambling": 4,
        "antiques": 2,
        "oil": 3,
    }


def test_businesses_stand_in_canonical_order() -> None:
    """A seat lists the businesses it has a row of as the table of codes does."""
    game = given(["", ""], [", ".join(f"risk/{business}" for business in reversed(BUSINESSES))])
    assert tuple(score(game.rules, game.seats, 1)[0]["businesses"]) == BUSINESSES


@pytest.mark.parametrize(
    ("totals", "winners"), [([1, 2], [1]), ([5, 5, 4], [0, 1]), ([-3, -3], [0, 1]), ([0, -1], [0])]
)
def test_most_money_wins_and_a_tie_is_shared(totals: list[int], winners: list[int]) -> None:
    """Ruling 4."""
    assert winners_of(totals) == winners

"""What the next scoring round would bring if it came now."""

from dataclasses import replace

import pytest
from hypothesis import given as each
from hypothesis import strategies as st

from domain.cards import BUSINESSES
from domain.commands import CompleteScoring
from domain.events import Event, RoundScored, ScoringStarted, payload_of
from domain.evolve import evolve
from domain.projections.standings import score_now
from domain.state import Game, Row
from domain.view import view_of
from tests.domain.positions import positions
from tests.support.forks import fork_steps
from tests.support.play import play_until, steps
from tests.support.positions_as_text import given
from tests.support.standings import check_announced

ROWS = ("oil/gold*5, art/oil risk, gold/", "gold/gold*2 multitalent, oil/shares*2", "risk/gold, art/shares*2")


def test_each_business_has_its_race() -> None:
    """In the order of the sheet, the longest row first, tied ones by seat; empty businessmakers have no place."""
    now = score_now(given(["art*3", "", "oil"], ROWS))
    assert (now["version"], now["round"]) == (50, 1)
    told = [
        (
            race["business"],
            [(row["seat"], row["length"], row["reason"], row["income"], row["doubled"]) for row in race["rows"]],
        )
        for race in now["businesses"]
    ]
    assert told == [
        ("shares", [(1, 2, "shared_longest", 2, False), (2, 2, "shared_longest", 2, False)]),
        ("gold", [(0, 5, "longest", 3, False), (1, 3, "second", 1, False), (2, 1, "none", 0, False)]),
        ("oil", [(0, 1, "monopoly", 8, True)]),
    ]
    assert [(seat["income"], seat["total"]) for seat in now["seats"]] == [(11, 11), (3, 3), (2, 2)]
    assert not any(amount for seat in now["seats"] for amount in seat["penalties"].values())


def test_the_third_round_takes_off() -> None:
    """Empty businessmakers and cards in hand cost then, and `staggered_start` has given its bonus."""
    now = score_now(given(["art*3", "", "oil"], ROWS, revealed=7, variants=["staggered_start"]))
    assert now["round"] == 3
    assert now["seats"][0] == {
        "seat": 0, "penalties": {"empty_businessmakers": -2, "hand_cards": -3}, "income": 6, "total": 6
    }  # fmt: skip
    assert [seat["total"] for seat in now["seats"]] == [6, 1 + 3, 2 + 2 - 1]


@pytest.mark.parametrize("stage", ["open", "third round", "cancelled"])
def test_no_round_no_income(stage: str) -> None:
    """An open game has no rows yet; when no round can come any more, none is named and the totals stay."""
    game = given(["art", "oil"], ROWS[:2], revealed=10 if stage == "third round" else 0)
    game.winners = [] if stage == "cancelled" else None
    if stage == "open":
        game = replace(game, seats=[replace(seat, hand=[], rows=[]) for seat in game.seats])
    game.seats[1].total = 7
    now = score_now(game)
    assert (now["round"], now["businesses"]) == (1 if stage == "open" else None, [])
    nothing = {"empty_businessmakers": 0, "hand_cards": 0}
    assert now["seats"] == [
        {"seat": seat, "penalties": nothing, "income": 0, "total": total} for seat, total in enumerate((0, 7))
    ]


@each(positions())
def test_it_is_made_of_what_lies_open(position: tuple[Game, list[Event]]) -> None:
    """A spectator's view is enough to tell it: what the hands and businessmakers are changes nothing."""
    game, _ = position
    shown = view_of(game, None, "")
    seats = [
        replace(
            seat,
            hand=["risk"] * view["hand_size"],
            total=view["total"],
            rows=[
                Row("art", False, row["business"], row["cards"], row["length"], row["closed"]) for row in view["rows"]
            ],
        )
        for seat, view in zip(game.seats, shown["seats"], strict=True)
    ]
    assert score_now(replace(game, seats=seats, draw_pile=(), server_seed=b"")) == score_now(game)


@each(positions())
def test_it_has_every_row_once(position: tuple[Game, list[Event]]) -> None:
    """While a round can come: each row with a business, the longest first; the incomes add up."""
    game, _ = position
    now = score_now(game)
    if now["round"] is None:
        assert game.over
        return
    names = [race["business"] for race in now["businesses"]]
    assert names == [business for business in BUSINESSES if business in names]
    told = {
        (row["seat"], race["business"], row["length"], row["doubled"])
        for race in now["businesses"]
        for row in race["rows"]
    }
    rows = [(seat, row) for seat, place in enumerate(game.seats) for row in place.rows if row.business]
    assert told == {(seat, row.business, row.length, row.closed) for seat, row in rows}
    for race in now["businesses"]:
        assert race["rows"] == sorted(race["rows"], key=lambda row: (-row["length"], row["seat"]))
    for seat in now["seats"]:
        earned = sum(row["income"] for race in now["businesses"] for row in race["rows"] if row["seat"] == seat["seat"])
        assert seat["income"] == earned + sum(seat["penalties"].values())


@each(st.integers(2, 5), st.integers(0, 9999), st.sets(st.sampled_from(("expensive_specials", "staggered_start"))))
def test_it_is_the_round_that_comes(players: int, seed: int, variants: set[str]) -> None:
    """Right before a round is announced, and right before it is scored, it tells what the round then brings."""
    told = []
    before = Game()
    for command, decision in steps(players, f"standings {seed}", variants, talk=0.05):
        for index, event in enumerate(decision.events):
            if isinstance(event, ScoringStarted):
                told = [score_now(evolve(before, decision.events[:index])), score_now(decision.game)]
            elif isinstance(event, RoundScored):
                assert isinstance(command, CompleteScoring)
                for now in (*told, score_now(before)):
                    check_announced(now, payload_of(event))
        before = decision.game
    assert score_now(before)["round"] is None
    assert [seat["total"] for seat in score_now(before)["seats"]] == [seat.total for seat in before.seats]


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_forks_count_on(rounds: int) -> None:
    """In a fork of a running game the rounds before count, and each round that comes is what was told."""
    parent = next(
        game
        for commands in range(20, 400, 20)
        if len((game := play_until(3, "parent", commands, ("staggered_start",))[0]).rounds) == rounds
        and game.scoring is None
    )
    before = parent
    for _, decision in fork_steps(parent, 1, f"fork {rounds}"):
        for event in decision.events:
            if isinstance(event, RoundScored):
                check_announced(score_now(before), payload_of(event))
        if before is parent:
            assert score_now(decision.game)["round"] == rounds + 1
        before = decision.game
    assert len(before.rounds) == 3

"""What commands cause, step by step."""

from itertools import islice

import pytest

from domain.cards import BUSINESSES
from domain.commands import CompleteScoring, CreateGame, JoinGame, SeatPlan
from domain.decide import decide
from domain.decision import Decision
from domain.events import GameCreated, GameStarted, PlayerJoined, TurnStarted
from domain.legality import has_legal_action, legal_actions
from domain.rules import NEWEST
from domain.state import Game
from tests.support.cases import cases
from tests.support.play import numbered, steps
from tests.support.positions_as_text import events_as_text, given, when, when_scored


def test_full_table_starts_at_once() -> None:
    """Creation, a `PlayerJoined` per seat in seat order, the deal, the first turn."""
    seats = (SeatPlan(name="Anna", entropy="tulip"), SeatPlan(bot="greedy"))
    command = CreateGame(
        game="g",
        server_seed=bytes(32),
        seats=seats,
        variants=frozenset({"staggered_start"}),
        starting_seat=1,
        listed=True,
    )
    created, anna, bot, started, turn = decide(command, Game()).events
    assert isinstance(created, GameCreated)
    assert (created.seats, created.starting_seat, created.listed, created.rules) == (2, 1, True, NEWEST.name)
    assert created.variants == dict.fromkeys(NEWEST.variants, False) | {"staggered_start": True}
    assert created.server_seed == "00" * 32
    seated = PlayerJoined(0, "Anna", None, "tulip"), PlayerJoined(1, "greedy", "greedy", "")
    assert isinstance(started, GameStarted)
    assert numbered([anna, bot, turn]) == numbered([*seated, TurnStarted(1, 1)])


def test_open_seats_are_joined_lowest_first_and_the_last_one_starts_the_game() -> None:
    seats = (SeatPlan(), SeatPlan(bot="random"), SeatPlan())
    created = decide(CreateGame(game="g", server_seed=bytes(32), seats=seats), Game())
    assert (events_as_text(created.events)[1:], created.game.status) == (["PlayerJoined 1 random random "], "open")
    first = decide(JoinGame(name="Anna", entropy="tulip"), created.game)
    assert (events_as_text(first.events), first.game.status) == (["PlayerJoined 0 Anna None tulip"], "open")
    last = decide(JoinGame(name="Bert"), first.game)
    assert events_as_text(last.events)[0] == "PlayerJoined 2 Bert None "
    assert (events_as_text(last.events)[-1], last.game.status) == ("TurnStarted 1 0", "playing")


def _flow(decision: Decision) -> list[list[str]]:
    """The events of a command and of each scoring round that follows it at once."""
    flow = [events_as_text(decision.events)]
    while decision.game.scoring is not None:
        decision = when_scored(decision.game)
        flow.append(events_as_text(decision.events))
    return flow


FLOWS = cases(__file__, "flows")


@pytest.mark.parametrize(("action", "revealed", "pile", "points", "flow"), FLOWS.values(), ids=FLOWS)
def test_scoring_interrupts(action: str, revealed: int, pile: str, points: int, flow: list[list[str]]) -> None:
    """Rulings 1 and 2: a pending refill or draw continues after the round, except after the last one."""
    assert _flow(when(given(["", ""], revealed=revealed, pile=pile, points=points), 0, action)) == flow


def test_scoring_twice_scores_once() -> None:
    """A job that runs again, too late or for the wrong round makes nothing happen."""
    waiting = when(given(["", ""], revealed=3, pile="reibach art"), 0, "draw").game
    done = when_scored(waiting).game
    assert decide(CompleteScoring(round=1), done).events == []
    assert decide(CompleteScoring(round=2), waiting).events == []


CLOSED = ", ".join(f"art/{business} risk" for business in BUSINESSES if business != "gold")

# Seat 0 has two points before the action and one after it.
STUCK = cases(__file__, "stuck")


def _stuck_cases() -> list[list[str]]:
    cells = [[cell.strip() for cell in line.split("|")] for line in STUCK.strip().splitlines()[1:]]
    return [[cell.replace("CLOSED", CLOSED).strip("-") for cell in line] for line in cells]


@pytest.mark.parametrize(("hand", "laid", "action", "display", "forfeited"), _stuck_cases())
def test_stuck_turn_is_forfeited(hand: str, laid: str, action: str, display: str, forfeited: str) -> None:
    """Ruling 5: one point left and no legal action ends the turn; the action that leads there is legal."""
    game = given([hand, ""], [laid], display=display, points=2, variants=["expensive_specials"])
    caused = events_as_text(when(game, 0, action).events)[1:]
    assert caused == (["ActionPointsForfeited 0 1", "TurnStarted 8 1"] if forfeited == "yes" else [])


@pytest.mark.parametrize("variants", [(), ("expensive_specials",)])
@pytest.mark.parametrize("seats", [2, 5])
def test_a_legal_action_is_seen_without_looking_at_all(seats: int, variants: tuple[str, ...]) -> None:
    """In each third state of a game, for every seat, with more and fewer action points than it has there."""
    checked = {True: 0, False: 0}
    for _, decision in islice(steps(seats, f"legal {seats} {variants}", variants), 0, None, 3):
        for points in range(5):
            game = decision.game.copy()
            game.action_points = points
            for seat in range(seats):
                expected = bool(list(legal_actions(game, seat)))
                assert has_legal_action(game, seat) == expected
                checked[expected] += 1
    assert all(checked.values())

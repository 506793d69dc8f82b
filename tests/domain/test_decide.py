"""What commands cause, step by step."""

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
from tests.support.play import create, steps
from tests.support.positions_as_text import VERSION, events_as_text, given, when, when_scored


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
    assert anna == PlayerJoined(0, "Anna", None, "tulip")
    assert bot == PlayerJoined(1, "greedy", "greedy", "")
    assert isinstance(started, GameStarted)
    assert turn == TurnStarted(1, 1)


def test_open_seats_are_joined_lowest_first_and_the_last_one_starts_the_game() -> None:
    seats = (SeatPlan(), SeatPlan(bot="random"), SeatPlan())
    created = decide(CreateGame(game="g", server_seed=bytes(32), seats=seats), Game())
    assert (events_as_text(created.events)[1:], created.game.status) == (["PlayerJoined 1 random random "], "open")
    first = decide(JoinGame(name="Anna", entropy="tulip"), created.game)
    assert (events_as_text(first.events), first.game.status) == (["PlayerJoined 0 Anna None tulip"], "open")
    last = decide(JoinGame(name="Bert"), first.game)
    assert events_as_text(last.events)[0] == "PlayerJoined 2 Bert None "
    assert (events_as_text(last.events)[-1], last.game.status) == ("TurnStarted 1 0", "playing")


@pytest.mark.parametrize(
    ("action", "events", "points_left"),
    [
        ("take 1", ["CardTaken 0 1 oil 1", "DisplayRefilled 1 property"], 2),
        ("draw", ["PileDrawn 0", "CardDrawn 0 property"], 1),
        ("lay gold", ["BusinessmakerLaid 0 1 gold"], 2),
        ("append gold 0", ["CardAppended 0 0 gold"], 2),
    ],
)
def test_each_action_has_its_cost_and_events(action: str, events: list[str], points_left: int) -> None:
    """The costs of the rules' table; a slot is refilled at once."""
    decision = when(given(["gold", ""], ["art/"], display="shares oil risk", pile="property art*9"), 0, action)
    assert events_as_text(decision.events) == events
    assert (decision.game.action_points, decision.game.version) == (points_left, VERSION + len(events))


DEAR = ("expensive_specials",)


@pytest.mark.parametrize(
    ("variants", "card", "cost"), [((), "risk", 1), (DEAR, "gold", 1), (DEAR, "risk", 2), (DEAR, "multitalent", 2)]
)
def test_price_of_a_card(variants: tuple[str, ...], card: str, cost: int) -> None:
    """With `expensive_specials` an open multitalent or risk card costs two points; drawn unseen all cost two."""
    game = given(["", ""], display=f"{card} art art", pile=f"{card} art", variants=variants)
    taken = when(game, 0, "take 0")
    assert events_as_text(taken.events)[0] == f"CardTaken 0 0 {card} {cost}"
    assert (taken.game.action_points, when(game, 0, "draw").game.action_points) == (3 - cost, 1)


def test_spent_points_end_the_turn() -> None:
    """The next seat's turn starts with three points, after the last seat with the first."""
    decision = when(given(["", "", "gold"], seat=2, points=1), 2, "lay gold")
    assert events_as_text(decision.events) == ["BusinessmakerLaid 2 0 gold", "TurnStarted 8 0"]
    assert decision.game.action_points == 3


@pytest.mark.parametrize("starting_seat", [0, 1, 2])
def test_turns_go_round_from_the_starting_seat(starting_seat: int) -> None:
    """Ruling 6: seat order is turn order, and the host says who begins."""
    game = decide(create(3, "turns", starting_seat=starting_seat), Game()).game
    seen = []
    for _ in range(4):
        seen.append(game.turn_seat)
        game = when(game, game.turn_seat, f"lay {game.seats[game.turn_seat].hand[0]}", "draw").game
    assert seen == [(starting_seat + index) % 3 for index in range(4)]


def test_staggered_start_counts_from_the_starting_seat() -> None:
    """The first player has 0 million, the next 1, and so on, from the beginning and in the totals."""
    game = given([""] * 4, ["art/gold"], starting_seat=2, variants=["staggered_start"], revealed=3, pile="reibach art")
    assert game.bonus == [2, 3, 0, 1]
    assert [seat.total for seat in game.seats] == [2, 3, 0, 1]
    assert events_as_text(when_scored(when(game, 0, "draw").game).events)[0] == "RoundScored 1 [6, 3, 0, 1]"


def test_reibach_cards_are_replaced_at_once() -> None:
    """Below the thresholds nothing is interrupted, even by several in a row."""
    decision = when(given(["", ""], pile="reibach*3 oil"), 0, "take 2")
    assert events_as_text(decision.events) == [
        "CardTaken 0 2 shares 1",
        "ReibachRevealed 1",
        "ReibachRevealed 2",
        "ReibachRevealed 3",
        "DisplayRefilled 2 oil",
    ]


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


def test_slot_stays_empty_and_points_are_lost_at_the_end() -> None:
    """Ruling 2: the tenth Reibach card ends the game with the refill undone."""
    game = when_scored(when(given(["", ""], revealed=9, pile="reibach art"), 0, "take 1").game).game
    assert (game.display, game.status, game.winners) == (["shares", None, "shares"], "over", [1])
    assert list(legal_actions(game, 0)) == []


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


def test_no_seat_is_stuck_without_the_variant() -> None:
    """An open special costs one point in the printed game, so there is always something to take."""
    assert events_as_text(when(given(["gold", ""], display="risk risk risk", points=2), 0, "lay gold").events)[1:] == []


def test_stuck_after_an_interrupted_refill() -> None:
    """Whether the turn is stuck is asked when the refill is done, after the scoring round."""
    laid = f"{CLOSED}, art/gold risk"
    game = given(["", ""], [laid], display="risk*3", pile="reibach risk", revealed=3, variants=["expensive_specials"])
    first, then = _flow(when(game, 0, "take 0"))
    assert first[-1] == "ScoringStarted 1"
    assert then[1:] == ["DisplayRefilled 0 risk", "ActionPointsForfeited 0 1", "TurnStarted 8 1"]


def test_display_is_never_stuck_with_two_points() -> None:
    game = given(["gold", ""], display="risk*3", points=3, variants=["expensive_specials"])
    assert events_as_text(when(game, 0, "lay gold").events) == ["BusinessmakerLaid 0 0 gold"]


@pytest.mark.parametrize("variants", [(), ("expensive_specials",)])
@pytest.mark.parametrize("seats", [2, 5])
def test_a_legal_action_is_seen_without_looking_at_all(seats: int, variants: tuple[str, ...]) -> None:
    """In every state of a game, for every seat, with more and fewer action points than it has there."""
    checked = {True: 0, False: 0}
    for _, decision in steps(seats, f"legal {seats} {variants}", variants):
        for points in range(5):
            game = decision.game.copy()
            game.action_points = points
            for seat in range(seats):
                expected = bool(list(legal_actions(game, seat)))
                assert has_legal_action(game, seat) == expected
                checked[expected] += 1
    assert all(checked.values())

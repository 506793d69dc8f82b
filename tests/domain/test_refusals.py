"""Every reason to refuse, one case a line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from domain.commands import MOST_MESSAGES, Act, CreateGame, Draw, JoinGame, PostMessage, ReclaimSeat, Resign, SeatPlan
from domain.decide import decide
from domain.evolve import evolve
from domain.people.events import MessagePosted
from domain.refusals import Reason, Refused
from domain.state import Game
from domain.words.catalogue import LANGUAGES
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import sentence_of
from tests.support.cases import cases
from tests.support.play import play_game
from tests.support.positions_as_text import given, when

TEN = ", ".join(["art/"] * 10)

CASES = [[cell.strip() for cell in line.split("|")] for line in cases(__file__, "cases").splitlines()[1:]]


def _refusal(call: Callable[[], object]) -> str:
    try:
        call()
    except Refused as refused:
        for language in LANGUAGES:
            phrase_refusal(sentence_of(refused), language)  # each refusal has its sentence in each language
        return str(refused.reason)
    return "-"


@pytest.mark.parametrize(("points", "hand", "rows", "action", "refusal"), CASES, ids=" | ".join)
def test_rules_refuse(points: str, hand: str, rows: str, action: str, refusal: str) -> None:
    """What the rules allow happens, what they forbid is refused for the reason in the last column."""
    game = given([hand, "oil"], [rows.replace("TEN", TEN)], points=int(points), display="shares risk multitalent")
    before = game.copy()
    assert _refusal(lambda: when(game, 0, action)) == refusal
    assert game == before


@pytest.mark.parametrize(("variants", "points", "slot", "refusal"), cases(__file__, "expensive_specials"))
def test_expensive_specials_need_two_points(variants: tuple[str, ...], points: int, slot: int, refusal: str) -> None:
    """The variant prices open multitalents and risk cards only."""
    game = given(["gold", ""], variants=variants, points=points, display="shares risk multitalent")
    assert _refusal(lambda: when(game, 0, f"take {slot}")) == refusal


def _open_table() -> Game:
    seats = (SeatPlan(name="Anna"), SeatPlan())
    return decide(CreateGame(game="g", server_seed=bytes(32), seats=seats), Game()).game


def _waiting_for_scoring() -> Game:
    return when(given(["", ""], revealed=3, pile="reibach art*9"), 0, "draw").game


@pytest.mark.parametrize(
    ("game", "seat", "refusal"),
    [
        pytest.param(_open_table(), 0, "game-not-started", id="open"),
        pytest.param(play_game(2, "refusals")[0], 0, "game-over", id="over"),
        pytest.param(_waiting_for_scoring(), 0, "scoring-in-progress", id="scoring, own turn"),
        pytest.param(_waiting_for_scoring(), 1, "scoring-in-progress", id="scoring, other's turn"),
        pytest.param(given(["", ""]), 1, "not-your-turn", id="other's turn"),
        pytest.param(given(["", ""]), 0, "-", id="own turn"),
    ],
)
def test_state_refuses_before_the_rules_do(game: Game, seat: int, refusal: str) -> None:
    """The game's status is checked first, then whose turn it is."""
    assert _refusal(lambda: decide(Act(seat=seat, actions=(Draw(),)), game)) == refusal


def test_not_your_turn_comes_before_the_rules() -> None:
    """Another seat's impossible action is refused for the turn, which reveals nothing about its cards."""
    assert _refusal(lambda: when(given(["", ""]), 1, "append gold 5")) == "not-your-turn"


def test_refusal_is_data_and_can_be_stored() -> None:
    """A refusal is a reason and parameters; made again from their JSON it reads the same in every language."""
    with pytest.raises(Refused) as refused:
        when(given(["gold", ""], [", ".join(["art/"] * 4), ""]), 0, "append gold 5")
    first = refused.value
    assert (first.reason, first.parameters) == ("no-such-row", {"case": "several", "row": 5, "first": 0, "last": 3})
    stored = json.loads(json.dumps({"reason": first.reason, "parameters": first.parameters}))
    again = Refused(Reason(stored["reason"]), **stored["parameters"])
    for language in LANGUAGES:
        assert phrase_refusal(sentence_of(again), language) == phrase_refusal(sentence_of(first), language)
    assert phrase_refusal(sentence_of(again), "en") == "You have no row 5, only rows 0 to 3."


@pytest.mark.parametrize(
    ("texts", "refusal"),
    [
        (["x"] * (MOST_MESSAGES - 1), "-"),
        (["x"] * MOST_MESSAGES, "too-many-messages"),
        (["\U0001f3b2" * 2000] * 32 + ["x" * 6143], "-"),
        (["\U0001f3b2" * 2000] * 32 + ["x" * 6144], "too-many-messages"),
    ],
    ids=["number, below", "number", "bytes, below", "bytes"],
)
def test_game_has_a_limit_of_messages(texts: list[str], refusal: str) -> None:
    """1,000 messages of 256 KiB in UTF-8: one more, of one byte, is refused from every seat; the game plays on."""
    game = evolve(given(["gold", ""]), [MessagePosted(number % 2, text) for number, text in enumerate(texts)])
    for seat in (0, 1):
        assert _refusal(lambda seat=seat: decide(PostMessage(seat=seat, text="x"), game)) == refusal
    assert _refusal(lambda: when(game, 0, "lay gold")) == "-"


def test_who_has_left_or_is_there_is_refused() -> None:
    """Nobody acts or resigns after resigning; a seat that its person plays is neither taken back nor joined."""
    game = given(["gold", ""])
    assert _refusal(lambda: decide(ReclaimSeat(seat=0), game)) == "seat-not-abandoned"
    assert _refusal(lambda: decide(JoinGame(name="Carla"), game)) == "no-open-seat"
    resigned = decide(Resign(seat=0), game).game
    assert _refusal(lambda: when(resigned, 0, "draw")) == "seat-resigned"
    assert _refusal(lambda: decide(Resign(seat=0), resigned)) == "seat-resigned"
    assert _refusal(lambda: decide(ReclaimSeat(seat=0), resigned)) == "seat-not-abandoned"
    assert _refusal(lambda: when(resigned, 1, "draw")) == "not-your-turn"
    assert _refusal(lambda: decide(Resign(seat=0), _open_table())) == "game-not-started"


def test_every_reason_is_tested_here() -> None:
    """A new reason needs its case in this file."""
    source = (
        cases(__file__, "cases")
        + "game-not-started game-over scoring-in-progress not-your-turn no-open-seat too-many-messages"
    )
    source += " seat-resigned seat-not-abandoned consent-unchanged too-many-consents"  # tests/domain/test_consent.py
    source += (Path(__file__).with_name("people_stories.txt")).read_text("utf-8")
    assert {reason for reason in Reason if reason not in source} == set()

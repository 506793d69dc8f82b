"""What all people who play agree on: who must agree, and what happens then."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given as with_any
from hypothesis import strategies

from domain.audit.checks import audit
from domain.clock.pace import Pace
from domain.clock.waiting import waiting_for
from domain.commands import (
    Act,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    GiveConsent,
    PostMessage,
    ReclaimSeat,
    Resign,
    SeatPlan,
    Take,
    TimeOut,
    WithdrawConsent,
)
from domain.decide import decide
from domain.people.consent import MOST_CONSENTS, consenting, is_agreed, people_who_play
from domain.refusals import Refused
from domain.state import Game
from domain.view import view_of
from tests.domain.test_clock import MINUTE, Played, abandoned
from tests.oracle.oracle import OracleGame
from tests.oracle.play import rechain
from tests.support.logs import log_of
from tests.support.positions_as_text import given

_ANNA, _BERT = GiveConsent(seat=0, to="cancel"), GiveConsent(seat=1, to="cancel")


def refused(played: Played, command: Command) -> tuple[str, dict[str, object]]:
    """Reason and parameters with which a command is refused."""
    with pytest.raises(Refused) as found:
        played.do(command)
    return str(found.value.reason), dict(found.value.parameters)


def test_the_last_consent_cancels_the_game() -> None:
    """There is no winner, nothing is waited for, and nothing but a message follows."""
    played = Played()
    assert played.do(_ANNA) == ["ConsentGiven"]
    assert consenting(played.game, "cancel") == [0]
    assert view_of(played.game, 1, "")["consents"] == {"cancel": [0]}
    assert played.do(_BERT) == ["ConsentGiven", "GameCancelled"]
    game = played.game
    assert (game.status, game.winners, game.end, waiting_for(game)) == ("over", [], game.version, None)
    view = view_of(game, None, "")
    assert (view["status"], view["turn"], view["winners"]) == ("over", None, [])
    assert view["fairness"]["server_seed"] == "00" * 32
    for command in (Act(seat=0, actions=(Draw(),)), Resign(seat=0), _ANNA, WithdrawConsent(seat=0, to="cancel")):
        assert refused(played, command) == ("game-over", {"case": "cancelled"})
    played.now += MINUTE
    assert played.do(TimeOut(turn=game.turn)) == []
    assert played.do(PostMessage(seat=0, text="Another time.")) == ["MessagePosted"]
    played.checked()


def test_a_consent_can_be_withdrawn() -> None:
    """Then it counts no more; who has not agreed, or has already, is told so."""
    played = Played()
    played.do(_ANNA)
    assert refused(played, _ANNA) == ("consent-unchanged", {"case": "given"})
    assert played.do(WithdrawConsent(seat=0, to="cancel")) == ["ConsentWithdrawn"]
    assert "consents" not in view_of(played.game, None, "")
    assert refused(played, WithdrawConsent(seat=0, to="cancel")) == ("consent-unchanged", {"case": "withdrawn"})
    assert played.do(_BERT) == ["ConsentGiven"]
    assert played.do(_ANNA) == ["ConsentGiven", "GameCancelled"]
    played.checked()


def test_a_seat_agrees_a_bounded_number_of_times() -> None:
    """And so withdraws no more often."""
    played = Played()
    for _ in range(MOST_CONSENTS):
        played.do(_ANNA)
        played.do(WithdrawConsent(seat=0, to="cancel"))
    assert refused(played, _ANNA) == ("too-many-consents", {"most": MOST_CONSENTS})
    assert played.do(_BERT) == ["ConsentGiven"]
    played.checked()


def test_nobody_agrees_before_the_start_or_after_resigning() -> None:
    """As with every other wish of a seat."""
    table = decide(CreateGame(game="g", server_seed=bytes(32), seats=(SeatPlan(name="Anna"), SeatPlan())), Game()).game
    with pytest.raises(Refused, match="game-not-started"):
        decide(_ANNA, table)
    played = Played()
    played.do(Resign(seat=0))
    assert refused(played, _ANNA)[0] == "seat-resigned"
    assert refused(played, WithdrawConsent(seat=0, to="cancel"))[0] == "seat-resigned"
    assert played.do(_BERT) == ["ConsentGiven", "GameCancelled"]
    played.checked()


def test_a_person_who_leaves_need_not_agree() -> None:
    """If all others have, what they agreed on happens in the same append."""
    played = Played()
    played.do(_BERT)
    assert played.do(Resign(seat=0)) == ["PlayerResigned", "GameCancelled"]
    played.checked()
    played = Played()
    played.do(_BERT)
    assert played.time_out() == ["TurnTimedOut"]
    played.finish_turn(by_bot=True)
    played.finish_turn()
    assert played.time_out() == ["TurnTimedOut", "SeatAbandoned", "GameCancelled"]
    played.checked()


def test_the_last_person_who_leaves_cancels_nothing() -> None:
    """Without people at the table there is no agreement."""
    played = Played()
    played.do(Resign(seat=0))
    assert played.do(Resign(seat=1)) == ["PlayerResigned"]


def test_a_person_who_comes_back_must_agree_anew() -> None:
    """A consent ends when its person leaves; one who agrees while away is back by it."""
    played = Played()
    played.do(_ANNA)
    played.time_out()
    played.finish_turn(by_bot=True)
    played.finish_turn()
    assert played.time_out() == ["TurnTimedOut", "SeatAbandoned"]
    assert (consenting(played.game, "cancel"), people_who_play(played.game)) == ([], [1])
    played.do(ReclaimSeat(seat=0))
    assert people_who_play(played.game) == [0, 1]
    assert played.do(_BERT) == ["ConsentGiven"]
    assert played.do(_ANNA) == ["ConsentGiven", "GameCancelled"]
    played.checked()
    away = abandoned()
    assert away.do(_ANNA) == ["SeatReclaimed", "ConsentGiven"]
    assert away.do(_BERT) == ["ConsentGiven", "GameCancelled"]
    away.checked()


def test_a_game_is_cancelled_also_while_a_round_is_scored() -> None:
    """The worker that comes later finds nothing to do."""
    game = given(["gold", "oil"], display="art art art", pile="reibach art*20", revealed=3)
    for command in (Act(seat=0, actions=(Take(slot=0),)), _ANNA, _BERT):
        game = decide(command, game).game
    assert (game.status, game.scoring) == ("over", None)
    assert decide(CompleteScoring(round=1), game).events == []


@pytest.mark.parametrize(
    "forged",
    [
        [("GameCancelled", {})],
        [("ConsentGiven", {"seat": 0, "to": "cancel"}), ("GameCancelled", {})],
        [("ConsentGiven", {"seat": 0, "to": "cancel"})] * 2,
        [("ConsentGiven", {"seat": 0, "to": "win"})],
        [("ConsentGiven", {"seat": 2, "to": "cancel"})],
        [("ConsentGiven", {"seat": 3, "to": "cancel"})],
        [("ConsentWithdrawn", {"seat": 0, "to": "cancel"})],
        [("ConsentGiven", {"seat": seat, "to": "cancel"}) for seat in (0, 1)] + [("PileDrawn", {"seat": 0})],
        [("SeatReplaced", {"seat": 0, "name": "Cleo"})],
    ],
)
def test_a_forged_agreement_is_named(forged: list[tuple[str, dict[str, object]]]) -> None:
    """By its last event, by both engines: one that no seat gave, twice, of a bot, or an end that did not follow."""
    seats = (SeatPlan(name="Anna"), SeatPlan(name="Bert"), SeatPlan(bot="greedy"))
    log = log_of([decide(CreateGame(game="g", server_seed=bytes(32), seats=seats), Game(), 1000)])
    for kind, data in forged:
        log = [*log, log[-1] | {"version": len(log) + 1, "type": kind, "data": data}]
    rules = next(check for check in audit(log, open_cards=True).checks if check.name == "rules")
    assert (rules.ok, rules.version) == (False, len(log))
    with pytest.raises(AssertionError, match=f"version {len(log)}"):
        OracleGame(rechain(log), complete=False)


WISHES = strategies.lists(
    strategies.tuples(
        strategies.sampled_from(["give", "withdraw", "leave", "late", "back", "play"]), strategies.integers(0, 2)
    ),
    max_size=60,
)


@with_any(WISHES)
def test_what_all_agree_on_has_always_happened(wishes: list[tuple[str, int]]) -> None:
    """Seats agree, withdraw, leave or come back in any order: no state in which all agree and nothing followed.

    A seat's consents are those of its person, and only people who play have any; the log passes both engines.
    """
    played = Played(Pace(turn_seconds=60), names=("Anna", "Bert", "Cleo"))
    steps: dict[str, Callable[[int], Command]] = {
        "give": lambda seat: GiveConsent(seat=seat, to="cancel"),
        "withdraw": lambda seat: WithdrawConsent(seat=seat, to="cancel"),
        "leave": lambda seat: Resign(seat=seat),
        "back": lambda seat: ReclaimSeat(seat=seat),
    }
    for wish, seat in wishes:
        before = played.game
        try:
            match wish:
                case "late":
                    played.time_out()
                case "play":
                    played.finish_turn(by_bot=before.seats[before.turn_seat].away is not None or before.timed_out)
                case _:
                    played.do(steps[wish](seat))
        except Refused:
            continue
        game = played.game
        assert {one for one, _ in game.consents} <= set(people_who_play(game))
        assert is_agreed(game, "cancel") == (game.winners == [])
        if game.over:
            break
    assert all(one.game.version < other.game.version for one, other in pairwise(played.decisions))
    played.checked()

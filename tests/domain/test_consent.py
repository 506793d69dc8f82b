"""What all people who play agree on: who must agree, and what happens then."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given as with_any
from hypothesis import strategies

from domain.audit.checks import audit
from domain.clock.deadline import SILENT_MS
from domain.clock.pace import Pace
from domain.commands import (
    Act,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    GiveConsent,
    JoinGame,
    PostMessage,
    ReclaimSeat,
    Resign,
    SeatPlan,
    Take,
    WithdrawConsent,
)
from domain.decide import decide
from domain.people.legality import MOST_CONSENTS, is_agreed, people_who_play
from domain.projections.recap import recap
from domain.projections.table import table_at
from domain.refusals import Refused
from domain.state import Game
from domain.view import redact_event, view_of
from tests.domain.audit.test_checks import version_of
from tests.domain.test_clock import PACE, Played, abandoned
from tests.domain.timed import HOUR
from tests.support.logs import log_of
from tests.support.positions_as_text import given

_ANNA, _BERT = GiveConsent(seat=0, to="cancel"), GiveConsent(seat=1, to="cancel")


def test_a_seat_agrees_a_bounded_number_of_times() -> None:
    played = Played()
    for _ in range(MOST_CONSENTS):
        played.do(_ANNA)
        played.do(WithdrawConsent(seat=0, to="cancel"))
    assert played.refused(_ANNA) == ("too-many-consents", MOST_CONSENTS)
    assert played.do(_BERT) == ["ConsentGiven"]
    played.checked()


def test_a_game_is_cancelled_also_while_a_round_is_scored() -> None:
    """The worker that comes later finds nothing to do."""
    game = given(["gold", "oil"], display="art art art", pile="reibach art*20", revealed=3)
    for command in (Act(seat=0, actions=(Take(slot=0),)), _ANNA, _BERT):
        game = decide(command, game).game
    assert (game.status, game.scoring) == ("over", None)
    assert decide(CompleteScoring(round=1), game).events == []


WORDS = strategies.sampled_from(["give", "withdraw", "leave", "late", "back", "play", "silent"])
WISHES = strategies.lists(strategies.tuples(WORDS, strategies.integers(0, 2)), max_size=60)


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
                case "silent":
                    played.now += SILENT_MS
                    played.do(GiveConsent(seat=seat, to="release", about=before.turn_seat))
                case "play":
                    played.finish_turn(by_bot=before.seats[before.turn_seat].away is not None or before.timed_out)
                case _:
                    played.do(steps[wish](seat))
        except Refused:
            continue
        game = played.game
        assert {one for one, _ in game.consents} <= set(people_who_play(game))
        if game.over:
            break  # it was cancelled: the event asserts that all had agreed
        # What the others agreed on before somebody was silent isn't meant, as long as that seat isn't released.
        assert wish == "silent" or not is_agreed(game, "cancel")
        assert not is_agreed(game, "release")
    assert all(one.game.version < other.game.version for one, other in pairwise(played.decisions))
    played.checked()


# A new person in the place of one who has abandoned a seat.


def deserted() -> Played:
    """Anna has just abandoned seat 0, and is to play, in a game in which that can be mended."""
    played = abandoned(replaceable=True)
    played.finish_turn(by_bot=True)
    played.finish_turn()
    return played


def replaceable() -> Played:
    """An hour has passed since Anna abandoned seat 0."""
    played = deserted()
    played.now += HOUR
    return played


def test_a_game_whose_seat_was_taken_at_once_is_lawful() -> None:
    """Releases before this one didn't wait; both engines take their logs."""
    played = deserted()
    played.decisions.append(decide(JoinGame(name="Cleo", is_history=True), played.game, played.now))
    assert played.game.seats[0].name == "Cleo"
    played.checked()


def test_a_new_person_takes_the_abandoned_seat() -> None:
    """With its hand, its rows and its entropy; then the seat is played as any other."""
    played = replaceable()
    before = played.game.seats[0]
    assert played.do(JoinGame(name="Cleo", entropy="not asked for")) == ["SeatReplaced"]
    after = played.game.seats[0]
    assert (after.name, after.away, after.timeouts) == ("Cleo", None, 0)
    assert (after.hand, after.rows, after.entropy) == (before.hand, before.rows, before.entropy)
    view = view_of(played.game, 0, "")
    assert (view["replaceable"], view["seats"][0]["name"], view["fairness"]["entropy"]) == (True, "Cleo", ["", ""])
    assert played.do(Act(seat=0, actions=(Draw(),)))[0] == "PileDrawn"
    assert played.refused(ReclaimSeat(seat=0))[0] == "seat-not-abandoned"
    assert played.refused(JoinGame(name="Dora"))[0] == "no-open-seat"
    played.checked()


def test_the_recap_names_who_sat_there_then() -> None:
    """What the first person did stays theirs; the table has the new name."""
    played = replaceable()
    played.do(PostMessage(seat=0, text="I was here."))
    played.do(JoinGame(name="Cleo"))
    played.do(PostMessage(seat=0, text="Now I am."))
    log = log_of(played.decisions)
    seen = [redact_event(event, None, played.game) for event in log]
    texts = [item["text"] for item in recap(seen, 0, "en").items]
    assert texts[-3:] == [
        "Anna writes: “I was here.”",
        "Cleo takes over the abandoned seat.",
        "Cleo writes: “Now I am.”",
    ]
    assert table_at(seen, len(seen)).seats[0].name == "Cleo"


@pytest.mark.parametrize("pace", [None, Pace(turn_seconds=60, on_timeout="wait")])
def test_only_a_game_that_abandons_seats_is_replaceable(pace: Pace | None) -> None:
    seats = (SeatPlan(name="Anna"), SeatPlan(name="Bert"))
    command = CreateGame(game="g", server_seed=bytes(32), seats=seats, pace=pace, replaceable=True)
    found = audit(log_of([decide(command, Game(), 1000)]), open_cards=True)
    assert found.first_offence.version == 1


def test_a_forged_replacement_is_named() -> None:
    """Of a seat that is not abandoned, of one that is not the lowest, by a name that is none, in a plain game."""
    log, plain = log_of(replaceable().decisions), log_of(abandoned().decisions)
    for before, seat, name in ((log, 1, "Cleo"), (log, 0, ""), (log, 0, "x" * 41), (plain, 0, "Cleo")):
        replaced = {"version": len(before) + 1, "type": "SeatReplaced", "data": {"seat": seat, "name": name}}
        found = audit([*before, before[-1] | replaced], open_cards=True)
        assert version_of(found, "rules") == len(before) + 1


def test_a_game_without_it_says_nothing_of_it() -> None:
    played = Played(PACE)
    assert "replaceable" not in log_of(played.decisions)[0]["data"]
    assert "replaceable" not in view_of(played.game, None, "")

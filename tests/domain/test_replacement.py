"""A new person in the place of one who has abandoned a seat."""

import pytest

from domain.audit.checks import audit
from domain.clock.pace import Pace
from domain.commands import Act, CreateGame, Draw, JoinGame, PostMessage, ReclaimSeat, Resign, SeatPlan
from domain.decide import decide
from domain.projections.recap import recap
from domain.projections.table import table_at
from domain.refusals import Refused
from domain.state import Game
from domain.view import redact_event, view_of
from tests.domain.test_clock import PACE, Played, abandoned
from tests.support.logs import log_of


def replaceable() -> Played:
    """Anna has abandoned seat 0 of a game in which that can be mended."""
    played = Played(replaceable=True)
    for _ in range(2):
        played.time_out()
        played.finish_turn(by_bot=True)
        played.finish_turn()
    assert played.game.seats[0].away == "abandoned"
    return played


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
    with pytest.raises(Refused, match="seat-not-abandoned"):
        played.do(ReclaimSeat(seat=0))
    with pytest.raises(Refused, match="no-open-seat"):
        played.do(JoinGame(name="Dora"))
    played.checked()


def test_no_other_seat_is_taken() -> None:
    """None of a table that did not agree to it, none that has resigned, none of a game that is over."""
    with pytest.raises(Refused, match="no-open-seat"):
        abandoned().do(JoinGame(name="Cleo"))
    played = replaceable()
    played.do(Resign(seat=0))
    with pytest.raises(Refused, match="no-open-seat"):
        played.do(JoinGame(name="Cleo"))
    played = replaceable()
    while not played.game.over:
        played.finish_turn(by_bot=played.game.turn_seat == 0)
    with pytest.raises(Refused, match="no-open-seat"):
        played.do(JoinGame(name="Cleo"))


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
    """The audit names the first event of another one."""
    seats = (SeatPlan(name="Anna"), SeatPlan(name="Bert"))
    command = CreateGame(game="g", server_seed=bytes(32), seats=seats, pace=pace, replaceable=True)
    found = audit(log_of([decide(command, Game(), 1000)]), open_cards=True)
    assert found.first_offence is not None
    assert found.first_offence.version == 1


def test_a_forged_replacement_is_named() -> None:
    """Of a seat that is not abandoned, of one that is not the lowest, by a name that is none, in a plain game."""
    played = replaceable()
    log = log_of(played.decisions)
    for data in ({"seat": 1, "name": "Cleo"}, {"seat": 0, "name": ""}, {"seat": 0, "name": "x" * 41}):
        forged = [*log, log[-1] | {"version": len(log) + 1, "type": "SeatReplaced", "data": data}]
        rules = next(check for check in audit(forged, open_cards=True).checks if check.name == "rules")
        assert (rules.ok, rules.version) == (False, len(forged))
    plain = log_of(abandoned().decisions)
    data = {"seat": 0, "name": "Cleo"}
    forged = [*plain, plain[-1] | {"version": len(plain) + 1, "type": "SeatReplaced", "data": data}]
    rules = next(check for check in audit(forged, open_cards=True).checks if check.name == "rules")
    assert (rules.ok, rules.version) == (False, len(forged))


def test_a_game_without_it_says_nothing_of_it() -> None:
    """Neither its first event nor its view."""
    played = Played(PACE)
    assert "replaceable" not in log_of(played.decisions)[0]["data"]
    assert "replaceable" not in view_of(played.game, None, "")

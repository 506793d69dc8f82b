"""Deadlines, time-outs, abandoned seats and their return, resignation (contract 6, "Pace")."""

from collections.abc import Sequence

import pytest

from domain.audit.checks import audit
from domain.clock.pace import Pace
from domain.clock.waiting import Waiting, WaitingFor, waiting_for
from domain.commands import Act, CompleteScoring, Draw, Resign, Take, TimeOut
from domain.decide import decide
from domain.events import type_of
from domain.legality import legal_actions, open_actions
from domain.view import view_of
from tests.domain.audit.test_checks import version_of
from tests.domain.timed import MINUTE, Timed
from tests.oracle.oracle import OracleGame
from tests.support.logs import log_of
from tests.support.positions_as_text import given

PACE = Pace(turn_seconds=60, reminder_seconds=20)
START = 1_000


class Played(Timed):
    """Of two people with a pace of a minute, begun a second after 1970."""

    def __init__(
        self, pace: Pace = PACE, names: Sequence[str] = ("Anna", "Bert"), *, replaceable: bool = False
    ) -> None:
        super().__init__(pace, names, START, replaceable=replaceable)

    def time_out(self) -> list[str]:
        self.now = self.game.turn_since + MINUTE
        return self.do(TimeOut(turn=self.game.turn))


def abandoned(*, replaceable: bool = False) -> Played:
    played = Played(replaceable=replaceable)
    assert played.time_out() == ["TurnTimedOut"]
    played.finish_turn(by_bot=True)
    played.finish_turn()
    assert played.time_out() == ["TurnTimedOut", "SeatAbandoned"]
    return played


def test_a_turn_times_out_at_its_deadline() -> None:
    """Once, not a millisecond earlier, by the clock and not by the log's last event; the view says when."""
    played = Played()
    assert played.game.turn_since == START
    assert waiting_for(played.game) == Waiting(WaitingFor.SEAT, START, seat=0, until=START + MINUTE)
    view = view_of(played.game, None, "")
    assert (view["pace"], view["turn"]["deadline"]) == (PACE.to_json(), "1970-01-01T00:01:01.000Z")
    played.now = START + MINUTE - 1
    assert played.do(TimeOut(turn=1)) == []
    ahead = decide(Act(seat=0, actions=(Draw(),)), played.game, START + 2 * MINUTE).game
    assert decide(TimeOut(turn=1), ahead, played.now).events == []
    assert played.time_out() == ["TurnTimedOut"]
    assert played.do(TimeOut(turn=1)) == []
    assert waiting_for(played.game) == Waiting(WaitingFor.BOT, START, seat=0)
    assert list(open_actions(played.game, 0)) == []
    assert list(legal_actions(played.game, 0))
    played.finish_turn(by_bot=True)
    assert played.do(TimeOut(turn=1)) == []
    assert waiting_for(played.game) == Waiting(WaitingFor.SEAT, played.now, seat=1, until=played.now + MINUTE)
    played.checked()


def test_who_resigns_is_played_by_a_bot_to_the_end() -> None:
    """In one's own turn, in another's, and where one is away already; the audit passes the whole game."""
    played = abandoned()
    assert played.do(Resign(seat=0)) == ["PlayerResigned"]
    played.finish_turn(by_bot=True)
    assert played.do(Resign(seat=1)) == ["PlayerResigned"]
    assert waiting_for(played.game) == Waiting(WaitingFor.BOT, played.game.waiting_since, seat=1)
    assert [seat["away"] for seat in view_of(played.game, None, "")["seats"]] == ["resigned", "resigned"]
    while not played.game.over:
        played.finish_turn(by_bot=True)
    assert played.refused(Resign(seat=1))[0] == "game-over"
    played.checked()


def test_a_deadline_in_a_scoring_round_waits_for_its_end() -> None:
    """No time-out before RoundScored; after it at once."""
    game = given(["gold", "oil"], display="art art art", pile="reibach art*20", revealed=3)
    game.pace, game.turn_since = PACE, START
    paused = decide(Act(seat=0, actions=(Take(slot=0),)), game, START).game
    late = START + MINUTE
    assert decide(TimeOut(turn=paused.turn), paused, late).events == []
    scored = decide(CompleteScoring(round=1), paused, late).game
    assert waiting_for(scored) == Waiting(WaitingFor.SEAT, late, seat=0, until=late)
    assert [type_of(event) for event in decide(TimeOut(turn=scored.turn), scored, late).events] == ["TurnTimedOut"]


@pytest.mark.parametrize("kind", ["TurnTimedOut", "SeatAbandoned", "SeatReclaimed", "PlayerResigned"])
def test_the_audit_finds_what_no_clock_did(kind: str) -> None:
    """An event about people where none may be is named by its version, by both engines."""
    played = Played()
    played.finish_turn()
    log = log_of(played.decisions)
    lawful = {"TurnTimedOut": played.time_out, "PlayerResigned": lambda: played.do(Resign(seat=1))}
    seat = {"turn": 2, "seat": 1} if kind == "TurnTimedOut" else {"seat": 1}
    early = log[-1] | {"version": len(log) + 1, "type": kind, "data": seat}
    twice = [early, early | {"version": len(log) + 2}] if kind == "PlayerResigned" else [early]
    assert version_of(audit([*log, *twice], open_cards=True), "rules") == len(log) + len(twice)
    with pytest.raises(AssertionError):
        OracleGame([*log, *twice], complete=False)
    assert kind not in lawful or lawful[kind]() == [kind]
    played.checked()

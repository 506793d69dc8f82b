"""A silent player: what the others can do after 14 days of waiting for one, and how many turns a seat may miss."""

import pytest

from domain.audit.checks import audit
from domain.clock.hours import Hours
from domain.clock.pace import Pace, is_pace
from domain.clock.waiting import WaitingFor, waiting_for
from domain.commands import (
    Act,
    Draw,
    EndVacation,
    GiveConsent,
    PostMessage,
    ReclaimSeat,
    Resign,
    ResumeGame,
    Take,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.people.legality import consenting
from domain.projections.recap import recap
from domain.view import view_of
from tests.domain.audit.test_checks import version_of
from tests.domain.timed import DAY, HOUR, Timed
from tests.oracle.oracle import OracleGame
from tests.oracle.play import rechain
from tests.support.forks import copy_of
from tests.support.logs import log_of

NAMES = ("Anna", "Bert", "Cleo")
LATE = ("seat-not-silent", 14)
WAIT = Pace(turn_seconds=3600, on_timeout="wait")
LONG = Pace(turn_seconds=90 * 24 * 3600)
BY_DAY = Pace(turn_seconds=90 * 24 * 3600, hours=Hours(opens=12 * 60, closes=0, zone="UTC"))


def release(seat: int, about: int = 0) -> GiveConsent:
    return GiveConsent(seat=seat, to="release", about=about)


def silent(pace: Pace | None = None, days: int = 14) -> Timed:
    """Anna, whose turn it is, has done nothing for so long."""
    played = Timed(pace, NAMES)
    played.now += days * DAY
    return played


@pytest.mark.parametrize("pace", [None, WAIT, LONG])
def test_the_others_let_a_bot_play_on_for_a_silent_seat(pace: Pace | None) -> None:
    """All of them, not one alone, and not a moment earlier; with any pace, and with none (review, F5)."""
    played = silent(pace)
    played.now -= 1
    assert played.refused(release(1)) == LATE
    played.now += 1
    assert played.do(release(1)) == ["ConsentGiven"]
    assert view_of(played.game, 0, "")["consents"] == {"release": [1]}
    assert played.refused(release(1)) == ("consent-unchanged", "given")
    assert played.do(release(2)) == ["ConsentGiven", "SeatAbandoned"]
    wait = waiting_for(played.game)
    assert wait is not None
    assert (wait.reason, wait.seat, played.game.consents) == (WaitingFor.BOT, 0, frozenset())
    played.finish_turn(by_bot=True)
    played.checked()
    texts = [one["text"] for one in recap(log_of(played.decisions), 0, "en").items]
    assert "Bert agrees that a bot plays on for Anna." in [
        text.replace("\u2068", "").replace("\u2069", "") for text in texts
    ]


def test_who_comes_back_is_waited_for_anew() -> None:
    """By an action, which ends the consents; or by taking the seat back, in the released turn, too."""
    played = silent()
    played.do(release(1))
    assert played.do(Act(seat=0, actions=(Take(slot=0),)))[0] == "CardTaken"
    assert played.game.consents == frozenset()
    assert played.refused(release(2)) == LATE
    played.now += 14 * DAY
    assert played.do(release(2)) == ["ConsentGiven"]
    assert played.do(release(1)) == ["ConsentGiven", "SeatAbandoned"]
    assert played.do(ReclaimSeat(seat=0)) == ["SeatReclaimed"]
    assert played.refused(release(1)) == LATE
    played.finish_turn()
    played.checked()


def test_a_consent_to_release_is_withdrawn_or_ends() -> None:
    """As every other: by its seat, or when its person leaves; the leaving of the last who has not agreed decides."""
    played = silent()
    played.do(release(1))
    assert played.refused(WithdrawConsent(seat=1, to="release", about=2))[0] == "consent-unchanged"
    assert played.do(WithdrawConsent(seat=1, to="release", about=0)) == ["ConsentWithdrawn"]
    played.do(release(2))
    assert played.do(Resign(seat=1)) == ["PlayerResigned", "SeatAbandoned"]
    played.checked()
    away = silent()
    away.do(release(1))
    assert away.do(Resign(seat=0)) == ["PlayerResigned"]
    assert consenting(away.game, "release") == []
    away.checked()


@pytest.mark.parametrize("about", [0, 1, 3, -1])
def test_nobody_releases_another_seat(about: int) -> None:
    """One's own, one that the game doesn't wait for, none, or one before the time has come."""
    played = silent()
    assert played.refused(release(0 if about == 0 else 2, about)) == LATE
    played.do(Act(seat=0, actions=(Draw(),)))
    assert played.refused(release(1)) == LATE


def test_cancel_and_pause_need_no_silent_seat() -> None:
    """Nor does what was agreed on before happen by itself; who is silent may agree all the same."""
    for to, outcome in (("cancel", "GameCancelled"), ("pause", "GamePaused")):
        played = Timed(None, NAMES)
        for seat in (1, 2):
            assert played.do(GiveConsent(seat=seat, to=to)) == ["ConsentGiven"]
        played.now += 14 * DAY
        assert played.do(PostMessage(seat=1, text="Anna?")) == ["MessagePosted"]
        played.do(WithdrawConsent(seat=1, to=to))
        assert played.do(GiveConsent(seat=1, to=to)) == ["ConsentGiven", outcome]
        played.checked()
    alone = Timed(None)
    alone.now += 14 * DAY
    alone.do(GiveConsent(seat=0, to="cancel"))
    assert alone.do(GiveConsent(seat=1, to="cancel")) == ["ConsentGiven", "GameCancelled"]


def test_a_release_does_what_the_rest_agreed_on() -> None:
    """Whoever leaves, what all who play have agreed on happens."""
    played = Timed(None, NAMES)
    for seat in (1, 2):
        played.do(GiveConsent(seat=seat, to="cancel"))
    played.now += 14 * DAY
    assert played.do(release(1)) == ["ConsentGiven"]
    assert played.do(release(2)) == ["ConsentGiven", "SeatAbandoned", "GameCancelled"]
    played.checked()


def test_stops_of_the_clock_are_no_silence() -> None:
    """Pauses, vacations, and the hours in which the clock doesn't run."""
    played = Timed(None, NAMES)
    played.do(TakeVacation(seat=0, until=played.now + 20 * DAY))
    played.now += 10 * DAY
    played.do(EndVacation(seat=0))
    for seat in range(3):
        played.do(GiveConsent(seat=seat, to="pause"))
    played.now += 40 * DAY
    played.do(ResumeGame(seat=1))
    played.now += 14 * DAY - 1
    assert played.refused(release(1)) == LATE
    played.now += 1
    played.do(release(1))
    played.checked()
    by_day = silent(BY_DAY, days=28)
    by_day.now -= 1
    assert by_day.refused(release(1)) == LATE
    by_day.now += 1
    by_day.do(release(1))
    by_day.checked()


def test_a_copy_has_waited_for_nobody() -> None:
    """The times before a fork are its parent's: its first player is not silent from the beginning."""
    parent = Timed(None, NAMES)
    parent.finish_turn()
    log = log_of(parent.decisions)
    log = copy_of(log, len(log))
    given = {"type": "ConsentGiven", "data": {"seat": 2, "to": "release", "about": 1}, "at": "2030-01-01T00:00:00.000Z"}
    forged = [*log, log[-1] | given | {"version": len(log) + 1}]
    assert version_of(audit(forged, open_cards=True), "rules") == len(forged)
    with pytest.raises(AssertionError, match="not silent"):
        OracleGame(rechain(forged), complete=False)


def _given(seat: int, **data: object) -> tuple[str, dict[str, object]]:
    return "ConsentGiven", {"seat": seat, "to": "release", **data}


@pytest.mark.parametrize(
    ("days", "forged"),
    [
        (13, [_given(1, about=0)]),
        (14, [_given(1)]),
        (14, [_given(1, about=True)]),
        (14, [_given(1, about=2)]),
        (14, [_given(0, about=0)]),
        (14, [_given(1, about=0), ("SeatAbandoned", {"seat": 0})]),
        (14, [_given(1, about=0), _given(1, about=0)]),
        (14, [_given(1, about=0), _given(2, about=0), ("SeatAbandoned", {"seat": 1})]),
        (14, [_given(1, about=0), _given(2, about=0), ("MessagePosted", {"seat": 1, "text": "first"})]),
        (14, [("ConsentGiven", {"seat": 1, "to": "cancel", "about": 0})]),
        (14, [("ConsentWithdrawn", {"seat": 1, "to": "release", "about": 0})]),
        (14, [("ConsentGiven", {"seat": 1, "to": "cancel"}), ("GameCancelled", {})]),
    ],
)
def test_a_forged_release_is_named(days: int, forged: list[tuple[str, dict[str, object]]]) -> None:
    """By its last event, by both engines, of a log that is lawful until then."""
    played = Timed(None, NAMES)
    log, start = log_of(played.decisions), played.now
    played.now += days * DAY
    played.do(PostMessage(seat=1, text="Anna?"))
    at = log_of(played.decisions)[-1]["at"]
    for kind, data in forged:
        log = [*log, log[-1] | {"version": len(log) + 1, "type": kind, "data": data, "at": at}]
    assert start < played.now
    assert version_of(audit(log, open_cards=True), "rules") == len(log)
    with pytest.raises(AssertionError, match=f"version {len(log)}"):
        OracleGame(rechain(log), complete=False)


# How many turns may time out.


def test_a_seat_is_lost_after_so_many_late_turns() -> None:
    """Not in a row: who lets every second turn time out keeps a table waiting for ever (review, 3)."""
    played = Timed(Pace(turn_seconds=3600, timeouts=3))
    for late in range(1, 4):
        played.now = played.until
        abandoned = ["SeatAbandoned"] if late == 3 else []
        assert played.do(TimeOut(turn=played.game.turn)) == ["TurnTimedOut", *abandoned]
        played.finish_turn(by_bot=True)
        played.finish_turn()
        assert view_of(played.game, 1, "")["seats"][0]["timeouts"] == late
        if late < 3:
            played.finish_turn()
            played.finish_turn()
    played.do(ReclaimSeat(seat=0))
    for _ in range(2):
        played.now += HOUR
        assert played.do(TimeOut(turn=played.game.turn)) == ["TurnTimedOut"]
        played.finish_turn(by_bot=True)
        for _ in range(3):
            played.finish_turn()
    assert view_of(played.game, 1, "")["seats"][0]["timeouts"] == 5
    played.checked()


@pytest.mark.parametrize(
    ("timeouts", "on_timeout"), [(1, "bot"), (21, "bot"), (3, "wait"), (True, "bot"), (2.0, "bot")]
)
def test_other_limits_are_none(timeouts: object, on_timeout: str) -> None:
    assert not is_pace({"turn_seconds": 60, "on_timeout": on_timeout, "timeouts": timeouts})
    assert is_pace({"turn_seconds": 60, "on_timeout": "bot", "timeouts": 20})

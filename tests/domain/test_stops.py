"""Time banks, allowed hours, vacations and pauses: what stops the clock, and what that does to deadlines."""

from itertools import pairwise

import pytest
from hypothesis import given as with_any
from hypothesis import strategies as st

from domain.audit.checks import audit
from domain.clock.deadline import deadline
from domain.clock.hours import Hours, running
from domain.clock.pace import Pace, is_pace
from domain.clock.timestamps import milliseconds, timestamp
from domain.clock.waiting import waiting_for
from domain.commands import (
    Command,
    CreateGame,
    EndVacation,
    GiveConsent,
    ReclaimSeat,
    ResumeGame,
    SeatPlan,
    TakeVacation,
    TimeOut,
)
from domain.decide import decide
from domain.events import type_of
from domain.people.events import BankRefilled, BankUsed
from domain.refusals import Refused
from domain.state import Game
from domain.view import view_of
from tests.domain.timed import BANKED, DAY, HOUR, MINUTE, PLAIN, SECOND, START, Timed
from tests.oracle.answers import events_as_seen
from tests.oracle.oracle import OracleGame
from tests.oracle.play import play
from tests.support.cases import cases
from tests.support.logs import log_of


def test_a_bot_has_no_bank() -> None:
    """And a game without banks has none of its members or events."""
    seats = (SeatPlan(name="Anna"), SeatPlan(bot="greedy"))
    game = decide(CreateGame(game="g", server_seed=bytes(32), seats=seats, pace=BANKED), Game(), START).game
    assert [seat.get("bank_seconds") for seat in view_of(game, None, "")["seats"]] == [120, None]
    plain = Timed(PLAIN)
    plain.now += 30 * MINUTE
    assert plain.finish_turn() == []
    assert not {"bank_seconds", "vacations"} & view_of(plain.game, None, "")["seats"][0].keys()


HOURS = (
    None,
    Hours(opens=8 * 60, closes=22 * 60, zone="Europe/Berlin"),
    Hours(opens=21 * 60 + 30, closes=6 * 60, zone="America/New_York"),
    Hours(opens=12 * 60, closes=20 * 60, zone="Australia/Lord_Howe"),
)
PACES = st.builds(
    Pace,
    turn_seconds=st.sampled_from([60, 3600, 86_400]),
    bank_seconds=st.sampled_from([0, 90, 7200]),
    bank_refill_seconds=st.sampled_from([None, 0, 45, 4000]),
    hours=st.sampled_from(HOURS),
    on_timeout=st.sampled_from(["bot", "wait"]),
) | st.builds(Pace, turn_seconds=st.just(3600), bank_seconds=st.just(0), timeouts=st.integers(2, 4))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["play", "play", "time", "time", "vacation", "back", "pause", "resume"]),
        st.integers(0, 2),
        st.sampled_from([0, 1, 999, 61_007, 30 * MINUTE, 9 * HOUR, 3 * DAY]),
    ),
    max_size=14,
)


def _commands(played: Timed, what: str, seat: int) -> list[Command]:
    match what:
        case "vacation":
            return [TakeVacation(seat=seat, until=played.now + 2 * DAY + 1)]
        case "back":
            return [EndVacation(seat=seat)]
        case "pause":
            return [GiveConsent(seat=one, to="pause") for one in range(3)]
        case "resume":
            return [ResumeGame(seat=seat)]
    return [ReclaimSeat(seat=seat)]


def _stand_still(game: Game) -> list[tuple[int, int]]:
    return [*game.pauses, *game.seats[game.turn_seat].vacations]


def _check_deadline(played: Timed) -> None:
    """So much runs until the deadline, and a time-out takes effect then, not a millisecond before."""
    game, until = played.game, deadline(played.game)
    assert game.pace is not None
    assert (until is None) == (game.paused_since is not None or game.over)
    if until is None:
        return
    cuts = sorted(
        {
            game.turn_since,
            until,
            *(min(max(cut, game.turn_since), until) for stop in _stand_still(game) for cut in stop),
        }
    )
    ran = sum(
        running(game.pace.hours, since, end)
        for since, end in pairwise(cuts)
        if not any(first <= since and end <= last for first, last in _stand_still(game))
    )
    assert ran == (game.pace.turn_seconds + (game.seats[game.turn_seat].bank or 0)) * SECOND
    waiting = waiting_for(game)
    if waiting is not None and waiting.until is not None and until > game.at:
        assert decide(TimeOut(turn=game.turn), game, until - 1).events == []
        assert type_of(decide(TimeOut(turn=game.turn), game, until).events[0]) == "TurnTimedOut"


@with_any(pace=PACES, steps=STEPS, start=st.integers(0, 400))
def test_any_schedule_keeps_its_deadlines(pace: Pace, steps: list[tuple[str, int, int]], start: int) -> None:
    """Stops only put deadlines off, banks add up, both engines agree, and a replay gives the same."""
    assert is_pace(pace.to_json())
    assert Pace.from_json(pace.to_json()) == pace
    played = Timed(pace, names=("Anna", "Bert", "Carla"), start=START + start * DAY)
    for what, seat, pause in steps:
        played.now += pause
        before, turn = deadline(played.game), played.game.turn
        if what == "play":
            played.finish_turn(by_bot=bool(played.game.timed_out or played.game.seats[played.game.turn_seat].away))
        elif what == "time":
            played.now = max(played.now, before or 0)
            played.do(TimeOut(turn=turn))
        else:
            for command in _commands(played, what, seat):
                try:
                    played.do(command)
                except Refused:
                    continue
            after = deadline(played.game)
            if what != "back" and before is not None and after is not None:
                assert after >= before
        _check_deadline(played)
    for seat, place in enumerate(played.game.seats):
        events = [event for decision in played.decisions for event in decision.events]
        used = sum(event.seconds for event in events if isinstance(event, BankUsed) and event.seat == seat)
        given = sum(event.seconds for event in events if isinstance(event, BankRefilled) and event.seat == seat)
        assert place.bank == (pace.bank_seconds or 0) - used + given
    played.checked()


def _long_game() -> Timed:
    played = Timed(BANKED)
    played.now += 100 * SECOND
    played.finish_turn()
    played.do(TakeVacation(seat=1, until=played.now + DAY))
    played.now += HOUR
    played.do(EndVacation(seat=1))
    for seat in (0, 1):
        played.do(GiveConsent(seat=seat, to="pause"))
    played.now += HOUR
    played.do(ResumeGame(seat=0))
    played.now = played.until
    played.do(TimeOut(turn=2))
    played.finish_turn(by_bot=True)
    played.checked()
    return played


@pytest.mark.parametrize(("kind", "member"), cases(__file__, "forged_clock"))
def test_a_forged_clock_is_found(kind: str, member: str) -> None:
    """Amounts, times and seats that no clock gave, and events that are left out, by both engines."""
    log = log_of(_long_game().decisions)
    index = next(index for index, event in enumerate(log) if event["type"] == kind)
    data = log[index]["data"]
    if member == "":
        forged = [*log[:index], *log[index + 1 :]]
        forged = [event | {"version": version} for version, event in enumerate(forged, 1)]
    elif member == "at":
        early = timestamp(milliseconds(log[index]["at"]) - 1)
        forged = [*log[:index], log[index] | {"at": early}, *log[index + 1 :]]
    else:
        value = data[member]
        other = value + 1 if isinstance(value, int) else "2027-01-01T00:00:00.000Z"
        other = 2 if member == "seat" else other
        forged = [*log[:index], log[index] | {"data": data | {member: other}}, *log[index + 1 :]]
    rules = audit(forged, open_cards=True).checks[3]
    assert (rules.name, rules.ok) == ("rules", False)
    with pytest.raises((AssertionError, IndexError)):
        OracleGame(forged, complete=False)


@pytest.mark.parametrize("seed", range(4))
def test_random_games_of_the_second_engine_pass(seed: int) -> None:
    """With banks, hours, vacations and pauses at random: whole, and as spectators see them at some versions."""
    log = play(seed, 2 + seed % 3, {"expensive_specials": False, "staggered_start": False}, stops=True)
    assert audit(log).ok
    ends = [event["version"] - 1 for event in log if event["type"] in {"CardTaken", "PileDrawn"}]
    for version in ends[seed::31]:
        assert audit(events_as_seen(log, None, version)).ok, version

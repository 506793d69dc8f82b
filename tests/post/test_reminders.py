"""Reminders: each turn's once, in its time, whatever clock, processes and games do."""

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from domain.clock.deadline import deadline, player_of, reminder_times
from domain.clock.hours import Hours
from domain.clock.pace import Pace
from domain.commands import EndVacation, GiveConsent, ResumeGame, TakeVacation, TimeOut
from tests.post.processes import World, notices_of, wish
from tests.support.profiles import examples
from tests.support.receivers import Receiver, answer, receiver
from tests.support.stores import Server, empty_client

HOUR, DAY = 3_600_000, 86_400_000
PACE = Pace(turn_seconds=3600, reminder_seconds=600)


def test_reminders_keep_out_of_vacations_and_pauses(world: World, found: Receiver) -> None:
    """What stops the clock plans the reminder anew, and what lets it run again, too."""
    game = world.create(pace=PACE)
    seat = game.turn_seat
    world.subscribe("g", seat, wish(found.port, "reminder"))
    world.later(2000)
    world.games.handle("g", TakeVacation(seat=seat, until=world.clock.now + 10_000_000))
    world.later(0)
    world.later(9000)
    world.games.handle("g", EndVacation(seat=seat))
    world.later(999)
    for one in (0, 1):
        world.games.handle("g", GiveConsent(seat=one, to="pause"))
    world.later(0)
    world.later(50_000)
    assert found.requests == []
    world.games.handle("g", ResumeGame(seat=1))
    world.later(0)
    assert found.requests == []
    world.later(1)
    world.later(1)
    assert notices_of(found.requests) == [("turn.reminder", seat, game.turn_version)]


def test_reminders_keep_to_the_hours(world: World, found: Receiver) -> None:
    """One that would be due at night comes in the morning, so long before the deadline as the clock counts."""
    world.clock.now = 1_790_000_000_000 // DAY * DAY + 20 * HOUR
    hours = Hours(opens=8 * 60, closes=21 * 60, zone="UTC")
    game = world.create(pace=Pace(turn_seconds=3 * 3600, reminder_seconds=3600, hours=hours))
    world.subscribe("g", game.turn_seat, wish(found.port, "reminder"))
    world.later(2 * 3600)
    world.later(11 * 3600 - 1)
    assert found.requests == []
    world.later(1)
    assert notices_of(found.requests) == [("turn.reminder", game.turn_seat, game.turn_version)]


OVER = [("wait", 2000), ("turn", 0), ("wait", 1000), ("wait", 2600)]
"""A turn has ended before its reminder was due; the next one's deadline passes."""
steps = st.lists(
    st.one_of(
        st.tuples(st.just("wait"), st.integers(0, 2000)),
        st.tuples(st.just("jump"), st.integers(-4000, 4000)),
        st.tuples(st.sampled_from(["turn", "time out", "restart", "lose", "subscribe", "other"]), st.just(0)),
    ),
    max_size=14,
)


def happen(world: World, step: str, seconds: int, chance: Random, port: int) -> None:
    match step:
        case "wait" | "jump":
            world.steady = step == "wait"
            world.clock.now += 1000 * seconds
        case "turn":
            if player_of(world.games.load("g").game) is None:
                world.end_turn(chance=chance)
        case "time out":
            world.games.handle("g", TimeOut(turn=world.games.load("g").game.turn))
        case "lose":
            world.lose_feed()
        case _:
            world.subscribe("g", 0, wish(port, "reminder", language="fr"))


@example(plan=[("wait", 2999), ("wait", 1), ("wait", 1)], reminder=600, seed=0)  # once, in its time
@example(plan=[*OVER, ("time out", 0), ("wait", 3600)], reminder=600, seed=0)
@example(plan=[("jump", 3100), ("jump", -1000), ("wait", 0), ("wait", 1000), ("wait", 1)], reminder=600, seed=0)
@example(plan=[("wait", 1600), ("wait", 2000), ("jump", -1), ("wait", 0)], reminder=1, seed=0)
@given(plan=steps, reminder=st.integers(1, 3599), seed=st.integers(0, 99))
@examples(0.4)
def test_no_reminder_is_false_or_double(server: Server, plan: list[tuple[str, int]], reminder: int, seed: int) -> None:
    """Over any schedule: judged when it arrives, and counted by turn; a jump is unsteady until time has passed."""
    sent: list[tuple[int, int]] = []
    late: set[int] = set()  # turns whose time was seen to be up: they stay so when the clock jumps back
    with empty_client("valkey", server) as client, receiver(answer()) as found:
        world = World(client)
        world.create(pace=Pace(turn_seconds=3600, reminder_seconds=reminder))
        for seat in (0, 1):
            world.subscribe("g", seat, wish(found.port, "reminder"))
        second = world.open_process()
        for step, seconds in plan:
            if step == "restart":
                world.process = world.open_process()
            elif step == "other":
                world.process, second = second, world.process
            else:
                happen(world, step, seconds, Random(seed), found.port)
            before = len(found.requests)
            world.send()
            game = world.games.load("g").game
            at, until = next(iter(reminder_times(game)), None), deadline(game)
            for kind, seat, version in notices_of(found.requests[before:]):
                assert (kind, version, seat) == ("turn.reminder", game.turn_version, game.turn_seat)
                assert at is not None
                assert until is not None
                assert at <= world.clock.now < until
                assert (world.steady, player_of(game)) == (True, None)
                sent.append((version, seat))
            if world.steady and until is not None and until <= world.clock.now:
                late.add(game.turn)
            elif world.steady and at is not None and at <= world.clock.now and game.turn not in late:
                assert (game.turn_version, game.turn_seat) in sent, "a reminder is missing"
        assert len(set(sent)) == len(sent), "a turn was reminded of twice"

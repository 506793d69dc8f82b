"""A turn that times out in the store, a bot that plays on, and its person's return."""

from dataclasses import replace

from domain.clock.deadline import SILENT_MS, deadline
from domain.clock.pace import Pace
from domain.clock.waiting import waiting_for
from domain.commands import Command, EndVacation, GiveConsent, ReclaimSeat, ResumeGame, TakeVacation, TimeOut
from service.bootstrap import Outside, Services
from service.connections.clients import Client, connect
from service.gamelog.history import decode_events
from service.gamelog.store.health.clock import StoreClock
from service.jobs import TIME_OUT
from service.runtime.clock import now_ms
from tests.gamelog.ledger import check_log, new_game, open_games
from tests.support.waiting import wait_until
from tests.support.world import Jobs, new_services
from workers.bots import play_turn
from workers.clock import time_out
from workers.threads.reconciler import Reconciler

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


class Clock:
    ahead = 0

    def __call__(self) -> int:
        return now_ms() + self.ahead


def due_at(services: Services, game: str) -> int | None:
    store = services.store
    score = store.client.zscore(store.keys(game).due, game)
    return None if score is None else int(score)


def is_for_a_bot(services: Services, game: str) -> bool:
    """Whether the game is in the list of those whose turn the bot player plays."""
    store = services.store
    return store.client.zscore(store.keys(game).turns, game) is not None


def test_a_deadline_is_due_and_kept(valkey: str) -> None:
    """By the store's clock, not by that of a process that is ahead; the bot plays on, and the log is whole."""
    clock, jobs, name = Clock(), Jobs(), "late"
    clock.ahead = -MINUTE  # the first turn began a minute ago
    games = open_games(connect(valkey), clock=clock, jobs=jobs)
    services = new_services(games, clock=StoreClock(games.store, settle_ms=0))
    games.create(replace(new_game(name), pace=Pace(turn_seconds=60)))
    began = games.load(name).game.turn_since
    assert due_at(services, name) == began + MINUTE
    assert jobs == []
    game = games.load(name).game
    wait = waiting_for(game)
    assert wait is not None
    services.reactions.enqueue(game, wait)
    assert jobs.pop() == (TIME_OUT, [name, 1])

    clock.ahead = 0

    def end_turn() -> bool:  # the clock measures by half a round trip too early or late
        time_out(services, name, 1)
        return is_for_a_bot(services, name)

    wait_until(end_turn)
    time_out(services, name, 1)  # a job may run twice
    play_turn(services, name)
    game = games.load(name).game
    assert (game.turn, game.turn_seat, game.seats[0].timeouts) == (2, 1, 1)
    assert due_at(services, name) == game.turn_since + MINUTE

    clock.ahead = 2 * MINUTE
    time_out(services, name, 2)  # the store's clock says that there is time left
    assert not games.load(name).game.timed_out
    types = [event["type"] for event in decode_events(games.store.read(name).entries)]
    assert types.count("TurnTimedOut") == 1
    assert check_log(games.store, name).version == len(types)


def test_a_released_seat_is_played_without_a_pace(valkey: str) -> None:
    clock, jobs, name = Clock(), Jobs(), "silent"
    games = open_games(connect(valkey), clock=clock, jobs=jobs)
    services, seat = new_services(games), games.create(new_game(name)).head.turn_seat
    clock.ahead = SILENT_MS
    assert (due_at(services, name), jobs) == (None, [])
    games.handle(name, GiveConsent(seat=1 - seat, to="release", about=seat))
    assert is_for_a_bot(services, name)
    play_turn(services, name)
    assert games.load(name).game.turn == 2


def test_an_abandoned_seat_is_played_and_taken_back(valkey: str) -> None:
    """While a bot plays its turn the person may return: the bot stops."""
    clock, name = Clock(), "away"
    games = open_games(connect(valkey), clock=clock)
    services = new_services(games)
    games.create(replace(new_game(name), pace=Pace(turn_seconds=60)))
    for _ in range(3):  # seats 0 and 1, and 0 again
        clock.ahead += MINUTE
        games.handle(name, TimeOut(turn=games.load(name).game.turn))
        play_turn(services, name)
    game = games.load(name).game
    assert [seat.away for seat in game.seats] == ["abandoned", None]
    assert game.turn_seat == 1
    games.handle(name, ReclaimSeat(seat=0))
    version = games.load(name).game.version
    play_turn(services, name)  # it is a person's turn
    assert games.load(name).game.version == version
    check_log(games.store, name)


def test_vacations_and_pauses_move_the_due_time(real_client: Client) -> None:
    """The append does so that stops the clock, or lets it run; the turn times out at its new deadline, not before."""
    now, jobs, name = [now_ms()], Jobs(), "stopped"
    games = open_games(real_client, clock=lambda: now[0], jobs=jobs)
    services = new_services(games, outside=Outside(clock=lambda: now[0]))
    reconciler = Reconciler(services)
    games.create(replace(new_game(name), pace=Pace(turn_seconds=3600)))
    began = games.load(name).game.turn_since

    def after(passed: int, *commands: Command) -> int | None:
        """When the game is due once so many milliseconds have passed, and the commands are carried out."""
        now[0] += passed
        for command in commands:
            games.handle(name, command)
        game = games.load(name).game
        assert due_at(services, name) == deadline(game)
        time_out(services, name, game.turn)  # before its time it does nothing
        reconciler.run_once()
        assert (due_at(services, name), jobs) == (deadline(game), [])
        return due_at(services, name)

    assert after(0) == began + HOUR
    assert after(0, TakeVacation(seat=1, until=now[0] + DAY)) == began + HOUR  # the other seat's
    assert after(10 * MINUTE, TakeVacation(seat=0, until=now[0] + 10 * MINUTE + DAY)) == began + HOUR + DAY
    assert after(HOUR + MINUTE, EndVacation(seat=0)) == began + 2 * HOUR + MINUTE
    assert after(0, GiveConsent(seat=0, to="pause")) == began + 2 * HOUR + MINUTE
    assert after(0, GiveConsent(seat=1, to="pause")) is None
    assert after(10 * DAY) is None
    until = after(0, ResumeGame(seat=1))
    assert until == began + 2 * HOUR + MINUTE + 10 * DAY
    assert after(until - now[0] - 1) == until

    now[0] = until
    reconciler.run_once()
    assert jobs.pop() == (TIME_OUT, [name, 1])
    time_out(services, name, 1)
    assert is_for_a_bot(services, name)
    assert check_log(games.store, name).timed_out

"""Time-outs while clocks jump: nobody times out too early, and every due time-out happens once the clock is steady."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import fakeredis
import pytest
from fakeredis.commands_mixins import server_mixin
from hypothesis import given
from hypothesis import strategies as st

from domain.clock.pace import Pace
from domain.commands import CompleteScoring, SeatPlan
from service.gamelog.store.health.clock import STEADY_MS, TOLERANCE_MS, StoreClock
from service.gamelog.store.streams import Store
from service.jobs import TIME_OUT
from tests.gamelog.ledger import any_act, new_game, open_games, play
from tests.support.world import BEGIN, Jobs, new_client, new_log, new_services
from workers.clock import time_out
from workers.threads.bot_player import BotPlayer
from workers.threads.reconciler import Reconciler
from workers.threads.reporter import Reporter

TURN_S = 3600
MINUTE, HOUR, DAY = 60, 3600, 86_400
GAME = "paced"


class World:
    """True time, the store's wall clock, a worker and a web process. Times are in milliseconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, bots: bool = False) -> None:
        self.true = self.shift = self.slack = 0
        self.jumped, self.jumped_at = 0, -STEADY_MS
        monkeypatch.setattr(server_mixin, "time", self)
        self.client = new_client()
        self.chance = Random(7)
        self.jobs: Jobs = []
        self.start("worker")
        self.start("web")
        seats = [SeatPlan(name="Anna"), SeatPlan(bot="greedy")] if bots else 2
        self.web.create(replace(new_game(GAME, seats), pace=Pace(turn_seconds=TURN_S, on_timeout="wait")))

    def time(self) -> float:
        return (BEGIN + self.true + self.shift) / 1000

    def start(self, process: str) -> None:
        boot, store = self.chance.randrange(10**9), Store(self.client, 1)
        clock = StoreClock(store, monotonic=lambda: self.true + boot)
        log = new_log(store, jobs=self.jobs, bot_delay_s=1.0, clock=clock.now_ms)
        if process == "web":
            self.web, self.web_clock = log, clock
            return
        self.services = new_services(log, clock=clock)
        self.reconciler = Reconciler(self.services)
        self.reconciler.run_once()

    def tick(self) -> None:
        self.true += 1000
        self.services.clock.measure()
        self.reconciler.run_once()
        self.work()
        self.web_clock.measure()

    def wait(self, seconds: int) -> None:
        self.true += seconds * 1000
        self.tick()

    def work(self) -> None:
        """Run the time-outs that are queued, and check each."""
        for name, arguments in self.jobs:
            if name == TIME_OUT:
                before = self.web.load(GAME).game
                time_out(self.services, *arguments)
                if self.web.load(GAME).game.timed_out and not before.timed_out:
                    assert self.time() * 1000 >= before.turn_since + TURN_S * 1000 - TOLERANCE_MS - self.slack
                    assert self.true - self.jumped_at >= STEADY_MS
        self.jobs.clear()

    def jump(self, seconds: int) -> None:
        self.shift += seconds * 1000
        self.jumped += abs(seconds)
        self.jumped_at = self.true if seconds else self.jumped_at

    def creep(self, ms: int) -> None:
        """Correct the store's clock by less than what is seen as a jump."""
        self.shift += ms
        self.slack += abs(ms)

    def play(self) -> None:
        turn = self.web.load(GAME).game.turn
        while (game := self.web.load(GAME).game).turn == turn and not game.over:
            self.web.handle(GAME, any_act(game, self.chance) if game.scoring is None else CompleteScoring(game.scoring))
        self.slack = 0

    def do(self, word: str, value: Any) -> None:
        match word:
            case "wait":
                self.wait(value)
            case "creep":
                self.creep(value)
            case "restart":
                self.start(value)
            case _:
                self.jump(value)
        if "play" in word:
            self.play()
        if word == "jump, restart":
            self.start("worker")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World(monkeypatch)
    yield world
    world.client.close()


JUMPS = st.sampled_from([-30 * DAY, -2 * HOUR, -5 * MINUTE, -3, 3, 5 * MINUTE, 2 * HOUR, 30 * DAY])
STEPS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([1, 30, 9 * MINUTE, 11 * MINUTE, HOUR - 1])),
    st.tuples(st.just("jump"), JUMPS),
    st.tuples(st.just("jump, play"), JUMPS),
    st.tuples(st.just("jump, restart"), JUMPS),
    st.tuples(st.just("creep"), st.sampled_from([-1900, 1900])),
    st.tuples(st.just("jump, play"), st.just(0)),
    st.tuples(st.just("restart"), st.sampled_from(["worker", "web"])),
)


@pytest.mark.nightly
@given(steps=st.lists(STEPS, max_size=12))
def test_no_time_out_is_early_and_none_is_lost(steps: list[tuple[str, Any]]) -> None:
    """Over turns, restarts, and jumps of the store's clock and of the processes' own."""
    with pytest.MonkeyPatch.context() as patch:
        world = World(patch)
        for word, value in steps:
            world.do(word, value)
            world.tick()
        game = world.web.load(GAME).game
        if game.over:
            return
        for seconds in (STEADY_MS // 1000, TURN_S + world.jumped + 10, 5):
            world.wait(seconds)
        assert world.web.load(GAME).game.timed_out, steps


def test_a_jump_holds_time_outs_for_ten_minutes(world: World) -> None:
    """No job is queued meanwhile, however often the reconciler looks; a worker that starts then waits, too."""
    world.wait(HOUR - 10)
    world.jump(5)
    world.tick()
    assert not world.services.clock.is_steady()
    world.wait(20)
    world.start("worker")
    world.tick()
    assert not world.services.clock.is_steady()
    due = world.services.store.keys(GAME).due
    at = world.client.zscore(due, GAME)
    assert at == world.services.clock.jumped_at + STEADY_MS
    for _ in range(5):
        world.wait(100)
    assert world.client.zscore(due, GAME) == at
    assert not world.web.load(GAME).game.timed_out
    world.wait(100)
    assert world.services.clock.is_steady()
    assert world.web.load(GAME).game.timed_out


def test_an_outage_holds_time_outs_for_an_hour(world: World) -> None:
    """Of a store that all processes outlive: none of them times out a turn before it is noted, or soon afterwards."""
    reporter = Reporter(world.services)
    reporter.run_once()
    world.wait(HOUR)
    for _ in range(12):
        assert not world.web.load(GAME).game.timed_out
        reporter.run_once()
        world.wait(5 * MINUTE)
    assert world.web.load(GAME).game.timed_out


def test_a_clock_that_was_ahead_stops_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten days ahead, one turn, and back: the bot plays at once, and so does one whose turn begins afterwards."""
    world = World(monkeypatch, bots=True)
    world.jump(10 * DAY)
    world.tick()
    turns = world.services.store.keys(GAME).turns
    world.play()
    world.jump(-10 * DAY)
    assert world.client.zscore(turns, GAME) > world.time() * 1000 + 9 * DAY * 1000
    world.services.clock.measure()
    world.reconciler.run_once()
    assert BotPlayer(world.services, world.reconciler).run_once() == 1
    assert world.web.load(GAME).game.turn == 3
    world.web_clock.measure()
    world.play()  # the person, whose events can't be earlier than those before
    game = world.web.load(GAME).game
    assert game.at > world.time() * 1000 + 9 * DAY * 1000
    assert world.client.zscore(turns, GAME) == round(world.time() * 1000) + 1000


def test_a_game_from_the_future_is_scored_at_once() -> None:
    """One that was played, or is imported, from a machine whose clock was ahead."""
    source, chance = (
        open_games(fakeredis.FakeRedis(server=fakeredis.FakeServer()), clock=lambda: BEGIN + 10 * DAY),
        Random(5),
    )
    source.create(new_game(GAME))
    play(source, GAME, chance, lambda game: game.scoring is not None)
    here = open_games(fakeredis.FakeRedis(server=fakeredis.FakeServer()), clock=lambda: BEGIN)
    here.import_game(source.load_history(GAME))
    assert here.store.client.zscore(here.store.keys(GAME).due, GAME) == BEGIN + 1000

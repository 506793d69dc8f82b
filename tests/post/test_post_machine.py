"""The promise, in any order of what can happen: appends, subscriptions, post processes that start and die at any step.

A client of the store loses calls before or after they have taken effect; after each loss the process that made it is
dead, and its threads with it. Receivers fail, and come back. Time passes. Seats have standing orders, a device beside
the webhook, quiet hours, or a chat's channel that they share.
"""

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from domain.clock.deadline import player_of, reminder_times
from domain.clock.hours import Hours
from domain.clock.pace import Pace
from domain.commands import (
    CompleteScoring,
    Draw,
    GiveConsent,
    PostMessage,
    ReclaimSeat,
    Resign,
    Take,
    TimeOut,
    WithdrawConsent,
)
from domain.orders.planner import Step
from domain.state import Game
from service.connections.clients import STORE_ERRORS, Client
from service.gamelog.store.errors import StoreUnavailable
from service.post.channel_table import CHANNELS
from service.post.channels.connection import Fault
from service.post.channels.results import SendResult
from service.post.channels.webhook import Message
from service.post.claim import AGAIN, FIRST
from service.post.sending import sender as sender_module
from service.post.subscriptions import WebhookTarget
from tests.gamelog.ledger import LosingClient
from tests.post.processes import World, send_webhooks_by, wish
from tests.post.test_push import Phone
from tests.support.profiles import examples
from tests.support.stores import Server, empty_client
from workers.orders import play_orders
from workers.post.process import PostProcess

GAMES = ("a", "b")
PACE = Pace(turn_seconds=3600, reminder_seconds=1200)
HOUR_MS = 3_600_000
RETRY_MS = 60_000
NOON_MS = 12 * HOUR_MS
"""Until when, each day, the notices of a seat wait: that of `a` with the number 1."""
CHANNEL = WebhookTarget(url="https://discord.com/api/webhooks/1/x", secret="", format="discord")
WISHES = {
    ("a", 0): wish(devices={"1": Phone().device(1)}),
    ("a", 1): wish(quiet=Hours(opens=0, closes=12 * 60, zone="UTC")),
    ("b", 0): wish(webhook=CHANNEL),
    ("b", 1): wish(webhook=CHANNEL),
}
TAKE = Step(tuple(Take(slot=slot) for slot in range(3)), repeat=True)
ORDERS = [(TAKE,) * 3, (Step((Draw(),)),), (TAKE, Step((Take(slot=0),)))]
OUTCOMES = {"TurnTimedOut", "SeatAbandoned"}
PEOPLE = {"ConsentGiven", "ConsentWithdrawn", "SeatReclaimed", "PlayerResigned"} | OUTCOMES
games, seats = st.sampled_from(GAMES), st.integers(0, 1)
fates = st.lists(st.sampled_from(["", "", "", "before", "after"]), max_size=8)


class PostMachine(RuleBasedStateMachine):
    """Two post processes over one store, and the web processes."""

    client: Client

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.world = World(self.client)
        self.services = self.world.services  # of workers, which lose no calls
        self.losing = [LosingClient(self.client), LosingClient(self.client)]
        self.processes: list[PostProcess | None] = [None, None]
        self.chance = Random(1)
        self.failing, self.deaths = False, 0
        self.received: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        """By id: when it was delivered, and how many processes had died before."""
        self.tried: defaultdict[str, int] = defaultdict(int)
        self.wanted: dict[tuple[str, int], int] = {}
        """Since which version each seat has been subscribed."""
        for game, pace in zip(GAMES, (PACE, None), strict=True):
            self.world.create(game, pace)
            for seat in (0, 1):
                self.subscribe(game, seat)
        self.world.process.follower.follow()  # a position that is lost before loses what people did

    def start(self, number: int) -> PostProcess:
        process = self.processes[number]
        if process is None:
            self.losing[number].plan.clear()
            self.world.outside = {}
            process = self.processes[number] = self.world.open_process(self.losing[number])
            send_webhooks_by(process, self.post)
        return process

    def post(self, message: Message, recheck: Callable[[], None]) -> SendResult:
        recheck()
        name, version, seat, kind = message.id.split(".", 3)
        game = self.world.games.load(name).game
        self.tried[message.id] += 1
        if (name, seat) == ("a", "1"):
            assert self.world.clock.now % (2 * NOON_MS) >= NOON_MS, "told in its quiet hours"
        if kind.startswith("turn"):
            assert (game.turn_version, game.turn_seat) == (int(version), int(seat)), "a turn that is over was told"
            assert player_of(game) is None
            assert not game.over
        if kind.startswith("turn.reminder"):
            at = next(iter(reminder_times(game)), None)
            assert at is not None
            assert at <= self.world.clock.now < at + 1000 * (PACE.reminder_seconds or 0), "a false reminder"
        if self.failing:
            return SendResult(Fault.TIMEOUT.value, is_unanswered=True)
        self.received[message.id].append((self.world.clock.now, self.deaths))
        return SendResult()

    def survive(self, number: int, call: Any) -> None:
        """Let a process do something; where it loses an answer it is dead."""
        try:
            call()
        except (StoreUnavailable, *STORE_ERRORS):
            self.processes[number] = None
            self.deaths += 1

    def attempt_all(self, process: PostProcess) -> None:
        for lane in (FIRST, AGAIN):
            for claim in process.outbox.claim(lane, 5):
                process.pool._attempt(claim, lane)

    @rule(game=games, seat=seats)
    def subscribe(self, game: str, seat: int) -> None:
        self.world.subscribe(game, seat, WISHES[game, seat])
        self.wanted[game, seat] = self.world.games.load(game).game.version

    @rule(game=games)
    def end_turn(self, game: str) -> None:
        now = self.world.games.load(game).game
        if not now.over and player_of(now) is None:
            self.world.end_turn(game, self.chance)

    @rule(game=games, seat=seats)
    def talk(self, game: str, seat: int) -> None:
        self.world.games.handle(game, PostMessage(seat=seat, text="hello"))

    @rule(game=games, seat=seats)
    def ask(self, game: str, seat: int) -> None:
        """For the end of the game, or no longer; the other one never agrees, and is there to be asked."""
        now = self.world.games.load(game).game
        if not now.over and not any(one.away for one in now.seats) and (1 - seat, "cancel") not in now.consents:
            ask = WithdrawConsent if (seat, "cancel") in now.consents else GiveConsent
            self.world.games.handle(game, ask(seat=seat, to="cancel"))

    @rule(game=games, seat=seats, steps=st.sampled_from(ORDERS))
    def order(self, game: str, seat: int, steps: tuple[Step, ...]) -> None:
        now = self.world.games.load(game).game
        if not now.over and now.seats[seat].away is None:
            self.services.orders.put(game, seat, steps)

    @rule(game=games)
    def obey(self, game: str) -> None:
        """A turn that orders end was never told; but one may have been that they end once its time is up."""
        now = self.world.games.load(game).game
        play_orders(self.services, game, now.turn)
        after = self.world.games.load(game).game
        if (after.turn > now.turn or (after.over and not now.over)) and not now.timed_out:
            assert not self.tells(game, now.turn_version, now.turn_seat, "turn.started")

    @rule(game=games)
    def time_out(self, game: str) -> None:
        self.world.games.handle(game, TimeOut(turn=self.world.games.load(game).game.turn))

    @rule(game=games, seat=seats, back=st.booleans())
    def leave(self, game: str, seat: int, back: bool) -> None:
        now = self.world.games.load(game).game
        if back and now.seats[seat].away == "abandoned":
            self.world.games.handle(game, ReclaimSeat(seat=seat))
        elif not back and not now.over and now.seats[seat].away != "resigned" and self.chance.random() < 0.1:
            self.world.games.handle(game, Resign(seat=seat))

    @rule(number=seats, plan=fates)
    def follow(self, number: int, plan: list[str]) -> None:
        process = self.start(number)
        self.losing[number].plan.extend(plan)
        self.survive(number, process.follower.follow)

    @rule(number=seats, plan=fates)
    def remind(self, number: int, plan: list[str]) -> None:
        process = self.start(number)
        self.losing[number].plan.extend(plan)
        self.survive(number, process.reminders.add_due)

    @rule(number=seats, plan=fates)
    def send(self, number: int, plan: list[str]) -> None:
        process = self.start(number)
        self.losing[number].plan.extend(plan)
        self.survive(number, lambda: self.attempt_all(process))

    @rule()
    def lose_position(self) -> None:
        self.world.lose_feed()

    @rule(failing=st.booleans())
    def receivers(self, failing: bool) -> None:
        self.failing = failing

    @rule(milliseconds=st.sampled_from([1, 1000, CHANNELS["webhook"].lease_ms, 600_000, HOUR_MS // 2, HOUR_MS]))
    def wait(self, milliseconds: int) -> None:
        self.world.clock.now += milliseconds

    @rule()
    def settle(self) -> None:
        """Everything works, at noon: each turn that is on, and what people did, has been told, and nothing waits."""
        self.failing = False
        for name in GAMES * 99:  # orders may end turn after turn, and bring rounds
            self.score(name)
            self.obey(name)
        self.world.clock.now += CHANNELS["webhook"].lease_ms + RETRY_MS
        self.world.clock.now += max(0, NOON_MS - self.world.clock.now % (2 * NOON_MS))
        process = self.start(0)
        self.losing[0].plan.clear()
        while process.follower.follow():
            pass
        for _ in range(60):  # notices of a game to one host leave at a pace, once twenty have left together
            self.world.clock.now += 3000
            process.reminders.add_due()
            self.attempt_all(process)
        for (name, seat), since in self.wanted.items():
            game = self.world.games.load(name).game
            if not game.over and game.turn_seat == seat and player_of(game) is None:
                self.check_told(game, seat)
                assert since <= game.version
            self.check_people(name, seat, since)
        store = self.world.games.store
        for key in (*store.shard_keys(FIRST), *store.shard_keys(AGAIN)):
            assert store.client.zrange(key, 0, -1) == []

    def score(self, name: str) -> None:
        if (number := self.world.games.load(name).game.scoring) is not None:
            self.world.games.handle(name, CompleteScoring(round=number))

    def check_told(self, game: Game, seat: int) -> None:
        assert self.tells(game.id, game.turn_version, seat, "turn.started") == 1 + ((game.id, seat) == ("a", 0))
        at = next(iter(reminder_times(game)), None)
        if at is not None and at <= self.world.clock.now < at + 1000 * (PACE.reminder_seconds or 0):
            assert self.tells(game.id, game.turn_version, seat, "turn.reminder")

    def tells(self, game: str, version: int, seat: int, kind: str) -> int:
        """How many receivers of the seat have got it."""
        begin = f"{game}.{version}.{seat}.{kind}"
        return sum(one == begin or one.startswith(f"{begin}.") for one in self.received)

    def check_people(self, name: str, seat: int, since: int) -> None:
        """Each event of people since then, once for each receiver of the others; a chat's gets it from any of them."""
        events = self.world.games.load_events(name, since)[1]
        for event in (one for one in events if one["type"] in PEOPLE):
            if event["data"]["seat"] == seat and event["type"] not in OUTCOMES:
                continue
            each = (0, 1) if name == "b" else (seat,)
            found = sum(self.tells(name, event["version"], one, "people.changed") for one in each)
            assert found == 1 + ((name, seat) == ("a", 0)), (name, seat, event)

    @invariant()
    def nothing_is_doubled(self) -> None:
        """But where a process died between its attempt and the step that settles it, and its lease has ended."""
        for deliveries in self.received.values():
            for (then, died), (now, have_died) in pairwise(deliveries):
                assert now - then >= CHANNELS["webhook"].lease_ms, "told again before the lease has ended"
                assert have_died > died, "told again though no process has died"


def test_the_promise_holds_in_any_order(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender_module, "next_attempt", lambda _attempt, _first, now, *_: now + RETRY_MS)
    with empty_client("valkey", server) as client:
        machine = type("Machine", (PostMachine,), {"client": client})
        run_state_machine_as_test(machine, settings=settings(examples(0.25), stateful_step_count=30))

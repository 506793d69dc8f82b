"""A deployment with standing orders, on a clock that tests move."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

from domain.clock.pace import Pace
from domain.orders.planner import Orders
from domain.state import Game
from service.bootstrap import Outside, Services
from service.connections.clients import STORE_ERRORS, connect
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.feed import Feed
from service.gamelog.store.streams import Store
from service.jobs import PLAY_ORDERS, TIME_OUT
from service.signing.deployment import Deployment
from tests.gamelog.ledger import LosingClient, new_game, play_until
from tests.support.waiting import patience
from tests.support.world import BEGIN, Jobs, new_log, new_services
from workers.orders import note_lines, play_orders
from workers.threads.reconciler import Reconciler

SHARDS = 2
DELAY_MS = 1000
DEPLOYMENT = Deployment.new(SHARDS)


class Desk:
    """A deployment on a clock that the test moves: the feed's reader, the reconciler, and workers that may crash."""

    def __init__(self, valkey: str) -> None:
        self.now = BEGIN
        self.jobs: Jobs = []
        self.client = connect(f"{valkey}{'&' if '?' in valkey else '?'}db=5")
        self.client.flushdb()
        self.losing = LosingClient(self.client)
        self.services = self.process(self.client)
        self.games = self.services.games
        self.feed = Feed(self.services.store, "orders")
        list(self.feed.rebuild_pages())

    def process(
        self, client: object, between: Callable[[str], None] = lambda _gap: None, seconds: float = 3
    ) -> Services:
        store = Store(client, SHARDS, patience(seconds) if seconds else 0)
        outside = Outside(clock=lambda: self.now)
        games = new_log(store, jobs=self.jobs, bot_delay_s=DELAY_MS / 1000, clock=outside.clock, between=between)
        return new_services(games, deployment=DEPLOYMENT, outside=outside)

    def open(self, game: str, pace: Pace | None = None) -> None:
        self.games.create(replace(new_game(game), pace=pace))

    def game(self, name: str) -> Game:
        return self.games.load(name).game

    def due_at(self, game: str) -> int | None:
        score = self.client.zscore(self.services.store.keys(game).due, game)
        return None if score is None else int(score)

    def read_feed(self) -> None:
        while batches := self.feed.read():
            for batch in batches:
                note_lines(self.services, batch.lines)
                self.feed.advance([batch])

    def reconcile(self, services: Services | None = None) -> list[tuple[str, list[str | int]]]:
        """The jobs that are enqueued for what is due now, by this process or another."""
        self.jobs.clear()
        Reconciler(services or self.services).run_once()
        return [job for job in self.jobs if job[0] in (PLAY_ORDERS, TIME_OUT)]

    def work(self) -> None:
        """Let everything happen that happens now and in the next seconds."""
        for _ in range(8):
            self.read_feed()
            for function, arguments in self.reconcile():
                assert function == PLAY_ORDERS
                play_orders(self.services, str(arguments[0]), int(arguments[1]))
            self.now += 2500

    def work_with_losses(self, losses: Sequence[tuple[int, str]]) -> None:
        """The same by workers that crash: after so many calls one is lost on its way, or its answer is."""
        for calls, fate in losses:
            self.losing.plan.extend([*[""] * calls, fate])
            worker = self.process(self.losing, seconds=0)
            with suppress(*STORE_ERRORS, StoreUnavailable):
                for batch in self.feed.read():
                    note_lines(worker, batch.lines)
                    self.feed.advance([batch])
                for function, arguments in self.reconcile(worker):
                    assert function == PLAY_ORDERS
                    play_orders(worker, str(arguments[0]), int(arguments[1]))
            self.losing.plan.clear()
            self.now += 1100
        self.work()

    def left(self, game: str, seat: int) -> Orders:
        held = self.services.orders.load(game, seat)
        assert held is not None
        return held.orders

    def play_by_hand(self, name: str, chance: Random) -> None:
        """The rest of the turn, by its player; a scoring round by a worker."""
        turn = self.game(name).turn
        play_until(self.games, name, chance, lambda game: game.turn != turn)

"""A deployment with standing orders, on a clock that tests move."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

from config.settings import Settings
from domain.clock.pace import Pace
from domain.commands import Act, CompleteScoring
from domain.legality import legal_actions
from domain.orders.planner import Orders
from domain.state import Game
from service.bootstrap import Outside, Services, assemble
from service.connections.clients import STORE_ERRORS, connect
from service.gamelog.errors import StoreUnavailable
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.feed import Feed
from service.gamelog.store.streams import Store
from service.jobs import PLAY_ORDERS, TIME_OUT
from service.signing.deployment import Deployment
from tests.gamelog.ledger import LosingClient, new_game
from tests.support.waiting import patience
from workers.orders import note_lines, play_orders
from workers.threads.reconciler import Reconciler

SHARDS = 2
BEGIN = 1_770_000_000_000
DELAY_MS = 1000
DEPLOYMENT = Deployment.new(SHARDS)


class Desk:
    """A deployment on a clock that the test moves: the feed's reader, the reconciler, and workers that may crash."""

    def __init__(self, valkey: str) -> None:
        """In a database of its own, which is empty."""
        self.now = BEGIN
        self.jobs: list[tuple[str, list[str | int]]] = []
        self.client = connect(f"{valkey}{'&' if '?' in valkey else '?'}db=5")
        self.client.flushdb()
        self.losing = LosingClient(self.client)
        self.services = self.process(self.client)
        self.games = self.services.games
        self.feed = Feed(self.services.store, "orders")
        list(self.feed.rebuild())

    def process(
        self, client: object, between: Callable[[str], None] = lambda _gap: None, seconds: float = 3
    ) -> Services:
        """The services of another process."""
        reactions = Reactions(
            lambda function, _job, arguments: self.jobs.append((function, arguments)), DELAY_MS / 1000
        )
        store = Store(client, SHARDS, patience(seconds) if seconds else 0)
        games = GameLog(store, reactions, clock=lambda: self.now, between=between)
        return assemble(Settings(), DEPLOYMENT, games, Outside(clock=lambda: self.now))

    def open(self, game: str, pace: Pace | None = None) -> None:
        """A game of two people."""
        self.games.create(replace(new_game(game), pace=pace))

    def game(self, name: str) -> Game:
        """At its present version."""
        return self.games.load(name).game

    def due_at(self, game: str) -> int | None:
        """When the game is due."""
        score = self.client.zscore(self.services.store.keys(game).due, game)
        return None if score is None else int(score)

    def read_feed(self) -> None:
        """Deal with all lines."""
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
        """The orders as their owner is shown them."""
        held = self.services.orders.load(game, seat)
        assert held is not None
        return held.orders

    def play_by_hand(self, name: str, chance: Random) -> None:
        """The rest of the turn, by its player; a scoring round by a worker."""
        turn = self.game(name).turn
        while not (game := self.game(name)).over and game.turn == turn:
            if game.scoring is not None:
                self.games.handle(name, CompleteScoring(round=game.scoring))
            else:
                action = chance.choice(list(legal_actions(game, game.turn_seat)))
                self.games.handle(name, Act(seat=game.turn_seat, actions=(action,)))

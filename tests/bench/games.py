"""Random games for the benchmarks, planned ahead, and a quick way to get them into a store."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.settings import Settings
from domain.commands import Act, Command, CreateGame
from domain.events import Event
from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.commit import _COMMIT
from service.gamelog.store.keys import KeyNames
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from tests.support.play import steps
from tests.support.waiting import patience

BATCH = 500
"""Appends of one pipeline, at most."""
BATCH_BYTES = 1_000_000
"""And bytes, about."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole game by random players."""

    create: CreateGame
    commands: list[Command]
    """All that follow, until the game is over."""
    actions: list[int]
    """Places of the players' actions among `commands`: action number n stands at `actions[n - 1]`."""
    scoring_actions: list[int]
    """Numbers of the actions that begin a scoring round."""
    events: list[Event]
    """Of the whole game."""

    def action(self, number: int) -> Act:
        """The action of that number, from 1."""
        command = self.commands[self.actions[number - 1]]
        assert isinstance(command, Act)
        return command

    def before(self, number: int) -> list[Command]:
        """Every command before the action of that number, but the creation."""
        return self.commands[: self.actions[number - 1]]


def random_plans(chance: Random, fits: Callable[[Plan], bool] = lambda _plan: True) -> Iterator[Plan]:
    """Games of 2 to 5 seats, without an end, that fit."""
    while True:
        played = list(steps(chance.randint(2, 5), f"{chance.getrandbits(64):016x}"))
        create, *commands = [command for command, _ in played]
        assert isinstance(create, CreateGame)
        actions = [place for place, command in enumerate(commands) if isinstance(command, Act)]
        scoring = [n for n, place in enumerate(actions, 1) if played[place + 1][1].game.scoring is not None]
        events = [event for _, decision in played for event in decision.events]
        plan = Plan(create, commands, actions, scoring, events)
        if fits(plan):
            yield plan


def store_of(client: Client) -> Store:
    """The store behind a client."""
    return Store(client, Settings().shards)


def game_log(store: Store, clock: Callable[[], int] = now_ms) -> GameLog:
    """A log on the store with an empty cache; it calls no worker."""
    return GameLog(store, Reactions(lambda *_: None, Settings().bot_delay), clock=clock)


def _patient(url: str) -> redis.Redis:
    """A client of one server, which waits longer than the service would: on a busy machine a batch takes its time."""
    wait = patience(60)
    return redis.Redis.from_url(url, protocol=3, socket_timeout=wait, retry=Retry(NoBackoff(), 0))


class _Batches:
    """A store client that sends appends many at a time, and assumes that they are accepted."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._batch = client.pipeline(transaction=False)
        self._bytes = 0
        client.script_load(_COMMIT.text)

    def pipeline(self, **options: Any) -> Any:
        """A read, after the waiting appends are sent."""
        self.flush()
        return self.client.pipeline(**options)

    def evalsha(self, sha: str, count: int, *arguments: Any) -> Any:
        if sha != _COMMIT.sha:
            self.flush()
            return self.client.evalsha(sha, count, *arguments)
        self._batch.evalsha(sha, count, *arguments)
        self._bytes += sum(len(one) for one in arguments if isinstance(one, str | bytes))
        if len(self._batch) >= BATCH or self._bytes >= BATCH_BYTES:
            self.flush()
        return [b"done"]

    def __getattr__(self, name: str) -> Any:
        """Other commands go to the client, after the waiting appends are sent."""
        self.flush()
        return getattr(self.client, name)

    def flush(self) -> None:
        answers = self._batch.execute()
        self._bytes = 0
        assert all(answer == [b"done"] for answer in answers)


@contextmanager
def filling(url: str, clock: Callable[[], int] = now_ms) -> Iterator[GameLog]:
    """A log on a store that no other process writes to meanwhile; all appends are sent when the block ends."""
    with _patient(url) as client:
        batches = _Batches(client)
        yield game_log(store_of(batches), clock)
        batches.flush()


def store_games(url: str, plans: Sequence[Plan], count: int) -> None:
    """Put so many running games, half of each played, into a store: copies of a few, which nobody opens."""
    originals = [f"stored{number}" for number in range(len(plans))]
    with filling(url) as log:
        for game, plan in zip(originals, plans, strict=True):
            log.create(replace(plan.create, game=game))
            for command in plan.before(len(plan.actions) // 2):
                log.handle(game, command)
    names = KeyNames(Settings().shards)
    with _patient(url) as client:
        dumps = [[client.dump(key) for key in names.keys(game)[:2]] for game in originals]
        for at in range(0, count, BATCH):
            batch = client.pipeline(transaction=False)
            for number in range(at, min(at + BATCH, count)):
                for key, content in zip(names.keys(f"copy{number}")[:2], dumps[number % len(dumps)], strict=True):
                    batch.restore(key, 0, content)
            batch.execute()

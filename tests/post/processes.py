"""A post process for tests, in their own process: over a real store, with a clock that only a test moves."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from random import Random
from typing import Any

from config.settings import Settings
from domain.clock.pace import Pace
from domain.commands import CompleteScoring
from domain.state import Game
from service.bootstrap import Outside, Services
from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.post.channels.results import SendResult
from service.post.channels.webhook import Message
from service.post.noticing.notice_queue import NoticeQueue
from service.post.outbox import Outbox
from service.post.subscriptions import WORDS, Subscription, WebhookTarget
from service.runtime.clock import now_ms
from service.signing.deployment import Deployment
from service.signing.tokens import Tokens
from tests.gamelog.ledger import SHARDS, any_act, new_game, open_games
from tests.post.mails import text_of
from tests.support.waiting import patience
from tests.support.webhooks import SECRET
from workers.post.process import PostProcess, open_post

PACE = Pace(turn_seconds=3600, reminder_seconds=600)


def wish(port: int = 1, *on: str, **changes: Any) -> Subscription:
    """A subscription for the webhook at a port of this machine, to everything or some words."""
    values: dict[str, Any] = {
        "email": None,
        "is_confirmed": False,
        "webhook": WebhookTarget(url=f"http://127.0.0.1:{port}/hook", secret=SECRET, format="standard"),
        "on": frozenset(on or WORDS),
        "language": "en",
        "while_watching": True,
        "nonce": "first",
    }
    return Subscription(**values | changes)


def by_mail(*on: str, **changes: Any) -> Subscription:
    """A subscription for a confirmed address alone."""
    return wish(1, *on, **{"email": "anna@example.org", "is_confirmed": True, "webhook": None} | changes)


def mail_settings(port: int = 1) -> Settings:
    """Those of a service whose mail server is at a port of this machine."""
    links = {"mail_from": "post@example.com", "public_url": "https://play.example.com"}
    return Settings(smtp_url=f"smtp://127.0.0.1:{port}", webhook_allow_private=True, **links)


@dataclass
class Clock:
    now: int = field(default_factory=now_ms)

    def __call__(self) -> int:
        return self.now


@dataclass
class World:
    client: Client
    clock: Clock = field(default_factory=Clock)
    settings: Settings = field(default_factory=lambda: Settings(webhook_allow_private=True, public_url="https://a.org"))
    outside: dict[str, Any] = field(default_factory=dict)
    threads: int = 8
    steady: bool = True

    def __post_init__(self) -> None:
        self.games: GameLog = open_games(self.client, clock=self.clock)
        self.deployment = Deployment.new(SHARDS)
        self.process = self.open_process()
        self.subscriptions = self.services.subscriptions

    def open_process(self, client: Client | None = None) -> PostProcess:
        games = open_games(client or self.client, clock=self.clock, seconds=0)
        outside = Outside(clock=self.clock, chance=Random(1), **self.outside)
        self.services = Services(self.settings, self.deployment, games, outside)
        return open_post(self.services, is_steady=lambda: self.steady, threads=self.threads)

    @property
    def outbox(self) -> Outbox:
        return self.process.outbox

    def lose_feed(self) -> None:
        self.client.delete(*self.games.store.shard_keys("feed"))

    def queue(self) -> NoticeQueue:
        return NoticeQueue(self.outbox, open_games(self.client, clock=self.clock))

    def issue_token(self, name: str, seat: int) -> str:
        return Tokens(self.deployment.token_secrets).issue(name, seat)

    def create(self, name: str = "g", pace: Pace | None = PACE, seats: int = 2) -> Game:
        """Open a game of people; the feed has readers from then on."""
        self.process.follower.follow()
        return self.games.create(replace(new_game(name, seats), pace=pace)).head

    def subscribe(self, name: str, seat: int, subscription: Subscription) -> None:
        """As `PUT …/notifications` does."""
        game = self.games.load(name).game
        self.subscriptions.save(name, seat, subscription)
        kept = self.subscriptions.load_seat(name, seat)
        assert kept
        self.queue().notify_turn(game, seat, kept)

    def end_turn(self, name: str = "g", chance: Random | None = None) -> Game:
        """Play until the next turn, or the end, with rounds scored on the way."""
        chance = chance or Random(name)
        before = self.games.load(name).game.turn
        while not (now := self.games.load(name).game).over and (now.turn == before or now.scoring):
            self.games.handle(name, CompleteScoring(round=now.scoring) if now.scoring else any_act(now, chance))
        return now

    def send(self) -> None:
        while self.process.follower.follow():
            pass
        self.process.reminders.add_due()
        while self.process.pool.send_due():
            assert self.process.pool.wait(patience(30))

    def later(self, seconds: float) -> None:
        self.clock.now += round(seconds * 1000)
        self.send()


@dataclass
class Mailbox:
    """What takes mails in a mail server's place."""

    clock: Clock
    fault: SendResult | None = None
    """The outcome, instead of taking a mail."""
    mails: list[EmailMessage] = field(default_factory=list)
    tried: list[EmailMessage] = field(default_factory=list)
    begun: dict[str, int] = field(default_factory=dict)
    """By id: when the mail came first."""

    def send(self, mail: EmailMessage, recheck: Callable[[], None]) -> SendResult:
        recheck()
        self.tried.append(mail)
        self.begun.setdefault(mail["Message-ID"], self.clock.now)
        self.mails += [mail] * (self.fault is None)
        return self.fault or SendResult()

    def texts(self) -> list[str]:
        """The mails' plain texts, on one line each."""
        return [" ".join(text_of(mail).split()) for mail in self.mails]


def world_with_mails(client: Client) -> tuple[World, Mailbox]:
    mailbox = Mailbox(Clock())
    world = World(client, clock=mailbox.clock, settings=mail_settings(), outside={"send_mail": mailbox.send})
    return world, mailbox


def sender_of(process: PostProcess) -> Any:
    return process.pool._attempt.__self__  # type: ignore[attr-defined]


def send_webhooks_by(process: PostProcess, send: Callable[[Message, Callable[[], None]], SendResult]) -> None:
    sender = sender_of(process)
    object.__setattr__(sender, "transports", replace(sender.transports, send_webhook=send))


def notices_of(requests: Sequence[tuple[str, dict[str, str], bytes]]) -> list[tuple[str, int, int]]:
    """Type, seat and version of each notice that a receiver got."""
    bodies = [json.loads(body) for _, _, body in requests]
    return [(body["type"], body["data"]["seat"], body["data"]["version"]) for body in bodies]

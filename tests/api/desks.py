"""A service in process with a queue that keeps what it is given."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any, Self

import httpx

from config.settings import Settings
from domain.state import Game
from service.bootstrap import Outside
from service.connections.clients import connect
from service.gamelog.store.streams import Store
from service.post.channels.results import SendResult
from service.post.notices import CONFIRMATION, Notice
from service.post.subscriptions import Subscription
from service.signing.deployment import Deployment
from service.signing.tokens import SeatToken
from tests.support.client import Table
from tests.support.waiting import patience
from tests.support.world import Process
from workers.post.process import PostProcess, open_post

SHARDS = 2
URL = "https://example.org/hook?a=b"
MAIL = "anna@example.org"
PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Desk:
    asked: list[tuple[str, int, str]] = field(default_factory=list)
    told: list[tuple[str, int]] = field(default_factory=list)
    receivers: list[tuple[str, str, int, str, int]] = field(default_factory=list)
    forgotten: list[tuple[str, int]] = field(default_factory=list)
    sent: list[tuple[str, dict[int, str]]] = field(default_factory=list)

    @property
    def outbox(self) -> Self:
        return self

    def tell_of_receiver(self, kind: str, game: str, seat: int, words: str, generation: int) -> None:
        self.receivers.append((kind, game, seat, words, generation))

    def send_mails(self, kind: str, game: str, details: Mapping[int, str]) -> None:
        self.asked += [(game, seat, detail) for seat, detail in details.items() if kind == CONFIRMATION]
        self.sent += [(game, dict(details))] * (kind != CONFIRMATION)

    def notify_turn(self, game: Game, seat: int, subscription: Subscription) -> None:
        self.told.append((game.id, seat))

    def find_waits(self, notices: Sequence[Notice]) -> list[int]:
        return [0] * len(notices)

    def list_deliveries(self, game: str, seat: int, token: SeatToken | None) -> Sequence[dict[str, Any]]:
        return []

    def forget(self, game: str, seat: int, token: SeatToken | None) -> None:
        self.forgotten.append((game, seat))


def resolve(host: str, port: int) -> list[Any]:
    address = {"inside.example.org": "10.0.0.1", "example.org": "93.184.215.14", "hooks.slack.com": "93.184.215.15"}
    if host not in address:
        raise OSError
    return [(2, 1, 6, "", (address[host], port))]


class House(Process):
    """A service in process with a mail server, on a store of its own."""

    def __init__(
        self,
        store: Store,
        *,
        mail: bool = True,
        rate_limit: int = 0,
        delivers: bool = False,
        resolve_host: Callable[[str, int], list[Any]] = resolve,
    ) -> None:
        """`delivers`: what is asked for goes to the outbox, not to the desk."""
        self.desk = Desk()
        self.mails: list[EmailMessage] = []
        self.fault: SendResult | None = None
        self.post: PostProcess | None = None
        outside = Outside(resolve_host=resolve_host, send_mail=self.take_mail if mail else None)
        of_mails = {"mail_from": "post@example.org", "public_url": "https://reibach.test"}
        settings = Settings(rate_limit=rate_limit, allow_fixed_seed=True, **of_mails)
        super().__init__(store, settings, services={"deployment": DEPLOYMENT, "outside": outside})
        if not delivers:
            self.services.recovery.queue = self.desk  # type: ignore[assignment]
            self.services.registrar.queue = self.desk  # type: ignore[assignment]  # it is used in the same way

    def send(self) -> None:
        """Let the post process send all that is due."""
        self.post = self.post or open_post(self.services)
        while self.post.pool.send_due():
            assert self.post.pool.wait(30)

    def forget_quotas(self) -> None:
        """As if a day had passed."""
        self.log.store.client.delete(*self.log.store.client.keys("{mails}:*"))

    def press(self, path: str, *chosen: str) -> httpx.Response:
        """Press the button of a page, with its boxes if some are `chosen`."""
        content = "&".join(["list=1", *(f"seat={seat}" for seat in chosen)]) if chosen else ""
        return self.api.post(path, content=content, headers=FORM)

    def take_mail(self, mail: EmailMessage, recheck: Callable[[], None]) -> SendResult:
        recheck()
        self.mails += [mail] * (self.fault is None)
        return self.fault or SendResult()

    def put(self, table: Table, seat: int = 0, **body: Any) -> httpx.Response:
        text, kind = json.dumps(body), {"Content-Type": "application/json"}  # httpx can't write broken Unicode
        path, token = f"{table.path}/notifications", table.tokens[seat]
        return self.api.request("PUT", path, token, content=text, headers=kind)

    def get(self, table: Table, seat: int = 0, more: str = "") -> httpx.Response:
        return self.api.get(f"{table.path}/notifications{more}", table.tokens[seat])

    def subscription(self, table: Table, seat: int = 0) -> Subscription:
        found = self.services.registrar.subscriptions.load_seat(table.id, seat)
        assert found is not None
        return found

    def confirm(self, table: Table, seat: int = 0) -> None:
        kept = self.subscription(table, seat)
        assert self.services.registrar.confirm(self.log.load(table.id).game, seat, kept)


DEPLOYMENT = Deployment.new(SHARDS)


def house_on(url: str, **options: Any) -> House:
    """A service on the store at `url`."""
    client = connect(url)
    client.flushall()
    return House(Store(client, SHARDS, patience(3)), **options)

"""A game whose players answer mails, and clients that hand mails in."""

import smtplib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

from domain.clock.pace import Pace
from domain.commands import Act, CreateGame, SeatPlan
from domain.legality import open_actions
from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.store.errors import StoreUnavailable
from service.post.inbox.player import MailPlayer
from service.post.inbox.receiver import Receiver, Verdict
from service.post.inbox.seat_mails import SeatMails
from service.post.inbox.server import InboxServer, Limits
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.headers import mark_mail
from service.post.subscriptions import Subscriptions
from service.signing.reply_addresses import ReplyAddresses
from tests.post.processes import by_mail
from tests.support.absence import abandon
from tests.support.waiting import patience

DOMAIN = "in.example.org"

SENDER = Address("Reibach", addr_spec="reibach@example.org")

GAME = "a" * 24

ADDRESSES = ReplyAddresses(["secret"])


@dataclass
class Outbox:
    answers: list[AnswerMail] = field(default_factory=list)
    is_down: bool = False

    def send_mails(self, kind: str, game: str, details: Mapping[int, str], generation: int, version: int) -> None:
        if self.is_down:
            raise StoreUnavailable
        answers = [AnswerMail.from_json(detail) for detail in details.values()]
        assert (kind, {answer.until for answer in answers}) == ("answer", {version})
        self.answers += answers


@dataclass
class Table:
    """A game for two, whose seats can answer mails, and what its players are answered."""

    games: GameLog
    client: Client
    now: list[int]
    outbox: Outbox = field(default_factory=Outbox)

    def __post_init__(self) -> None:
        self.subscriptions = Subscriptions(self.games.store)
        seats = tuple(SeatPlan(name=name, entropy="x") for name in ("Anna", "Bob"))
        pace = Pace(turn_seconds=60)
        self.games.create(CreateGame(game=GAME, server_seed=b"s" * 32, seats=seats, pace=pace))
        for seat in range(2):
            self.subscribe(seat)

    def subscribe(self, seat: int, nonce: str = "nonce", language: str = "en", *, is_confirmed: bool = True) -> None:
        more = {"email": f"seat{seat}@example.com", "is_confirmed": is_confirmed, "language": language}
        self.subscriptions.save(GAME, seat, by_mail("turn", nonce=nonce, **more))

    def address(self, seat: int, nonce: str = "nonce", kind: str = "", version: int = 0, shown: int = 0) -> str:
        """That of answers to the mail of a kind, about the present version or another; else to none."""
        version = version or self.version
        mark = mark_mail(kind, version, shown or version, 0) if kind else b""
        return f"{ADDRESSES.make(GAME, seat, nonce, mark)}@{DOMAIN}"

    def receiver(self, games: GameLog | None = None) -> Receiver:
        return Receiver(
            player=MailPlayer(
                games=games or self.games,
                secret=b"repeat",
                domain=SENDER.domain,
            ),
            subscriptions=self.subscriptions,
            queue=self.outbox,
            addresses=ADDRESSES,
            mails=SeatMails(self.games.store),
            reply_domain=DOMAIN,
            sender=SENDER,
            clock=lambda: self.now[0],
        )

    def take(self, content: bytes, seat: int = 0, receiver: Receiver | None = None) -> Verdict:
        """Take the answer to a mail of the present turn, or to that which its references name."""
        kind = "" if b"In-Reply-To" in content else "turn"
        address = ADDRESSES.read(self.address(seat, kind=kind).partition("@")[0])
        assert address is not None
        return (receiver or self.receiver()).take(address, content, False)

    def end_turn(self) -> int:
        turn = self.games.load(GAME).game.turn
        while (game := self.games.load(GAME).game).turn == turn:
            self.games.handle(GAME, Act(seat=game.turn_seat, actions=(next(open_actions(game, game.turn_seat)),)))
        return game.turn_seat

    def abandon(self, seat: int, turns: int = 2) -> None:
        abandon(self.games, GAME, seat, turns)

    @property
    def version(self) -> int:
        return self.games.load(GAME).game.version

    def types_after(self, version: int) -> list[str]:
        return [event["type"] for event in self.games.load_events(GAME, version)[1]]


@contextmanager
def serving(receiver: Receiver, protocol: str = "smtp", **limits: Any) -> Iterator[InboxServer]:
    server = InboxServer(receiver, host="127.0.0.1", port=0, protocol=protocol, limits=Limits(**limits))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def letter(text: str = "draw", name: str = "1", answers: str | None = None, headers: Sequence[str] = ()) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "Eve <eve@example.net>", "x@example.com", f"<{name}@mail.example>"
    if answers:
        mail["In-Reply-To"] = answers
    for header in headers:
        key, _, value = header.partition(": ")
        mail[key] = value
    mail.set_content(text)
    return mail.as_bytes()


def send(server: InboxServer, content: bytes, to: str | list[str], sender: str = "eve@example.net") -> Any:
    with smtplib.SMTP("127.0.0.1", server.port, timeout=patience(10)) as smtp:
        return smtp.sendmail(sender, to, content)

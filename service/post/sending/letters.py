"""The mail for a notice, composed when it is sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Final, Protocol

from domain.clock.deadline import deadline
from service.gamelog.cache import LoadedGame
from service.gamelog.reader import GameReader
from service.post.mail.answer import Answer
from service.post.mail.composer import (
    Envelope,
    compose_answer,
    compose_confirmation,
    compose_messages,
    compose_over,
    compose_reminder,
    compose_scoring,
    compose_token,
    compose_turn,
)
from service.post.notices import ANSWER, CONFIRMATION, MESSAGE, OVER, REMINDER, SCORING, TOKEN, TURN, Notice
from service.post.snapshot import SeatSnapshot, take_snapshot
from service.post.subscriptions import Subscription


class Links(Protocol):
    """Signed links of a seat: tokens for the paths of URLs."""

    def confirm(self, game: str, seat: int, nonce: str) -> str:
        """For the page that confirms an address."""

    def unsubscribe(self, game: str, seat: int, nonce: str) -> str:
        """For the page that ends mails."""

    def token(self, game: str, seat: int, nonce: str, generation: int, until: int) -> str:
        """For the page that gives a new token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRoom:
    """What all mails of a deployment share."""

    sender: Address
    public_url: str
    """Of the service, without a path behind it."""
    links: Links
    issue_token: Callable[[str, int], str]
    """The present token of a seat."""
    reply_to: Callable[[str, int, str], str | None] = lambda _game, _seat, _nonce: None
    """The address by which a seat plays; None: mails are not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What a mail is made of."""

    room: MailRoom
    notice: Notice
    loaded: LoadedGame
    games: GameReader
    subscription: Subscription
    now: int
    """In ms since 1970."""

    def envelope(self) -> Envelope:
        """Sender and receiver. Whether the receiver of a confirmation plays isn't known yet."""
        notice, subscription, room = self.notice, self.subscription, self.room
        assert subscription.email is not None, "a mail needs an address"
        seat, is_player = (notice.game, notice.seat, subscription.nonce), notice.type not in {CONFIRMATION, TOKEN}
        return Envelope(
            sender=room.sender,
            recipient=subscription.email,
            language=subscription.language,
            public_url=room.public_url,
            sent_at=self.now,
            reply_to=room.reply_to(*seat) if is_player else None,
            unsubscribe_url=f"{room.public_url}/unsubscribe/{room.links.unsubscribe(*seat)}" if is_player else None,
            token=room.issue_token(notice.game, notice.seat) if is_player else None,
        )

    def snapshot(self) -> SeatSnapshot:
        """The game as the seat saw it when the notice was judged: a turn that has ended since isn't described by half.

        One read. Raises StoreUnavailable, CorruptLog and NoSuchGame.
        """
        game = self.loaded.game
        _, events = self.games.load_events(self.notice.game, 0, game.version)
        return take_snapshot(game, events, self.notice.seat)


def _turn(letter: Letter) -> EmailMessage:
    until = deadline(letter.loaded.game)
    return compose_turn(letter.snapshot(), letter.envelope(), letter.notice.version, until)


def _reminder(letter: Letter) -> EmailMessage:
    until = deadline(letter.loaded.game)
    return compose_reminder(letter.snapshot(), letter.envelope(), letter.notice.version, until)


def _scoring(letter: Letter) -> EmailMessage:
    return compose_scoring(letter.snapshot(), letter.envelope(), letter.notice.version)


def _over(letter: Letter) -> EmailMessage:
    return compose_over(letter.snapshot(), letter.envelope(), letter.notice.version)


def _message(letter: Letter) -> EmailMessage:
    notice = letter.notice
    return compose_messages(letter.snapshot(), letter.envelope(), notice.version, notice.until)


def _confirmation(letter: Letter) -> EmailMessage:
    notice, room = letter.notice, letter.room
    path = room.links.confirm(notice.game, notice.seat, notice.detail)
    return compose_confirmation(notice.game, notice.seat, letter.envelope(), f"{room.public_url}/confirm/{path}")


def _token(letter: Letter) -> EmailMessage:
    notice, room = letter.notice, letter.room
    nonce, generation, until = notice.detail.split()
    path = room.links.token(notice.game, notice.seat, nonce, int(generation), int(until))
    return compose_token(notice.game, notice.seat, letter.envelope(), f"{room.public_url}/token/{path}")


def _answer(letter: Letter) -> EmailMessage:
    return compose_answer(letter.snapshot(), letter.envelope(), Answer.from_json(letter.notice.detail))


COMPOSERS: Final[Mapping[str, Callable[[Letter], EmailMessage]]] = {
    TURN: _turn,
    REMINDER: _reminder,
    SCORING: _scoring,
    OVER: _over,
    MESSAGE: _message,
    CONFIRMATION: _confirmation,
    TOKEN: _token,
    ANSWER: _answer,
}
"""By a notice's type. Each raises StoreUnavailable, CorruptLog and NoSuchGame."""

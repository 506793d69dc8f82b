"""What becomes of a mail that is handed in for a reply address: ignored, or played or refused, and answered once.

Rule 1: `TAKEN` only after what was done is in the log and the answer is handed over. The sending server keeps the
mail until then, and may send it again at any point.
Rule 2: the answer goes where the seat's notices go. No address of a mail is used for anything.
Rule 3: all addresses that aren't valid are refused in the same way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from email.headerregistry import Address
from enum import Enum
from typing import Final, TypeAlias

import structlog

from service.gamelog.errors import CorruptLog, NoSuchGame, StoreUnavailable, TokenVoid
from service.gamelog.log import GameLog
from service.post.inbox.message import IgnoreReason, read_message
from service.post.inbox.player import MailPlayer, SeatOfMail
from service.post.inbox.seat_mails import SeatMails
from service.post.mail.answer_mail import AnswerMail
from service.post.subscriptions import Subscription, Subscriptions
from service.signing.reply_addresses import ReplyAddress, ReplyAddresses
from service.signing.tokens import SeatToken

logger = structlog.get_logger("service.post.inbox")

MOST_REFUSALS: Final = 20
"""A mail of which nothing was done gets no answer if its seat has sent so many in the last hour: it may be a loop."""


class Verdict(Enum):
    TAKEN = "taken"
    UNKNOWN = "unknown"
    """There is no such address, or it is void."""
    LATER = "later"
    """Nothing is lost if it sends the mail again."""


AnswerSink: TypeAlias = Callable[[SeatToken, int, str], object]
"""Keeps an answer until it is sent, by the seat's token, the version and its JSON, as `AnswerMail.from_json` reads it.

Called twice for the same answer, it should keep one. Raises StoreUnavailable.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Takes mails. Safe for threads."""

    games: GameLog
    subscriptions: Subscriptions
    add_answer: AnswerSink
    addresses: ReplyAddresses
    mails: SeatMails
    reply_domain: str
    """Behind the @ of reply addresses."""
    sender: Address
    """Of this service's mails."""
    secret: bytes
    """Of the deployment, for repeats."""
    find_turn_mail: Callable[[str, int], int | None]
    """As MailPlayer has it."""
    clock: Callable[[], int]
    """Milliseconds since 1970."""

    def find_recipient(self, text: str) -> ReplyAddress | None:
        """The seat that an address is for; None if none is. Raises StoreUnavailable."""
        local, _, domain = text.rpartition("@")
        if domain.lower() != self.reply_domain.lower():
            return None
        address = self.addresses.read(local)
        return address if address and self._find_player(address) else None

    def take(self, address: ReplyAddress, content: bytes, has_no_sender: bool) -> Verdict:
        """Play a mail for the seat, if it is one to play. `has_no_sender`: its envelope names no sender."""
        try:
            return self._take(address, content, has_no_sender)
        except (NoSuchGame, TokenVoid):
            return Verdict.UNKNOWN
        except (StoreUnavailable, CorruptLog) as error:
            logger.warning("a mail is put off", reason=type(error).__name__)
            return Verdict.LATER

    def _take(self, address: ReplyAddress, content: bytes, has_no_sender: bool) -> Verdict:
        game, seat, now = address.game, address.seat, self.clock()
        if not self.mails.admit(game, seat, now):
            logger.info("a mail is put off", game=game, reason="too many of its seat")
            return Verdict.LATER
        incoming = read_message(content, self.sender.addr_spec)
        if has_no_sender or isinstance(incoming, IgnoreReason):
            reason = incoming if isinstance(incoming, IgnoreReason) else IgnoreReason.BOUNCE
            logger.info("a mail is ignored", game=game, reason=reason.value)
            return Verdict.TAKEN
        player = self._find_player(address)
        if player is None:
            return Verdict.UNKNOWN
        standing = self.mails.find(game, seat, incoming.digest, now)
        detail = standing.answer
        if not standing.is_decided:
            of = SeatOfMail(game, seat, player.generation, player.language, player.zone)
            mails = MailPlayer(self.games, self.secret, self.sender.domain, self.find_turn_mail)
            answer = mails.play(incoming, of, now)
            if answer is None:
                assert player.email is not None
                self.subscriptions.end(game, seat, player.email)
                logger.info("a mail ends the mails to its seat", game=game)
                return Verdict.TAKEN
            is_answered = answer.is_done or standing.this_hour < MOST_REFUSALS
            is_answered = is_answered and (player.receipts or not answer.is_done or answer.refusal is not None)
            logger.info("a mail is played" if answer.is_done else "a mail is refused", game=game, answered=is_answered)
            detail = self.mails.decide(game, seat, incoming.digest, now, answer.to_json() if is_answered else "")
        if detail:
            self.add_answer(SeatToken(game, seat, player.generation), AnswerMail.from_json(detail).until, detail)
            self.mails.settle(game, seat, incoming.digest)
        return Verdict.TAKEN

    def _find_player(self, address: ReplyAddress) -> Subscription | None:
        """The subscription that the address was made for, while it lasts."""
        found = self.subscriptions.load_seat(address.game, address.seat)
        if found is None or found.email is None or not found.is_confirmed or not address.is_of(found.nonce):
            return None
        return found

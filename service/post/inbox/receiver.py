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

import structlog

from service.gamelog.store.errors import CorruptLog, NoSuchGame, StoreUnavailable, TokenVoid
from service.post.inbox.message import IgnoreReason, read_message
from service.post.inbox.player import QUESTIONS, MailPlayer
from service.post.inbox.seat_mails import SeatMails
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.headers import read_mark
from service.post.notices import ANSWER
from service.post.noticing.notice_queue import NoticeQueue
from service.post.subscriptions import Subscription, Subscriptions
from service.signing.reply_addresses import ReplyAddress, ReplyAddresses
from service.signing.tokens import SeatToken

logger = structlog.get_logger("service.post.inbox")


class Verdict(Enum):
    """What the mail server replies."""

    TAKEN = "250 2.0.0 OK"
    UNKNOWN = "550 5.1.1 No such address"
    LATER = "451 4.3.0 Try again later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Takes mails. Safe for threads."""

    player: MailPlayer
    subscriptions: Subscriptions
    queue: NoticeQueue
    addresses: ReplyAddresses
    mails: SeatMails
    reply_domain: str
    """After the @ of reply addresses."""
    sender: Address
    """Of this service's mails."""
    clock: Callable[[], int]
    """Milliseconds since 1970."""

    def find_recipient(self, text: str) -> ReplyAddress | None:
        """The seat that an address is for; None if none is. Raises StoreUnavailable."""
        local, _, domain = text.rpartition("@")
        if domain.lower() != self.reply_domain.lower():
            return None
        address = self.addresses.read(local)
        return address if address and self._find_reader(address) else None

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
        reader = self._find_reader(address)
        if reader is None:
            return Verdict.UNKNOWN
        is_decided, detail = self.mails.find(game, seat, incoming.digest)
        if not is_decided:
            about = read_mark(address.about, game, seat, reader.generation)
            token = SeatToken(game, seat, reader.generation)
            answer = self.player.play(incoming, token, reader, about, now)
            if answer is None:
                assert reader.email is not None
                self.subscriptions.end(game, seat, reader.email)
                logger.info("a mail ends the mails to its seat", game=game)
                return Verdict.TAKEN
            is_refused = answer.refusal is not None and not answer.is_done and answer.kind not in QUESTIONS
            is_answered = not is_refused or self.mails.admit_refusal(game, seat, now)
            is_done = answer.is_done and answer.refusal is None and not answer.has_unsent
            is_answered = is_answered and (reader.receipts or not is_done)
            logger.info("a mail is refused" if is_refused else "a mail is played", game=game, answered=is_answered)
            detail = self.mails.decide(game, seat, incoming.digest, now, answer.to_json() if is_answered else "")
        if detail:
            self.queue.send_mails(ANSWER, game, {seat: detail}, reader.generation, AnswerMail.from_json(detail).until)
            self.mails.settle(game, seat, incoming.digest)
        return Verdict.TAKEN

    def _find_reader(self, address: ReplyAddress) -> Subscription | None:
        """The subscription that the address was made for, while it lasts."""
        kept = self.subscriptions.load_seat(address.game, address.seat)
        return kept if kept is not None and kept.confirmed_email is not None and address.is_of(kept.nonce) else None

"""What an attempt to send a notice is made of, and what a process sends with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage

from config.settings import Settings
from domain.orders.planner import Orders
from service.gamelog.cache import LoadedGame
from service.gamelog.reader import GameReader
from service.post.channels.results import SendResult
from service.post.channels.webhook import Message
from service.post.notices import Notice
from service.post.quotas import MailQuotas
from service.post.subscriptions import Subscription
from service.signing.links import Links
from service.signing.reply_addresses import ReplyAddresses


class NothingToTell(Exception):
    """All that a mail was to tell is decided or taken back since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSettings:
    sender: Address
    public_url: str
    """The service's address, without a path."""
    links: Links
    quotas: MailQuotas
    issue_token: Callable[[str, int, int], str]
    """The token of a seat, of a generation."""
    reply_addresses: ReplyAddresses
    reply_domain: str
    """Empty: mails are not read."""

    def reply_to(self, game: str, seat: int, nonce: str, mark: bytes) -> str | None:
        """The address by which a seat plays, for answers to the mail of that mark; None: it can't."""
        local = self.reply_addresses.make(game, seat, nonce, mark) if self.reply_domain else None
        return local and f"{local}@{self.reply_domain}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transports:
    """What the notices of a process leave by. Each calls its last argument when the connection is open."""

    settings: Settings
    send_webhook: Callable[[Message, Callable[[], None]], SendResult]
    send_mail: Callable[[EmailMessage, Callable[[], None]], SendResult] | None
    mail: MailSettings | None
    """None, as `send_mail`: the deployment has no mail server."""
    push_secret: bytes
    push_contact: str
    """Empty: nothing is pushed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    notice: Notice
    created: int
    """When it was added, in ms since 1970; `began`: when the attempt was."""
    began: int
    loaded: LoadedGame
    """The game by which it was judged."""
    subscription: Subscription
    subscriptions: Mapping[int, Subscription]
    """All of the game's, by seat."""
    orders: Orders
    """The seat's standing orders then; none where the notice is shared."""
    games: GameReader
    recheck: Callable[[], None]
    """Judges it again, right before it leaves; raises where nothing may be sent any more."""

    @property
    def sharers(self) -> dict[int, Subscription]:
        """The subscriptions that name the same webhook, by seat, the lowest first."""
        receiver = self.subscription.webhook and self.subscription.webhook.receiver
        every = sorted(self.subscriptions.items())
        return {seat: kept for seat, kept in every if receiver and kept.webhook and kept.webhook.receiver == receiver}

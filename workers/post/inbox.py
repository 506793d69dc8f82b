"""The mail server of reply addresses, as the settings have it."""

from collections.abc import Callable
from email.headerregistry import Address

from service.bootstrap import Services
from service.post.inbox.player import MailPlayer
from service.post.inbox.receiver import Receiver, SendMails
from service.post.inbox.seat_mails import SeatMails
from service.post.inbox.server import InboxServer
from service.signing.reply_addresses import ReplyAddresses


def open_inbox(services: Services, sender: Address, send_mails: SendMails) -> InboxServer | None:
    """The server, which listens from its `start` on; None where no port is set. `sender`: of the service's mails."""
    settings = services.settings
    if not settings.inbox_port:
        return None
    receiver = Receiver(
        player=MailPlayer(games=services.games, secret=services.deployment.repeat_secret, domain=sender.domain),
        subscriptions=services.subscriptions,
        send_mails=send_mails,
        addresses=ReplyAddresses(services.deployment.token_secrets),
        mails=SeatMails(services.store),
        reply_domain=settings.reply_domain,
        sender=sender,
        clock=services.outside.clock,
    )
    return InboxServer(receiver, host=settings.inbox_host, port=settings.inbox_port, protocol=settings.inbox_protocol)


def make_reply_addresses(services: Services) -> Callable[[str, int, str, bytes], str | None]:
    """Gives the address by which a seat plays, by game, seat, its subscription's nonce, and mail; None: it can't."""
    addresses, domain = ReplyAddresses(services.deployment.token_secrets), services.settings.reply_domain

    def address_of(game: str, seat: int, nonce: str, mark: bytes) -> str | None:
        local = addresses.make(game, seat, nonce, mark) if domain else None
        return local and f"{local}@{domain}"

    return address_of

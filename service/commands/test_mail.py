"""`reibach test-mail`: whether the configured server takes a mail; if so, those that wait for it are sent."""

from email.message import EmailMessage

import click

from config.settings import Settings
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import plural
from service.post.channels.smtp import send_mail
from service.post.channels.smtp_url import parse_smtp_url
from service.post.mail.address import BadMailAddress, check_address, parse_sender
from service.post.notices import EMAIL
from service.post.outbox import Outbox
from service.runtime.clock import now_ms
from service.runtime.embedded import USED
from service.status import note_mail


def send_test_mail(settings: Settings, address: str) -> str:
    """Send it; what to print. Raises BadUsage, and CommandFailed with what the server said."""
    if not settings.smtp_url:
        raise BadUsage("REIBACH_SMTP_URL isn't set")
    mail = EmailMessage()
    try:
        mail["To"] = check_address(address)
    except BadMailAddress as error:
        raise BadUsage(f"ADDRESS: {error}") from None
    server = parse_smtp_url(settings.smtp_url)
    mail["From"] = parse_sender(settings.mail_from)
    mail["Subject"] = "Reibach: a test"
    mail.set_content(f"This mail was sent by `reibach test-mail`, for the games at {settings.public_base}.\n")
    result = send_mail(server, mail)
    if result.error is not None:
        words = result.said or result.answer
        said = f": {printable(words)}" if words else ""
        raise CommandFailed(f"{server.host}:{server.port}: {result.error}{said}")
    return f"{server.host}:{server.port} has taken the mail: {printable(result.answer)}"


def let_waiting_go(settings: Settings) -> None:
    """Send the mails that wait in the store at once, if there is one, and print their number. Raises CommandFailed."""
    if not settings.redis_url and not (settings.data / USED).exists():
        return
    with open_store(settings) as (store, _):
        note_mail(store.client, is_up=True)
        count = Outbox(store, now_ms).let_go(EMAIL)
    click.echo(f"{plural(count, 'mail')} waited for another attempt; what is still due is sent at once.")

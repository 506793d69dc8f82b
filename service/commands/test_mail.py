"""`reibach test-mail`: whether the configured server takes a mail."""

from email.message import EmailMessage

from config.settings import Settings
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import printable
from service.post.channels.smtp import send_mail
from service.post.channels.smtp_url import parse_smtp_url
from service.post.mail.address import BadMailAddress, check_address, parse_sender


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

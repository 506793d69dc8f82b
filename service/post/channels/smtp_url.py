"""The mail server of `REIBACH_SMTP_URL`.

| form | connection |
|---|---|
| `smtps://user:password@host[:465]` | TLS from the first byte |
| `smtp://user:password@host[:587]` | STARTTLS; a server without it gets neither password nor mail |
| `smtp://localhost[:25]`, or a loopback address | in the clear: it doesn't leave the machine |
| `smtp+plain://host[:25]` | in the clear, for a relay in one's own network; no password |

User and password may be left out; both are percent-encoded.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final
from urllib.parse import unquote, urlsplit

from service.connections.loopback import is_loopback


class Security(Enum):
    NONE = "none"
    STARTTLS = "starttls"
    TLS = "tls"


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    host: str
    port: int
    security: Security
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


class BadSmtpUrl(ValueError):
    """The URL names no mail server; the message doesn't repeat it, since it may hold a password."""


_SCHEMES: Final = {"smtp": Security.STARTTLS, "smtps": Security.TLS, "smtp+plain": Security.NONE}
_PORTS: Final = {Security.NONE: 25, Security.STARTTLS: 587, Security.TLS: 465}


def parse_smtp_url(url: str) -> MailServer:
    """The server of a URL. Raises BadSmtpUrl."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadSmtpUrl("the SMTP URL is malformed") from None
    if parts.scheme not in _SCHEMES:
        raise BadSmtpUrl(f"an SMTP URL begins with one of {', '.join(f'{scheme}://' for scheme in _SCHEMES)}")
    if not host or port == 0:
        raise BadSmtpUrl("the SMTP URL names no host or port")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise BadSmtpUrl("the SMTP URL has something after its host and port: write / in the password as %2F")
    security = _SCHEMES[parts.scheme]
    if security is Security.STARTTLS and is_loopback(host):
        security = Security.NONE
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise BadSmtpUrl("the SMTP URL has a user without a password, or a password without a user")
    if not (user + password).isascii() or not (user + password).isprintable():
        raise BadSmtpUrl("user and password of the SMTP URL must be printable ASCII")
    if user and parts.scheme == "smtp+plain":
        raise BadSmtpUrl("smtp+plain:// would send the password unencrypted; use smtp:// or smtps://")
    return MailServer(host=host, port=port or _PORTS[security], security=security, user=user, password=password)

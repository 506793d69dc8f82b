"""How all mails are made: whom one is between, and what the templates make of its values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from domain.words.appearance import APPEARANCES
from domain.words.catalogue import read
from domain.words.wording import capitalise, words_of
from service.post.mail.headers import POLICY, without_surrogates

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["capitalise"] = capitalise


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Whom a mail is from and to, and the links that are the receiver's own."""

    sender: Address
    recipient: str
    """An address as `check_address` gives it."""
    language: str
    public_url: str
    """The service's address, without a path."""
    sent_at: int
    """In milliseconds since 1970."""
    reply_to: Callable[[str, int, int], str | None] | None = None
    """The address for answers to a mail, by its kind, its version, and the one it shows; None: mails are not read."""
    unsubscribe_url: str | None = None
    """A signed link of the seat, which takes a POST (RFC 8058)."""
    zone: str = "UTC"
    """In which times are told."""
    token: str | None = None
    """The seat's token, if the links shall open the game for it; it is in their fragments only."""


def render(
    values: Mapping[str, Any], envelope: Envelope, own_id: str, headers: Mapping[str, str | Address]
) -> EmailMessage:
    """The mail that the templates make of these values; they are named where a mail about a game gives them.

    It says that no person wrote it, unless `headers` say how it came about. Equal arguments give equal bytes.
    """
    values = {
        "words": words_of(envelope.language),
        "mail": read(envelope.language, "mail"),
        "subject": headers["Subject"],
        "looks": APPEARANCES,
        "lines": (),
        "recap": (),
        "recap_heading": None,
        "earlier": None,
        "deadline": None,
        **dict.fromkeys(("standings", "money", "hand", "note", "table", "market")),
        "links": [],
        "actions": (),
        "answer": None,
        "hint": None,
        "unsubscribe_url": None,
        **values,
    }
    plain, html = (_TEMPLATES.get_template(name).render(values) for name in ("mail.txt", "mail.html"))
    mail = EmailMessage(policy=POLICY)
    mail["Message-ID"] = own_id
    mail["From"] = envelope.sender
    for name, value in headers.items():
        mail[name] = value
    mail["Date"] = format_datetime(datetime.fromtimestamp(envelope.sent_at // 1000, UTC))
    if "Auto-Submitted" not in headers:
        mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "OOF, AutoReply"  # Exchange looks at nothing else
    mail.set_content(without_surrogates(plain), cte="quoted-printable")
    mail.add_alternative(without_surrogates(html), subtype="html", cte="quoted-printable")
    mail["Content-Language"] = envelope.language
    # Quoted-printable has no "=_", so no player's text can end a part.
    mail.set_boundary(f"=_{sha256(own_id.encode()).hexdigest()[:32]}")
    return mail

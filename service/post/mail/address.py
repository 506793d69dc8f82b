"""Mail addresses: checked when they are registered, so that nothing else can reach a header or an SMTP command.

Rule: no error repeats the address.
"""

import re
from contextlib import suppress
from email.headerregistry import Address
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

LONGEST_ADDRESS: Final = 254
"""Characters of an address (RFC 5321, 4.5.3.1.3)."""
_OF_OWN_NETWORK: Final = re.compile(r"\.(alt|corp|home|internal|intranet|lan|localdomain|private)\Z")
"""Domains that the check of an address takes, and that nobody else reaches."""


class BadMailAddress(ValueError):
    """The text is not an address that mail can be sent to; the message doesn't repeat it."""


def check_address(text: str) -> str:
    """The address in its one spelling: ASCII, the domain in lower case (IDNA). Raises BadMailAddress.

    An address is refused that has a quoted or non-ASCII local part, an IP address for a domain, or a domain that can't
    be public (`localhost`, `.local`). DNS is not asked.
    """
    from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email  # only where it is met

    if len(text) > LONGEST_ADDRESS:
        raise BadMailAddress(f"a mail address has at most {LONGEST_ADDRESS} characters")
    try:
        checked = validate_email(text, check_deliverability=False, allow_smtputf8=False, strict=True)
    except (EmailNotValidError, UnicodeError):
        reserved = (name for name in SPECIAL_USE_DOMAIN_NAMES if text.lower().endswith((f"@{name}", f".{name}")))
        if name := next(reserved, None):
            raise BadMailAddress(f"the domain of this mail address is reserved: nobody gets mail at {name}") from None
        raise BadMailAddress("this is not a mail address") from None
    assert checked.ascii_email is not None, "without SMTPUTF8 an address has an ASCII form"
    return checked.ascii_email


def parse_sender(text: str) -> Address:
    """The sender of a setting: `a@example.org`, or `A name <a@example.org>`. Raises BadMailAddress."""
    name, address = parseaddr(text)
    if not text.isprintable() or (not name and address != text.strip().strip("<>")):
        raise BadMailAddress("this is not a mail address")
    return Address(name, addr_spec=check_address(address))


def push_contact(sender: str, public_url: str) -> str:
    """Where a push service reaches this one's operator: `mailto:`, or `https:` of a public name; empty: nowhere.

    `sender`: of mails; empty: none are sent. Apple refuses what comes with another contact.
    """
    if not (sender or public_url):
        return ""
    with suppress(ValueError):
        address = parse_sender(sender)
        if not _OF_OWN_NETWORK.search(address.domain):
            return f"mailto:{address.addr_spec}"
    with suppress(ValueError):
        url = urlsplit(public_url)
        host = check_address(f"post@{url.hostname}").partition("@")[2]
        if url.scheme == "https" and not _OF_OWN_NETWORK.search(host):
            return f"https://{host}:{url.port}" if url.port else f"https://{host}"
    return ""

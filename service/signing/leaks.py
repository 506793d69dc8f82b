"""Whether a text that is to be published holds what opens a seat, its mails or its settings."""

import base64
import re
from typing import Final

_LINK: Final = re.compile(
    r"token=[\w.%-]{8}|/(?:confirm|unsubscribe|token)/[\w.-]{20}|(?<![a-z2-7])[a-z2-7]{50,64}@"
    r"|(?<![\w-])[\w-]{8,300}\.[\w-]{27}(?![\w-])",
    re.ASCII | re.IGNORECASE,
)
"""Links of mails, reply addresses, and what is signed, by its length."""
_LAYOUT: Final = re.compile(r"[\s>|=]+")
"""What mail programs put into a word that they break."""


def holds_secret(text: str, game: str) -> bool:
    """Whether a seat token, signed link or reply address is in it, valid or void.

    Of this game they are also known where a mail program has broken them in lines.
    """
    begins = f'["{game}",'.encode()  # what is signed of a game; Base64 writes its triples one by one
    prefix = base64.urlsafe_b64encode(begins[: len(begins) // 3 * 3]).decode()
    return _LINK.search(text) is not None or prefix in _LAYOUT.sub("", text)

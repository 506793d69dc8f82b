"""Headers of mails.

Rule 1: no text of a player can add a header, end one, or pass for an encoded word.
Rule 2: equal notices have equal message ids, so that a mail that was sent twice counts once at the receiver.
"""

import re
from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.policy import SMTP, Policy
from typing import Final, NamedTuple

from domain.words.wording import isolate, strip_controls

LONGEST_NAME: Final = 60
"""Characters of a name in a header; a longer one is cut."""
_ENCODED_WORD: Final = re.compile(r"=(?=\?)")
_WORD_JOINER: Final = "\u2060"
_GAME_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OWN_ID: Final = re.compile(
    r"<([a-z]+)(?:\.[0-9a-f]+)?\.(\d{1,9})(?:-(\d{1,9}))?\.(\d)\.([A-Za-z0-9_-]{1,64})@([^@>]+)>", re.ASCII
)
_KINDS: Final = ["turn", "reminder", "scoring", "over", "people", "message", "messages", "answer", "resign", "cancel"]
"""Of the mails that can be answered, by their numbers in addresses."""
SHOWN: Final = "shown"
"""The kind of an id that no mail has: among the references of one it says which version's table that shows."""
LOOP_HEADER: Final = "X-Loop"
"""Of answers to mails: the service's address, by which it knows one that comes back."""


class _Verbatim(UnstructuredHeader, BaseHeader):
    """A header on one line: the standard library would break long ids and links, or write them as encoded words."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS: Final = HeaderRegistry()
for _name in ("message-id", "in-reply-to", "references", "list-unsubscribe", "list-id"):
    _HEADERS.map_to_type(_name, _Verbatim)
POLICY: Final = SMTP.clone(header_factory=_HEADERS)
"""How mails are written."""


def header_name(name: str) -> str:
    """A player's name for a header: one line, no controls, no encoded word (RFC 2047), not too long."""
    line = " ".join(strip_controls(name).split())
    line = without_surrogates(line)
    if len(line) > LONGEST_NAME:
        line = f"{line[: LONGEST_NAME - 1]}\u2026"
    return isolate(_ENCODED_WORD.sub(f"={_WORD_JOINER}", line))


def without_surrogates(text: str) -> str:
    """Half a surrogate pair has no UTF-8, and can't be sent."""
    return text.encode(errors="replace").decode()


def message_id(  # noqa: PLR0913 - what an id says
    kind: str, version: int, seat: int, game: str, domain: str, shown: int | None = None
) -> str:
    """The id of a notice's mail. `shown`, of an id of that kind: the version whose table the mail shows.

    Raises ValueError for an id that no game has.
    """
    later = "" if shown in {None, version} else f"-{shown}"
    return f"<{kind}.{version}{later}.{seat}.{_check_game(game)}@{domain}>"


class MailSubject(NamedTuple):
    """What one of this service's mails was about."""

    game: str
    seat: int
    version: int
    kind: str
    shown: int
    """The version whose table it shows."""
    is_marked: bool = False
    """Whether the address that was answered says all this: nobody can make that up."""


def mark_mail(kind: str, version: int, shown: int, generation: int) -> bytes:
    """What the address of a mail's answers says of it; good as long as the seat's token is of that generation."""
    return bytes([_KINDS.index(kind), generation % 256]) + version.to_bytes(3, "big") + shown.to_bytes(3, "big")


def read_mark(mark: bytes, game: str, seat: int, generation: int) -> MailSubject | None:
    if not mark or mark[1] != generation % 256:
        return None
    version, shown = (int.from_bytes(part, "big") for part in (mark[2:5], mark[5:]))
    return MailSubject(game, seat, version, _KINDS[mark[0]], shown, is_marked=True)


def read_message_id(text: str, domain: str) -> MailSubject | None:
    """What the mail with this id was about; None if no mail of this domain has it."""
    match = _OWN_ID.fullmatch(text)
    if match is None or match[6].lower() != domain.lower():
        return None
    return MailSubject(match[5], int(match[4]), int(match[2]), match[1], int(match[3] or match[2]))


def thread_id(seat: int, game: str, domain: str) -> str:
    """The id that all mails of a game to a seat refer to; no mail has it. Raises ValueError."""
    return f"<game.{seat}.{_check_game(game)}@{domain}>"


def _check_game(game: str) -> str:
    if not _GAME_ID.fullmatch(game):
        raise ValueError("this is no game's id")
    return game

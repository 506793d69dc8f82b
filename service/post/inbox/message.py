"""What a mail that comes in says, from its raw bytes: who doesn't have to be answered, and the text that was typed.

Rule 1: any bytes give an `IncomingMail`, or why they are neither played nor answered; nothing raises, and the work is
bounded (256 KiB, few parts).
Rule 2: nothing here is trusted. A header can only make the service more careful: ignore a mail, or refuse its actions;
but for the name of its writer, who may sign with it.
"""

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from enum import StrEnum
from hashlib import sha256
from itertools import chain, dropwhile
from pathlib import Path
from typing import Any, Final

from domain.words.reply.vocabulary import fold
from service.post.inbox.html_text import DoubtfulText, text_of_html
from service.post.mail.headers import LOOP_HEADER, read_message_id

LARGEST: Final = 256 * 1024
"""Bytes of a mail."""
_MOST_BOUNDARIES: Final = 24
"""Nested parts: the parser compares each line with all boundaries that are open."""
_MOST_PARTS: Final = 320
_MOST_DELIMITERS: Final = 1000
"""Lines that begin with two dashes: each may begin a part, also one without headers, of which 256 KiB hold 30,000."""
_LONG_HEADER: Final = re.compile(rb"^content-[a-z-]{1,40}:(?:[^\n]|\n[ \t]){2000}", re.IGNORECASE | re.MULTILINE)
"""The parser's time for parameters grows with the square of their length."""
_CODECS: Final = {
    label: codec
    for codec, *labels in map(str.split, Path(__file__).with_name("charsets.txt").read_text("utf-8").splitlines())
    for label in labels
}
"""By label; no slow ones. `undefined` raises: more is meant than its ASCII. `codecs.lookup` would keep each label."""
_FILE_NAMES: Final = (("name",), ("filename", None, "Content-Disposition"))
_MESSAGE_ID: Final = re.compile(r"<[!-;=?-~]{1,250}>")
_LONGEST_HEADER: Final = 2000
_LONGEST_LABEL: Final = 40
_SIGNS: Final[dict[str, list[str]]] = tomllib.loads(Path(__file__).with_name("automatic.toml").read_text("utf-8"))
_SUBJECTS, _REPORTS = (tuple(map(fold, _SIGNS[name])) for name in ("subjects", "reports"))
_TO_MANY: Final = re.compile(r"bulk|list|junk|auto.?reply")
"""Values of `Precedence`."""
_STRIKES: Final = re.compile(r"<(?:s|strike|del)\b|line-through", re.IGNORECASE)


class IgnoreReason(StrEnum):
    AUTOMATIC = "automatic"
    """A program sent it by itself: an auto-reply, a list."""
    BOUNCE = "bounce"
    """A report on a mail that could not be delivered, or was."""
    OWN = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMail:
    text: str = field(repr=False)
    """Plain; of an HTML mail what is seen, with a mark where it quotes. Empty where there is none that can be read."""
    page: str = field(default="", repr=False)
    """The same of the HTML beside a plain text."""
    is_struck: bool = False
    """Whether that page strikes something out, which a plain text can't show."""
    hides: bool = False
    """Whether a style in it may hide a part of its text, which isn't read then."""
    sender: str = field(default="", repr=False)
    """The name in its `From`."""
    message_id: str | None = None
    """Its own, with brackets; None where it has none that a header can repeat."""
    answers: tuple[str, ...] = ()
    """The ids of mails that it answers, the nearest first."""
    digest: bytes = b""
    """Equal for two copies of the same mail: 16 bytes."""


def read_message(content: bytes, sender: str) -> IncomingMail | IgnoreReason:
    """The mail in `content`, as it came over SMTP. `sender`: the address from which this service sends."""
    mail, texts = _parse(content)
    message_id = next(iter(_ids_in(mail, "Message-ID")), None)
    if reason := _reason_to_ignore(mail, message_id, sender):
        return reason
    # A program without message ids sends different mails with different dates.
    name = message_id or f"{_header(mail, 'Date')}\n{_header(mail, 'Subject')}"
    digest = sha256(f"{name}\n{texts['text']}".encode(errors="surrogatepass")).digest()[:16]
    answers = (*_ids_in(mail, "In-Reply-To"), *_ids_in(mail, "References"))
    sender = _decoded(mail, "From").rpartition("<")[0]
    return IncomingMail(message_id=message_id, answers=answers, digest=digest, sender=sender, **texts)


def _parse(content: bytes) -> tuple[Message, dict[str, Any]]:
    """The mail, and the members of IncomingMail that it gives. A mail that can't be read is its headers alone."""
    if _is_readable(content):
        with suppress(TypeError, ValueError, LookupError, AttributeError):  # of the parser, by odd parameters
            mail = message_from_bytes(content)
            return mail, _texts_of(mail)
    return BytesHeaderParser().parsebytes(content[:LARGEST]), {"text": ""}


def _is_readable(content: bytes) -> bool:
    """Whether the parser reads all of the mail in a time that grows with its length."""
    lowered = content.lower()
    return (
        len(content) <= LARGEST
        and lowered.count(b"boundary") <= _MOST_BOUNDARIES
        and lowered.count(b"content-type") <= _MOST_PARTS
        and content.count(b"\n--") + content.count(b"\r--") <= _MOST_DELIMITERS
        and not _LONG_HEADER.search(content)
    )


def _reason_to_ignore(mail: Message, message_id: str | None, sender: str) -> IgnoreReason | None:
    kind = mail.get_content_type()
    if kind in {"multipart/report", "message/delivery-status", "message/disposition-notification"}:
        return IgnoreReason.BOUNCE
    if _header(mail, "Return-Path") == "<>":
        return IgnoreReason.BOUNCE
    if _header(mail, LOOP_HEADER) == sender or (message_id and read_message_id(message_id, sender.rpartition("@")[2])):
        return IgnoreReason.OWN
    subject = fold(_decoded(mail, "Subject"))
    if subject.startswith(_REPORTS) or "mailer-daemon@" in _header(mail, "From").lower():
        return IgnoreReason.BOUNCE
    return IgnoreReason.AUTOMATIC if _is_automatic(mail, subject) else None


def _is_automatic(mail: Message, subject: str) -> bool:
    submitted = re.split(r"[;\s(]", _header(mail, "Auto-Submitted").lower(), maxsplit=1)[0]
    return (
        submitted not in {"", "no"}
        or subject.startswith(_SUBJECTS)
        or any(name in mail and _header(mail, name).lower() not in {"no", "false", "0"} for name in _SIGNS["headers"])
        or any(_TO_MANY.fullmatch(_header(mail, name).lower()) for name in ("Precedence", "X-Precedence"))
        or any("autoresponder" in _header(mail, name).lower() for name in ("X-POST-MessageClass", "Delivered-To"))
        or any(
            part.get_content_type() in {"text/calendar", "text/vnd.google.email-reaction+json"} for part in _parts(mail)
        )
    )


def _decoded(mail: Message, name: str) -> str:
    raw = next((value for each, value in mail.raw_items() if each.lower() == name.lower()), "")[:_LONGEST_HEADER]
    with suppress(HeaderParseError, ValueError):
        parts = decode_header(" ".join(raw.encode(errors="surrogateescape").decode(errors="replace").split()))
        return "".join(part if isinstance(part, str) else _decode(part, label or "") for part, label in parts)
    return ""


def _texts_of(mail: Message) -> dict[str, Any]:
    """The text that is seen, plain where there is a choice, and that of its other form."""
    seen, other = _seen_in(mail, "text/plain"), _seen_in(mail, "text/html")
    text, page = _join(seen), _join(other) if other != seen else ""
    is_struck = other != seen and any(_STRIKES.search(html) for _, html in other)
    return {"text": text or "", "hides": text is None, "page": page or "", "is_struck": is_struck}


def _seen_in(part: Message, wanted: str) -> list[tuple[str, str]]:
    """The texts in a part that are seen, each with its type; of several forms of one the last of type `wanted`."""
    kind = part.get_content_type()
    if kind.startswith("multipart/"):
        groups = [texts for inner in _inner_parts(part) if (texts := _seen_in(inner, wanted))]
        if kind == "multipart/alternative":
            groups = sorted(groups, key=lambda texts: wanted in dict(texts))[-1:]
        return [*chain.from_iterable(groups)]
    is_attached = _header(part, "Content-Disposition").lower().startswith("attach")
    if kind not in {"text/plain", "text/html"} or is_attached or any(part.get_param(*of) for of in _FILE_NAMES):
        return []
    text = _plain_text_of(part, _content_of(part)) if kind == "text/plain" else _content_of(part)
    return [(kind, text)] if text.strip() else []


def _join(parts: list[tuple[str, str]]) -> str | None:
    """None where a style may hide a part, or plain text and HTML stand side by side: as one text, or two."""
    texts, kinds = [text for _, text in parts], {kind for kind, _ in parts}
    with suppress(DoubtfulText):
        if len(kinds) < 2:
            return text_of_html(*texts) if "text/html" in kinds else "\n\n".join(texts)
    return None


def _plain_text_of(part: Message, content: str) -> str:
    """Without what a program puts around it: lines that it broke (RFC 3676), a signature of OpenPGP."""
    if str(part.get_param("format", "")).lower() == "flowed":
        content = _unflow(content, deletes=str(part.get_param("delsp", "")).lower() == "yes")
    lines, end = content.lstrip().splitlines(), "-----BEGIN PGP SIGNATURE-----"
    if end not in lines or lines[0].rstrip() != "-----BEGIN PGP SIGNED MESSAGE-----":
        return content
    text = dropwhile(str.strip, lines[1 : lines.index(end)])  # headers, up to an empty line
    return "\n".join(line.removeprefix("- ") for line in text)


def _unflow(text: str, *, deletes: bool) -> str:
    """`deletes`: the blank before a line break is no part of the text."""
    lines, is_open, before = list[list[str]](), False, ""
    for line in text.splitlines():
        rest = line.lstrip(">")
        mark, rest = line[: len(line) - len(rest)], rest.removeprefix(" ")
        goes_on = rest.endswith(" ") and rest != "-- "
        part = rest[:-1] if goes_on and deletes else rest
        if is_open and mark == before and rest != "-- ":
            lines[-1].append(part)
        else:
            lines.append([f"{mark} " if mark else "", part])
        is_open, before = goes_on, mark
    return "\n".join(map("".join, lines))


def _parts(mail: Message) -> Iterator[Message]:
    """The mail's parts that have no parts themselves, without those of mails that are attached to it."""
    if not mail.get_content_type().startswith("multipart/"):
        yield mail
    else:
        yield from chain.from_iterable(map(_parts, _inner_parts(mail)))


def _inner_parts(part: Message) -> list[Message]:
    payload = part.get_payload() if part.is_multipart() else ()  # which would be decoded else
    return [inner for inner in payload if isinstance(inner, Message)]


def _content_of(part: Message) -> str:
    """Raises ValueError where its charset can't be read."""
    payload = part.get_payload(decode=True)
    label = part.get_param("charset", "")  # a triple by RFC 2231, whose own charset isn't decoded
    text = _decode(payload, str(label[2] if isinstance(label, tuple) else label)) if isinstance(payload, bytes) else ""
    if "\x1b" in text:  # of a charset of shifts, which isn't named
        raise ValueError
    return text


def _decode(content: bytes, label: str) -> str:
    codec = _CODECS.get(re.sub(r"[^a-z0-9]+", "_", label[:_LONGEST_LABEL].lower() or "ascii"))
    if codec in {"ascii", "utf_8"}:  # many programs write Windows-1252 all the same
        with suppress(UnicodeDecodeError):
            return content.decode()
        codec = "cp1252"
    return content.decode(codec, "replace") if codec else content.decode()


def _header(mail: Message, name: str) -> str:
    """The first header of that name on one line, or nothing."""
    return " ".join(str(mail.get(name, ""))[:_LONGEST_HEADER].split())


def _ids_in(mail: Message, name: str) -> list[str]:
    """The message ids in a header, the last one first: it is the nearest mail of a thread."""
    return _MESSAGE_ID.findall(" ".join(str(mail.get(name, ""))[-_LONGEST_HEADER:].split()))[::-1]

"""The text of an HTML mail as its writer sees it, up to the first quoted mail.

Rule: what its writer doesn't see, or has struck out, is no text. Where HTML leaves in doubt whether an element is over,
the text is hidden; where its style leaves in doubt whether a text is seen, none of the mail is read.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from service.post.inbox.html_style import Look, Sight, look_of_style, read_sheet

_LONGEST: Final = 64 * 1024
"""Characters of HTML that are read."""
_UNCLOSED: Final = re.compile(r"<(?![^<>]*>)")
_BLOCKS: Final = frozenset({"body", "div", "li", "tr", "table", "hr"})
"""Elements that begin a line and end one."""
_PARAGRAPHS: Final = frozenset({"p", "ul", "ol", "h1", "h2", "h3", "h4", "pre"})
"""Those with an empty line around them."""
_HIDDEN: Final = frozenset(
    {"head", "style", "script", "title", "template", "iframe", "object", "audio", "video", "canvas", "svg", "select"}
    | {"datalist", "s", "strike", "del"}
)
"""Elements whose text isn't shown as a text, or is struck out."""
_CLOSED: Final = frozenset({"details", "dialog"})
"""Those that are closed without `open`."""
_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
"""Elements without text, which have no end."""
_SPACE: Final = " \t\r\n\f"
"""White space of HTML: none of it is seen between two lines."""
_QUOTE_MARKS: Final = tuple(Path(__file__).with_name("quote_marks.txt").read_text().split())
"""Beginnings of the class or id of the element in which a mail program puts the mail that is answered."""


class DoubtfulText(Exception):
    """A style may hide a part of the text."""


def text_of_html(html: str) -> str:
    """The text above the first quote, a line for each line or block. Raises DoubtfulText."""
    html = html[:_LONGEST]
    reader = _Reader(read_sheet("".join(_sheets_in(html))))
    try:
        # The parser's time would grow with the square of the number of tags and comments that are never closed.
        reader.feed(_UNCLOSED.sub("&lt;", _without_comments(html)))
        reader.close()
    except AssertionError:  # the parser's way to refuse a malformed declaration
        pass
    if reader.is_doubtful:
        raise DoubtfulText
    return "".join(reader.parts).lstrip()


def _sheets_in(html: str) -> Iterator[str]:
    """The style sheets, most of which stand in a comment: CSS skips its marks."""
    lowered, end = html.lower(), 0
    while (start := lowered.find("<style", end)) >= 0 and (begin := lowered.find(">", start)) >= 0:
        end = lowered.find("</style", begin)
        if end < 0:
            return
        yield html[begin + 1 : end]


def _without_comments(html: str) -> str:
    parts, end = [], 0
    while (start := html.find("<!--", end)) >= 0:
        parts.append(html[end:start])
        close = html.find("-->", start + 2)  # "<!-->" is a whole comment
        if close < 0:
            return "".join(parts)
        end = close + 3
    return "".join([*parts, html[end:]])


class _Reader(HTMLParser):
    """Collects text until a quote begins."""

    def __init__(self, sights: Mapping[str, Sight]) -> None:
        """`sights`: what the style sheets hide, as `read_sheet` returns it."""
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.is_doubtful = False
        self._sights = sights
        self._gap = 0
        """Line breaks between the last text and the next."""
        self._open: list[tuple[str, Look]] = []
        """The elements that are open, from the outermost."""
        self._names: Counter[str] = Counter()
        """Of these elements."""
        self._has_ended = False

    @property
    def _look(self) -> Look:
        return self._open[-1][1] if self._open else Look()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "blockquote" or any(_marks_quote(name, value) for name, value in attrs):
            self._has_ended = True
        if tag == "body" and self._names["head"]:  # it was never closed
            self._open.clear()
            self._names.clear()
        if tag not in _VOID:
            self._open.append((tag, self._look_of(tag, dict(attrs))))
            self._names[tag] += 1
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # outside XML the slash means nothing: the element is open

    def handle_endtag(self, tag: str) -> None:
        if self._names[tag]:
            place = next(place for place in reversed(range(len(self._open))) if self._open[place][0] == tag)
            # One that hides its text ends by its own tag alone.
            if place == len(self._open) - 1 or self._look.sight == self._open[place][1].sight:
                self._names.subtract(name for name, _ in self._open[place:])
                del self._open[place:]
        self._break(tag)

    def _look_of(self, tag: str, attrs: dict[str, str | None]) -> Look:
        look = self._look
        if look.sight is Sight.HIDDEN:  # and so is all in it
            return look
        names = (tag, f"#{attrs.get('id') or ''}", *(f".{name}" for name in (attrs.get("class") or "").split()))
        sight = max(look.sight, *(self._sights.get(name, Sight.SEEN) for name in names))
        if tag in _HIDDEN or "hidden" in attrs or (tag in _CLOSED and "open" not in attrs):
            sight = Sight.HIDDEN
        style = attrs.get("style") or ""
        for attribute, declaration in (("bgcolor", "background"), ("color", "color")):
            if value := attrs.get(attribute):
                style = f"{declaration}:{value};{style}"
        look = replace(look, sight=sight)
        return look_of_style(style, look) if style and sight is not Sight.HIDDEN else look

    def handle_data(self, data: str) -> None:
        if self._has_ended or self._look.sight is Sight.HIDDEN:
            return
        if data.strip(_SPACE):
            self.is_doubtful |= self._look.sight is Sight.DOUBTFUL
            self.parts.append("\n" * self._gap)
            self._gap = 0
        if not self._gap:
            # A line break in the source is a blank.
            self.parts.append(" ".join(data.split("\n")).replace("\r", " ").replace("\u00a0", " "))

    def _break(self, tag: str) -> None:
        if self._has_ended or self._look.sight is Sight.HIDDEN:
            return
        if tag == "br":
            self._gap += 1
        elif tag in _BLOCKS or tag in _PARAGRAPHS:
            self._gap = max(self._gap, 2 if tag in _PARAGRAPHS else 1)


def _marks_quote(name: str, value: str | None) -> bool:
    if name == "name":
        return value == "quote"  # of GMX, WEB.DE and mail.com
    if name not in {"class", "id"} or not value:
        return False
    # Outlook on the web puts "x_" before the names of another program.
    return any(word.removeprefix("x_").startswith(_QUOTE_MARKS) for word in value.lower().split())

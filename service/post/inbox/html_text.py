"""The text of an HTML mail as its writer sees it, up to the first quoted mail.

Rule: what its writer doesn't see is no text. Where HTML leaves in doubt whether an element is over, the text is hidden.
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

_LONGEST: Final = 64 * 1024
"""Characters of HTML that are read."""
_UNCLOSED: Final = re.compile(r"<(?![^<>]*>)")
_BLOCKS: Final = frozenset({"body", "div", "li", "tr", "table", "hr"})
"""Elements that begin a line and end one."""
_PARAGRAPHS: Final = frozenset({"p", "ul", "ol", "h1", "h2", "h3", "h4", "pre"})
"""Those with an empty line around them."""
_HIDDEN: Final = frozenset({"head", "style", "script", "title", "template"})
_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
"""Elements without text, which have no end."""
_HIDING_STYLE: Final = re.compile(
    r"(?:^|[;\s/])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|font-size\s*:\s*\+?(?:0+(?:\.0*)?|\.0+)(?![\d.]))"
)
_SPACE: Final = " \t\r\n\f"
"""White space of HTML: none of it is seen between two lines."""
_QUOTE_MARKS: Final = tuple(Path(__file__).with_name("quote_marks.txt").read_text().split())
"""Beginnings of the class or id of the element in which a mail program puts the mail that is answered."""


def text_of_html(html: str) -> str:
    """The text above the first quote, a line for each line or block; never raises."""
    reader = _Reader()
    try:
        # The parser's time would grow with the square of the number of tags and comments that are never closed.
        reader.feed(_UNCLOSED.sub("&lt;", _without_comments(html[:_LONGEST])))
        reader.close()
    except AssertionError:  # the parser's way to refuse a malformed declaration
        pass
    return "".join(reader.parts).lstrip()


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

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._gap = 0
        """Line breaks between the last text and the next."""
        self._hidden: str | None = None
        """The element whose text isn't shown."""
        self._depth = 0
        """Number of elements of that name that are open within it, itself included."""
        self._has_ended = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "blockquote" or any(_marks_quote(name, value) for name, value in attrs):
            self._has_ended = True
        if tag == "body" and self._hidden == "head":
            self._hidden = None  # it was never closed
        if tag == self._hidden:
            self._depth += 1
        elif self._hidden is None and tag not in _VOID and (tag in _HIDDEN or any(_hides(*each) for each in attrs)):
            self._hidden, self._depth = tag, 1
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # outside XML the slash means nothing: the element is open

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden:
            self._depth -= 1
            if not self._depth:
                self._hidden = None
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._has_ended or self._hidden is not None:
            return
        if data.strip(_SPACE):
            self.parts.append("\n" * self._gap)
            self._gap = 0
        if not self._gap:
            # A line break in the source is a blank.
            self.parts.append(" ".join(data.split("\n")).replace("\r", " ").replace("\u00a0", " "))

    def _break(self, tag: str) -> None:
        if self._has_ended or self._hidden is not None:
            return
        if tag == "br":
            self._gap += 1
        elif tag in _BLOCKS or tag in _PARAGRAPHS:
            self._gap = max(self._gap, 2 if tag in _PARAGRAPHS else 1)


def _hides(name: str, value: str | None) -> bool:
    return name == "hidden" or (name == "style" and _HIDING_STYLE.search((value or "").lower()) is not None)


def _marks_quote(name: str, value: str | None) -> bool:
    if name == "name":
        return value == "quote"  # of GMX, WEB.DE and mail.com
    if name not in {"class", "id"} or not value:
        return False
    # Outlook on the web puts "x_" before the names of another program.
    return any(word.removeprefix("x_").startswith(_QUOTE_MARKS) for word in value.lower().split())

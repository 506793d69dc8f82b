"""The text of an HTML mail as its writer sees it, with a line `>` in place of each quoted mail.

Rule: what its writer doesn't see, or has struck out, is no text. Where HTML leaves in doubt whether an element is over,
the text is hidden, or quoted; where its style leaves in doubt whether a text is seen, none of the mail is read.
"""

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from service.post.inbox.html_style import Look, Sight, look_of_style, read_sheet

_LONGEST: Final = 64 * 1024
"""Characters of HTML that are read, without comments and style sheets."""
_LONGEST_SHEETS: Final = 80 * 1024
_MOST_MARKS: Final = 8000
"""Tags, and rules, declarations and brackets of sheets: they take more time than their characters do."""
_SHEET: Final = re.compile(r"<style\b(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_UNSHOWN: Final = re.compile(
    r"<!--(?:-?>|.*?(?:-->|\Z))|<style\b.*?(?=</style|\Z)|(?:(?<=[\"'=])|(?<=url\())data:[^\s\"'<>()]{200,}",
    re.IGNORECASE | re.DOTALL,
)
"""Pictures that are within a page, too."""
_BOUNDS: Final = frozenset({"table", "td", "th", "caption"})
"""Elements that an end within them can't end."""
_UNCLOSED: Final = re.compile(r"<(?![^<>]*>)")
_BLOCKS: Final = frozenset({"body", "div", "li", "tr", "table", "hr"})
"""Elements that begin a line and end one."""
_PARAGRAPHS: Final = frozenset({"p", "ul", "ol", "h1", "h2", "h3", "h4", "pre"})
"""Those with an empty line around them."""
_HIDDEN: Final = frozenset(
    {"head", "style", "script", "title", "template", "iframe", "object", "audio", "video", "canvas", "svg", "select"}
    | {"datalist", "s", "strike", "del", "meter", "progress", "noembed", "noframes", "rp"}
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
_ENDS: Final = ("divrplyfwdmsg", "appendonsend", "ms-outlook-mobile-reference-message")
"""Those of an element behind which that mail stands."""


class DoubtfulText(Exception):
    """A style may hide a part of the text."""


def text_of_html(*documents: str) -> str:
    """A line for each line or block, and an empty one between documents. Raises DoubtfulText."""
    # Most sheets stand in a comment, whose marks CSS skips.
    sheets = "".join(sheet.partition(">")[2] for html in documents for sheet in _SHEET.findall(html))
    marks = sum(map(sheets.count, "{;(["))
    if len(sheets) > _LONGEST_SHEETS or marks > _MOST_MARKS:
        raise DoubtfulText
    reader, left = _Reader(read_sheet(sheets)), _LONGEST
    for html in documents:
        shown = _UNSHOWN.sub("", html)
        left, marks = left - len(shown), marks + shown.count("<")
        if left < 0 or marks > _MOST_MARKS:  # what isn't read may take back what is
            raise DoubtfulText
        reader.reset()
        with suppress(AssertionError):  # the parser's way to refuse a malformed declaration
            # The parser's time would grow with the square of the number of tags and comments that are never closed.
            reader.feed(_UNCLOSED.sub("&lt;", shown))
            reader.close()
    text = "".join(reader.parts).lstrip()
    above = text.partition("\n>")[0].strip()
    if reader.is_doubtful or (reader.is_doubtful_below and (above.startswith(">") or not above or above.endswith(":"))):
        raise DoubtfulText
    return text


class _Reader(HTMLParser):
    """Collects text that isn't quoted."""

    def __init__(self, doubts: set[str]) -> None:
        """`doubts`: what the style sheets may hide, as `read_sheet` returns it."""
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.is_doubtful = self.is_doubtful_below = False
        """Whether a text above the first quoted one may be hidden; or below."""
        self._doubts = doubts
        self._has_quoted = self._has_ended = False

    def reset(self) -> None:
        super().reset()
        self._gap = 2
        """Line breaks between the last text and the next."""
        self._open: list[tuple[str, Look]] = []
        """The elements that are open, from the outermost."""
        self._names: Counter[str] = Counter()
        """Of these elements."""

    @property
    def _look(self) -> Look:
        return self._open[-1][1] if self._open else Look()

    @property
    def _is_passed_over(self) -> bool:
        return self._has_ended or self._look.is_quoted or self._look.sight is Sight.HIDDEN

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body" and self._names["head"]:  # it was never closed
            self._open.clear()
            self._names.clear()
        look, ends = self._look_of(tag, dict(attrs)), any(_marks(_ENDS, name, value) for name, value in attrs)
        is_quote = ends or tag == "blockquote" or any(_marks(_QUOTE_MARKS, name, value) for name, value in attrs)
        if is_quote and not self._look.is_quoted:
            self._has_quoted = True
            self.parts.append("\n>")
            self._gap, look = 1, replace(look, is_quoted=True)
        self._has_ended |= ends or (is_quote and tag in _VOID)
        if tag not in _VOID:
            self._open.append((tag, look))
            self._names[tag] += 1
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # outside XML the slash means nothing: the element is open

    def handle_endtag(self, tag: str) -> None:
        if self._names[tag]:
            place = next(place for place in reversed(range(len(self._open))) if self._open[place][0] == tag)
            # One that hides its text ends by its own tag alone; and a quotation by none within a table in it.
            within = {name for name, _ in self._open[place + 1 :]} if self._look.is_quoted else set[str]()
            is_over = self._look.sight == self._open[place][1].sight and _BOUNDS.isdisjoint(within)
            if place == len(self._open) - 1 or is_over:
                self._names.subtract(name for name, _ in self._open[place:])
                del self._open[place:]
        self._break(tag)

    def _look_of(self, tag: str, attrs: dict[str, str | None]) -> Look:
        look = self._look
        if look.sight is Sight.HIDDEN:  # and so is all in it
            return look
        names = ("*", tag, f"#{attrs.get('id') or ''}", *(f".{name}" for name in (attrs.get("class") or "").split()))
        is_doubtful = "popover" in attrs or not self._doubts.isdisjoint(names)
        sight: Sight = max(look.sight, Sight(is_doubtful))
        if tag in _HIDDEN or "hidden" in attrs or (tag in _CLOSED and "open" not in attrs):
            sight = Sight.HIDDEN
        style = attrs.get("style") or ""
        for attribute, declaration in (("bgcolor", "background"), ("color", "color"), ("text", "color")):
            if value := attrs.get(attribute):
                style = f"{declaration}:{value};{style}"
        look = replace(look, sight=sight)
        return look_of_style(style, look) if style and sight is not Sight.HIDDEN else look

    def handle_data(self, data: str) -> None:
        if self._is_passed_over:
            return
        if data.strip(_SPACE):
            is_doubtful = self._look.sight is Sight.DOUBTFUL
            self.is_doubtful |= is_doubtful and not self._has_quoted
            self.is_doubtful_below |= is_doubtful
            self.parts.append("\n" * self._gap)
            self._gap = 0
        if not self._gap:
            # A line break in the source is a blank.
            self.parts.append(" ".join(data.split("\n")).replace("\r", " ").replace("\u00a0", " "))

    def _break(self, tag: str) -> None:
        if self._is_passed_over:
            return
        if tag == "br":
            self._gap += 1
        elif tag in _BLOCKS or tag in _PARAGRAPHS:
            self._gap = max(self._gap, 2 if tag in _PARAGRAPHS else 1)


def _marks(marks: tuple[str, ...], name: str, value: str | None) -> bool:
    if name == "name" and marks is _QUOTE_MARKS:
        return value == "quote"  # of GMX, WEB.DE and mail.com
    if name not in {"class", "id"} or not value:
        return False
    # Outlook on the web puts "x_" before the names of another program.
    return any(word.removeprefix("x_").startswith(marks) for word in value.lower().split())

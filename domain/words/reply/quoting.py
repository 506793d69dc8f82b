"""Where a mail's own text ends: quoted text, the line that introduces it, a signature."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.words.reply.vocabulary import fold, lexicon

MOST_LINES: Final = 100
"""Lines of a mail that are read, empty ones included."""
LONGEST_LINE: Final = 200
"""Characters of a line that are looked at."""
MOST_CHARACTERS: Final = 4000
"""Of a mail that are read: ten times what three actions with all courtesies need."""
_INTRODUCTION_LINES: Final = 3
"""Mail programs break "On …, … wrote:" into so many lines at most."""


def own_lines(body: str) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of the lines above the first quoted text or signature: at most MOST_LINES.

    Where MOST_CHARACTERS end within a line, that line is not read: half a number is another number. A line of which
    more than LONGEST_LINE stand above is given, since nobody can take it for one that is whole.
    """
    lines = body[:MOST_CHARACTERS].splitlines()
    if len(body) > MOST_CHARACTERS and len(lines[-1]) <= LONGEST_LINE:
        lines.pop()
    for index, line in enumerate(lines[:MOST_LINES]):
        if _ends_own_text(lines, index):
            return
        yield index + 1, line


def _ends_own_text(lines: Sequence[str], index: int) -> bool:
    if lines[index].rstrip() == "--":
        return True
    words, text = lexicon(), _read(lines[index])
    if words.beginning.match(text):
        return True
    if _introduces(text) or not words.opening.match(text):
        return _introduces(text)
    for line in lines[index + 1 : index + _INTRODUCTION_LINES]:
        more = _read(line)
        if words.beginning.match(more):
            return False
        text = f"{text} {more}"
        if _introduces(text):
            return True
    return False


def _introduces(text: str) -> bool:
    return text.endswith(":") and lexicon().wrote.search(text) is not None


def _read(line: str) -> str:
    return fold(line[:LONGEST_LINE]).strip()

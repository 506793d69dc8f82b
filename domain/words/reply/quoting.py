"""Where a mail's own text ends: quoted text, the line that introduces it, a signature."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.words.reply.vocabulary import fold, lexicon

MOST_LINES: Final = 100
"""Lines of a mail that are read, empty ones included."""
LONGEST_LINE: Final = 200
"""Characters of a line that are looked at."""
MOST_CHARACTERS: Final = 4000
"""Of a mail that are read: ten times what three actions with all courtesies need."""
_INTRODUCTION_LINES: Final = 3
"""Mail programs break "On …, … wrote:" into so many lines at most."""


class OwnText(NamedTuple):
    """What the sender of a mail wrote."""

    lines: Sequence[tuple[int, str]]
    """Number (from 1) and text: at most MOST_LINES."""
    is_cut: bool
    """Whether there is more than is read."""


def own_text_of(body: str) -> OwnText:
    """The lines above the first quoted text or signature; where nothing stands there, those between and below.

    The latter only where each quoted line begins with `>`. Where MOST_CHARACTERS end within a line, that line is not
    read: half a number is another number. A line of which more than LONGEST_LINE stand above is given, since nobody can
    take it for one that is whole.
    """
    lines = body[:MOST_CHARACTERS].splitlines()
    if len(body) > MOST_CHARACTERS and len(lines[-1]) <= LONGEST_LINE:
        lines.pop()
    read = lines[:MOST_LINES]
    end = next((index for index in range(len(read)) if _ends_own_text(read, index)), len(read))
    if any(line.strip() for line in read[:end]) or end == len(read):
        is_cut = end == len(read) and (len(body) > MOST_CHARACTERS or len(lines) > MOST_LINES)
        return OwnText(list(enumerate(read[:end], 1)), is_cut)
    return _below(body.splitlines(), end)


def _below(lines: Sequence[str], end: int) -> OwnText:
    """What stands between quoted lines and below them. `end`: of the text above."""
    begins = range(end, min(end + _INTRODUCTION_LINES + 1, len(lines)))
    start = next((index for index in begins if lines[index].startswith(">")), None)
    if start is None or not (start == end or _introduces_below(lines, end)):
        return OwnText([], is_cut=False)
    lines_taken, left = list[tuple[int, str]](), MOST_CHARACTERS
    for index in range(start, len(lines)):
        if not lines[index].startswith(">"):
            if _ends_own_text(lines, index):
                break
            left -= len(lines[index])
            if left < 0 or len(lines_taken) == MOST_LINES:
                return OwnText(lines_taken, is_cut=True)
            lines_taken.append((index + 1, lines[index]))
    return OwnText(lines_taken, is_cut=False)


def _ends_own_text(lines: Sequence[str], index: int) -> bool:
    is_end = lines[index].rstrip() == "--" or lexicon().beginning.match(_read(lines[index])) is not None
    return is_end or _introduces_below(lines, index)


def _introduces_below(lines: Sequence[str], index: int) -> bool:
    """Whether a line begins the introduction of a quotation."""
    words, text = lexicon(), _read(lines[index])
    # "Reibach <a@example.org> schrieb" may be broken before "am Mo., 14:44:".
    begins = words.opening.match(text) or (words.wrote.search(text) and "@" in text)
    if _introduces(text) or not begins:
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

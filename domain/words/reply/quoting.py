"""Where a mail's own text ends: quoted text, the line that introduces it, a signature."""

import re
from collections.abc import Sequence
from itertools import chain, islice, takewhile
from typing import Final, NamedTuple

from domain.words.reply.vocabulary import fold, lexicon, tokens_of

MOST_LINES: Final = 100
"""Lines of a mail that are read, empty ones included."""
LONGEST_LINE: Final = 200
"""Characters of a line that are looked at."""
MOST_CHARACTERS: Final = 4000
"""Of a mail that are read: ten times what three actions with all courtesies need."""
_INTRODUCTION_LINES: Final = 3
"""Mail programs break "On …, … wrote:" into so many lines at most."""
_NARROWEST: Final = 28
"""Columns at which a program breaks a quotation."""
_COLUMNS: Final = 72
"""Of this service's mails."""
_LONGEST_DEVICE: Final = 9
"""Words."""
_MARKS: Final = "> |"
_MARK: Final = re.compile(r" {0,3}\w{0,4}[>|]")  # also behind initials, as `AM> `
_SENDER: Final = re.compile(r"<[^<>\s]+@[^<>\s]+>")
_LABEL: Final = re.compile(r"[\W_]{0,4}[^\W\d_][^:]{0,20}: ?\S")  # of a line of a mail's header
_DASHES: Final = re.compile(r"--\s*")
"""Above a signature."""
_RULE: Final = re.compile(r"\s*[-_=*]{5,}\s*")
"""Above a quotation, a footer, or more of the answer."""
_DAY: Final = re.compile(r"\d\D+\d\D+\d|\d\d\d\d|\d[:.]\d\d")


class OwnText(NamedTuple):
    """What the sender of a mail wrote."""

    lines: Sequence[tuple[int, str]]
    """Number (from 1) and text: at most MOST_LINES."""
    is_cut: bool
    """Whether there is more than is read."""
    doubtful: Sequence[tuple[int, str]] = ()
    """Lines that belong to a quotation or a program by their place or shape alone: an answer in them is in doubt."""
    rest: Sequence[tuple[int, str]] = ()
    """What stands below a rule, between quoted lines and below them, where `lines` stand above: nothing of it is read.

    Where `is_cut`, the first line that isn't read at all.
    """
    signature: Sequence[tuple[int, str]] = ()
    """What stands below its mark: no answer, but what takes one back is heard."""


def own_text_of(body: str) -> OwnText:
    """The lines above the first quoted text or signature; where nothing stands there, those between and below.

    The latter only where each quoted line has a mark. Where MOST_CHARACTERS end within a line, that line is not read:
    half a number is another number. A line of which more than LONGEST_LINE stand above is given, since nobody can take
    it for one that is whole.
    """
    lines = body[:MOST_CHARACTERS].splitlines()
    if len(body) > MOST_CHARACTERS and len(lines[-1]) <= LONGEST_LINE:
        lines.pop()
    read = lines[:MOST_LINES]
    places = (place for index in range(len(read)) if (place := _find_quotation(read, index)))
    start, end = next(places, (len(read), None))
    introduction = list(enumerate(read[start:end], start + 1))
    if any(line.strip() for line in read[:start]) or end is None:
        is_cut = end is None and (len(body) > MOST_CHARACTERS or len(lines) > MOST_LINES)
        whole = body.splitlines()
        behind = () if end is None else range(end, min(end + 8, len(whole)))  # lines of the program, and blank ones
        mark = next((index for index in behind if _MARK.match(whole[index])), len(whole))
        rest = _unread(whole, len(read)) if is_cut else _below(whole, mark, ()).lines
        lines_above = list(enumerate(read[:start], 1))
        rest = [*_under(_RULE, read, end), *rest]
        return _number(OwnText(lines_above, is_cut, introduction, rest, _under(_DASHES, read, end)))
    return _number(_below(body.splitlines(), end, introduction))


def _number(own_text: OwnText) -> OwnText:
    """Counted as its writer sees it: devices, what is quoted, and blank lines below that, don't count."""
    own_text, numbers, count, last = _without_devices(own_text), dict[int, int](), 0, 0
    parts = own_text.lines, own_text.rest, own_text.signature
    for number, line in sorted(chain(*parts)):
        if line.strip() or number == last + 1:
            count, last = count + 1, number
        numbers[number] = count
    lines, rest, signature = ([(numbers[number], line) for number, line in part] for part in parts)
    return own_text._replace(lines=lines, rest=rest, signature=signature)


def has_quotation(body: str) -> bool:
    return any(lexicon().beginning.match(_read(line)) for line in body[:MOST_CHARACTERS].splitlines()[:MOST_LINES])


def _find_quotation(lines: Sequence[str], index: int) -> tuple[int, int] | None:
    """Where its introduction begins, and where it begins itself: at the line of that index, or right below it."""
    line, words = _read(lines[index]), lexicon()
    if lines[index].rstrip() == "--":
        return index, index
    if words.beginning.match(line) or _is_header(lines[index : index + 3]):
        return _find_introduction(lines, index), index
    start = _find_introduction(lines, index + 1) if line.endswith(":") else index + 1
    is_whole = any(_DAY.search(each) or words.wrote.search(_read(each)) for each in lines[start : index + 1])
    return (start, index + 1) if is_whole else None


def _is_header(lines: Sequence[str]) -> bool:
    """As programs put it above a mail that they quote, in any language: three lines with labels, one of the sender."""
    return len(lines) > 2 and all(map(_LABEL.match, map(_read, lines))) and any(map(_names_sender, lines))


def _find_introduction(lines: Sequence[str], end: int) -> int:
    """Where the lines right above a quotation begin to introduce it, in any language: the one that names its sender.

    Above that, the day may stand on a line of its own. `end`: of the quotation's first line.
    """
    last = next((index for index in reversed(range(max(0, end - 3), end)) if lines[index].strip()), end)
    block = list(takewhile(lambda index: lines[index].strip(), range(last, max(-1, last - _INTRODUCTION_LINES), -1)))
    if last == end or not (_read(lines[last]).endswith(":") or _SENDER.search(lines[last])):
        return end
    start = next((index for index in block if _names_sender(lines[index])), end)
    has_day = start < end and _DAY.search(lines[start])
    return start - 1 if start - 1 in block and not has_day and _DAY.search(lines[start - 1]) else start


def _names_sender(line: str) -> bool:
    """As `Reibach & Co. <a@example.org> writes`; a sentence with a doubt needs more than the name."""
    is_sure = "@" in line or _DAY.search(line) is not None or lexicon().doubts.isdisjoint(tokens_of(_read(line)))
    return is_sure and ("@" in line or "reibach" in _read(line) or lexicon().wrote.search(_read(line)) is not None)


def _below(lines: Sequence[str], end: int, introduction: Sequence[tuple[int, str]]) -> OwnText:
    """What stands between quoted lines and below them. `end`: of the text above.

    Old programs break long lines of a quotation and leave the mark of what they break off. That stands below a line
    into which its first word doesn't go, at the width of the widest; and the lines of this service have 72 columns.
    """
    start = next((index for index in range(end, len(lines)) if lines[index].strip()), len(lines))
    if not _MARK.match("".join(lines[start : start + 1])):
        return OwnText([], is_cut=False)
    marked = [len(line.rstrip()) for line in lines[start:] if _MARK.match(line) and " " in line.lstrip(_MARKS)]
    widest = max(_NARROWEST - 1, *marked, 0)
    lines_taken, doubtful, left = list[tuple[int, str]](), [*introduction], MOST_CHARACTERS
    above = whole = ""
    for index in range(start, len(lines)):
        line = lines[index].rstrip()
        if _MARK.match(line):
            above = whole = line
            continue
        if place := _find_quotation(lines, index):
            lines_taken = [taken for taken in lines_taken if taken[0] <= place[0]]
            break
        word = line.lstrip().partition(" ")[0]
        below = next((each for each in lines[index + 1 : index + 6] if _MARK.match(each) or not each.strip()), "")
        is_broken = word and above and below.strip() and len(above) + 1 + len(word) > widest
        above, whole = (line, f"{whole} {line}") if is_broken else ("", "")
        if is_broken:
            doubtful.append((index + 1, line))
            if len(whole.lstrip(_MARKS)) <= _COLUMNS and len(doubtful) < MOST_LINES:
                continue
        left -= len(line)
        if left < 0 or max(len(lines_taken), len(doubtful)) >= MOST_LINES:
            return OwnText(lines_taken, is_cut=True, doubtful=doubtful, rest=_unread(lines, index))
        lines_taken.append((index + 1, line))
    return OwnText(lines_taken, is_cut=False, doubtful=doubtful)


def _under(mark: re.Pattern[str], lines: Sequence[str], start: int | None) -> list[tuple[int, str]]:
    """A mark that stands at `start`, and the lines below it up to a quotation."""
    if start is None or start == len(lines) or not mark.fullmatch(lines[start]):
        return []
    end = next((index for index in range(start + 1, len(lines)) if _find_quotation(lines, index)), len(lines))
    return [(number, line) for number, line in enumerate(lines[start:end], start + 1) if not _MARK.match(line)]


def _unread(lines: Sequence[str], start: int) -> list[tuple[int, str]]:
    numbered = enumerate(lines[start:], start + 1)
    return list(islice(((number, line) for number, line in numbered if line.strip(_MARKS)), 1))


def _without_devices(own_text: OwnText) -> OwnText:
    """Without what a program adds at the end, as `Get Mail for Android`: a short line that names a device or `sent`."""
    lines, doubtful = [*own_text.lines], [*own_text.doubtful]
    while lines and (not lines[-1][1].strip() or _is_of_device(lines[-1][1])):
        doubtful.append(lines.pop())
    return own_text._replace(lines=lines, doubtful=doubtful)


def _is_of_device(line: str) -> bool:
    words, tokens = lexicon(), tokens_of(_read(line))
    is_sent = len(tokens) > 1 and not words.sent.isdisjoint((tokens[0], tokens[-1]))
    is_action = not words.cards.isdisjoint(tokens) or any(map(str.isdecimal, tokens[:2]))
    return 1 < len(tokens) <= _LONGEST_DEVICE and not is_action and (is_sent or not words.platforms.isdisjoint(tokens))


def _read(line: str) -> str:
    return fold(line[:LONGEST_LINE]).strip()

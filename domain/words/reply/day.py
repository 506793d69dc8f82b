"""The day until which a vacation lasts, as people write it: `2026-12-05`, `5 December`, `5.12.`, `the 5th`."""

import re
from datetime import date, timedelta
from typing import Final, NamedTuple

from domain.words.reply.vocabulary import lexicon, tokens_of

_FORMS: Final = [
    re.compile(form)
    for form in (
        r"(?P<year>\d{4}) (?P<month>\d\d?) (?P<day>\d\d?)",
        r"(?:(?:the|den|le) )?(?P<day>\d\d?)(?:st|nd|rd|th|er|de|e)?(?: (?:of )?(?P<month>\w+?))?(?: (?P<year>\d{4}))?",
        r"(?P<month>[a-z]+) (?P<day>\d\d?)(?:st|nd|rd|th)?(?: (?P<year>\d{4}))?",
    )
]


class Day(NamedTuple):
    day: int
    """0: what was written is no day."""
    month: int = 0
    """0: the next month that has the day in the future; likewise the year."""
    year: int = 0

    def next_after(self, today: date) -> date | None:
        """The first such day from `today` on; None where there is none in eight years, as for 30 February."""
        days = (today + timedelta(days=number) for number in range(8 * 366))
        meant = (day for day in days if day.day == self.day and self.month in {0, day.month})
        return next((day for day in meant if self.year in {0, day.year}), None)


def read_day(folded: str) -> Day | None:
    """The day that a folded line asks for a vacation until; None where it begins otherwise.

    What says so may stand around the day: `I am until 5 December on vacation`, the order of words in German and Dutch.
    """
    words, tokens = lexicon(), tokens_of(folded.replace("-", " "))
    sizes = range(len(tokens), 0, -1)
    length, behind = next((size for size in sizes if tokens[:size] in words.vacations), 0), 0
    if not (is_asked := length > 0) and (behind := next((size for size in sizes if tokens[-size:] in words.aways), 0)):
        length = next((size for size in sizes if tokens[:size] in words.untils), 0)
    rest = " ".join(tokens[length : len(tokens) - behind])
    rest = "?" if re.search(r"\d ?/", folded) else rest  # 5/12 is a day in December, or in May
    for form in _FORMS if length else ():
        if match := form.fullmatch(rest):
            word = match["month"] or "0"
            begun = {at for name, at in words.months if name[:3] == word[:3] and name.startswith(word)}
            months = {int(word)} if word.isdecimal() else begun
            if len(months) == 1:
                return Day(int(match["day"]), months.pop(), int(match["year"] or 0))
    return Day(0) if is_asked else None

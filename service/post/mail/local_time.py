"""Times and durations as people tell them: by the clocks of a zone, in words of a language."""

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_timedelta, get_timezone_location

from domain.words.catalogue import read
from domain.words.wording import words_of

_UNITS_S: Final = (86_400, 3600, 60)


def tell_time(milliseconds: int, zone: str, language: str) -> str:
    """A time, given in ms since 1970, with its weekday: `Wednesday 2 December, 08:50 (Berlin)`."""
    place = ZoneInfo(zone)
    moment = datetime.fromtimestamp(milliseconds // 1000, place)
    day = format_date(moment, read(language, "mail").day, language)
    return f"{day}, {moment:%H:%M} ({get_timezone_location(place, locale=language, return_city=True)})"


def tell_duration(seconds: int, language: str) -> str:
    """By its two largest units, `2 days and 4 hours`; empty below a minute."""
    texts = []
    for unit in _UNITS_S:
        full, seconds = seconds // unit * unit, seconds % unit
        if full:
            texts.append(format_timedelta(timedelta(seconds=full), threshold=1, locale=language))
    return words_of(language).join(texts[:2]) if texts else ""

"""Players' texts in the cells of a spreadsheet."""

import re
import unicodedata
from typing import Final

_SIGNS: Final = frozenset("=+-@\uff1d\uff0b\uff0d\uff20\u2212")
"""With these a spreadsheet begins a formula; in both widths, and with the true minus sign."""
_SEPARATORS: Final = re.compile("([;,\t|\uff1b\uff0c])")
"""Where a spreadsheet may split a line, by its country or by its settings."""
INKLESS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that have no ink."""


def escape_formula(text: str) -> str:
    """The text with an apostrophe before each part that a spreadsheet could take for a formula.

    A part begins with the text and after each separator, whatever quotes the file has around it: a spreadsheet that
    splits at another character than the file does looks at the middle of a name.
    """
    return "".join(f"'{part}" if _first_seen(part) in _SIGNS else part for part in _SEPARATORS.split(text))


def has_ink(text: str) -> bool:
    """Whether any character of it can be seen."""
    return any(unicodedata.category(sign)[0] in "LNPS" and sign not in INKLESS for sign in text)


def _first_seen(part: str) -> str:
    """The first character that is no space, control, combining or invisible character, nor a quote; "" for none."""
    return next(
        (sign for sign in part if unicodedata.category(sign)[0] not in "ZCM" and sign not in INKLESS | {'"'}), ""
    )

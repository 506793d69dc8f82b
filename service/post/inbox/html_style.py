"""What CSS lets be seen of a text: the styles of an HTML mail's elements, and of its style sheets.

Rule: what hides a text for certain hides it; what may, such as a position or a rule of a sheet, leaves it in doubt.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import tinycss2
from tinycss2.color4 import Color, parse_color


class Sight(IntEnum):
    """The greater one counts."""

    SEEN = 0
    DOUBTFUL = 1
    HIDDEN = 2


@dataclass(frozen=True, slots=True)
class Look:
    """What an element has from those around it, and gives to those in it."""

    sight: Sight = Sight.SEEN
    colour: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Of the text: red, green and blue, each 0 to 1."""
    ground: tuple[float, ...] = (1.0, 1.0, 1.0)
    is_quoted: bool = False


_HARMLESS: Final = frozenset({"none", "auto", "normal", "visible", "inherit", "initial", "unset", "revert"})
_DOUBTFUL: Final = ("clip", "mask", "transform", "translate", "rotate", "scale", "zoom", "filter", "content-visibility")
_DOUBTFUL_PROPERTIES: Final = (*_DOUBTFUL, *(f"-webkit-{name}" for name in _DOUBTFUL), "animation", "mix-blend-mode")
"""Properties that may hide a text, and those that begin with these names, unless their value is harmless."""
_EXTENTS: Final = ("height", "width", "max-", "line-height", "block-size", "inline-size")
_SHIFTS: Final = ("left", "right", "top", "bottom", "text-indent", "letter-spacing", "word-spacing", "inset")
_SMALLEST: Final = {"px": 6.0, "pt": 5.0, "em": 0.5, "rem": 0.5, "%": 50.0, "": 1.0}
"""Sizes of letters by unit, below which nobody reads them."""
_LEAST_EXTENT: Final = {"px": 3.0, "pt": 3.0, "": 0.5}
_FARTHEST: Final = {"px": 50.0, "pt": 50.0, "%": 50.0, "": 50.0, "mm": 20.0}
"""4 in other units: what is moved farther is outside the window, or lies over other text."""
_FAINTEST: Final = 0.2
"""Opacity, and the greatest difference of a part of two colours, below which a text isn't seen."""


def look_of_style(style: str, around: Look) -> Look:
    """The look of an element with that `style` attribute in one of the look `around`."""
    return _look_of(tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True), around)


def read_sheet(sheet: str) -> set[str]:
    """What a style sheet may hide: elements, `.class` and `#id`, or `*`. Other rules of it may show the same."""
    names, rules = set[str](), tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    while rules:
        rule = rules.pop()
        if rule.type in {"qualified-rule", "at-rule"} and rule.content:
            contents = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
            rules += contents  # those of a condition, such as @media, and those nested in a rule
            if _look_of(contents, Look()).sight:
                names |= set(_names_in(rule.prelude)) if rule.type == "qualified-rule" else {"*"}
    return names


def _names_in(selectors: Iterable[Any]) -> Iterator[str]:
    """Of each the last name of the element that it is about, or `*` where that has none."""
    name, before = "*", " "
    for each in selectors:
        written = each.serialize().strip() or " "
        if written == ",":
            yield name
        elif each.type in {"ident", "hash"} and before != ":":
            name = f".{each.value}" if before == "." else f"#{each.value}" if each.type == "hash" else each.lower_value
        elif before in " ,>+~" and written not in " >+~":
            name = "*"
        before = written
    yield name


def _look_of(declarations: Iterable[Any], around: Look) -> Look:
    sight, colour, ground, opacity = around.sight, around.colour, around.ground, 1.0
    for each in declarations:
        if each.type != "declaration":
            continue
        name, tokens = each.lower_name, [token for token in each.value if token.type not in {"whitespace", "comment"}]
        if name in {"background", "background-color"}:
            painted = next((rgb for token in tokens if (rgb := _colour_of(token)) and rgb[3] >= _FAINTEST), None)
            ground = painted[:3] if painted else ground
        elif name == "color" and tokens:
            written = _colour_of(tokens[0])
            colour, opacity = (written[:3], written[3]) if written else (colour, opacity)
            if tokens[0].type == "function" and not written:
                sight = max(sight, Sight.DOUBTFUL)
        else:
            sight = max(sight, _sight_of(name, tokens))
    is_faint = max(abs(part - below) for part, below in zip(colour, ground, strict=True)) < _FAINTEST
    return Look(Sight.HIDDEN if is_faint or opacity < _FAINTEST else sight, colour, ground, around.is_quoted)


def _sight_of(name: str, tokens: list[Any]) -> Sight:
    """What a declaration lets be seen, but those of colours."""
    words = {token.lower_value for token in tokens if token.type == "ident"}
    numbers = [(token.value, _unit_of(token)) for token in tokens if token.type in _NUMBERS]
    shifts = [value / _FARTHEST.get(unit, 4.0) for value, unit in numbers]
    hides = {
        "display": "none" in words,
        "visibility": bool(words & {"hidden", "collapse"}),
        "opacity": any(value < (_FAINTEST * 100 if unit == "%" else _FAINTEST) for value, unit in numbers),
        "font-size": any(value < _SMALLEST.get(unit, 0.01) for value, unit in numbers),
        "font": any(value < _SMALLEST.get(unit, 0.01) for value, unit in numbers[:1]),
        "text-decoration": "line-through" in words,
        "text-decoration-line": "line-through" in words,
        "mso-hide": "all" in words,
    }
    if hides.get(name):
        return Sight.HIDDEN
    is_function = any(token.type == "function" for token in tokens)
    may_hide = (
        (name in hides and is_function)
        or (name.startswith(_EXTENTS) and any(value < _LEAST_EXTENT.get(unit, 0.01) for value, unit in numbers))
        or (name.startswith(_SHIFTS) and (is_function or any(abs(shift) > 1 for shift in shifts)))
        or (name.startswith("margin") and any(shift < -1 for shift in shifts))
        or (name == "letter-spacing" and any(value < -_LEAST_EXTENT.get(unit, 0.25) for value, unit in numbers))
        or (name == "position" and bool(words & {"absolute", "fixed"}))
        or (name.startswith(_DOUBTFUL_PROPERTIES) and not (words and words <= _HARMLESS))
        or name in {"-webkit-text-fill-color", "font-size-adjust"}
    )
    return Sight.DOUBTFUL if may_hide else Sight.SEEN


_NUMBERS: Final = frozenset({"number", "dimension", "percentage"})


def _unit_of(token: Any) -> str:
    return str(token.lower_unit) if token.type == "dimension" else "%" if token.type == "percentage" else ""


def _colour_of(token: Any) -> tuple[float, ...] | None:
    """Red, green, blue and opacity; None where that is no colour, or not known."""
    colour = parse_color(token) if token.type in {"ident", "hash", "function"} else None
    return (*colour.to("srgb").coordinates, colour.alpha) if isinstance(colour, Color) else None

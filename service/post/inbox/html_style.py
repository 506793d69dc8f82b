"""What CSS lets be seen of a text: the styles of an HTML mail's elements, and of its style sheets.

Rule: what hides a text for certain hides it; what may, such as a position or a clip, leaves it in doubt.
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
_EXTENTS: Final = frozenset({"height", "max-height", "width", "max-width", "line-height"})
_SHIFTS: Final = frozenset({"left", "right", "top", "bottom", "text-indent", "letter-spacing"})
_SMALLEST: Final = {"px": 6.0, "pt": 5.0, "em": 0.5, "rem": 0.5, "%": 50.0, "": 1.0}
"""Sizes of letters by unit, below which nobody reads them."""
_LEAST_EXTENT: Final = {"px": 3.0, "pt": 3.0, "": 0.5}
_FARTHEST: Final = 50.0
"""In any unit: what is moved farther is outside the window, or lies over other text."""
_FAINTEST: Final = 0.2
"""Opacity, and the greatest difference of a part of two colours, below which a text isn't seen."""


def look_of_style(style: str, around: Look) -> Look:
    """The look of an element with that `style` attribute in one of the look `around`."""
    return _look_of(tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True), around)


def read_sheet(sheet: str) -> dict[str, Sight]:
    """What a style sheet hides or leaves in doubt: by `.class`, `#id` or element, the last one of a selector."""
    sights: dict[str, Sight] = {}
    for rule in _rules_of(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)):
        contents = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        if sight := _look_of(contents, Look()).sight:
            for name in _names_in(rule.prelude):
                sights[name] = max(sight, sights.get(name, Sight.SEEN))
    return sights


def _rules_of(rules: Iterable[Any]) -> Iterator[Any]:
    for rule in rules:
        if rule.type == "qualified-rule":
            yield rule
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:  # of any screen
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            yield from (each for each in inner if each.type == "qualified-rule")


def _names_in(selectors: Iterable[Any]) -> Iterator[str]:
    name = before = ""
    for token in selectors:
        written = token.serialize()
        if token.type in {"ident", "hash"}:
            name = f".{token.value}" if before == "." else written if token.type == "hash" else token.lower_value
        elif written == ",":
            yield name
            name = ""
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
        or (name in _EXTENTS and any(value < _LEAST_EXTENT.get(unit, 0.01) for value, unit in numbers))
        or (name in _SHIFTS and (is_function or any(abs(value) > _FARTHEST for value, _ in numbers)))
        or (name.startswith("margin") and any(value < -_FARTHEST for value, _ in numbers))
        or (name == "position" and bool(words & {"absolute", "fixed"}))
        or (name.startswith(_DOUBTFUL_PROPERTIES) and not (words and words <= _HARMLESS))
        or name == "-webkit-text-fill-color"
    )
    return Sight.DOUBTFUL if may_hide else Sight.SEEN


_NUMBERS: Final = frozenset({"number", "dimension", "percentage"})


def _unit_of(token: Any) -> str:
    return str(token.lower_unit) if token.type == "dimension" else "%" if token.type == "percentage" else ""


def _colour_of(token: Any) -> tuple[float, ...] | None:
    """Red, green, blue and opacity; None where that is no colour, or not known."""
    colour = parse_color(token) if token.type in {"ident", "hash", "function"} else None
    return _rgb(colour) if isinstance(colour, Color) else None


def _rgb(colour: Color) -> tuple[float, ...]:
    return (*colour.to("srgb").coordinates, colour.alpha)

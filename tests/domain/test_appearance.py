"""The look of the cards: readable, and never distinguished by colour alone."""

import re
from collections.abc import Sequence
from itertools import combinations
from math import atan2, dist
from pathlib import Path

import pytest

from domain.cards import BUSINESSES, HAND_CARDS, REIBACH, Card
from domain.words.appearance import APPEARANCES
from tests.support.cases import cases

CSS = Path(__file__).parents[2] / "service/api/templates/score_sheet.css"
ENOUGH = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""


def linear_of(colour: str) -> list[float]:
    """Linear red, green and blue of `#rrggbb`, from 0 to 1."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]


def luminance(colour: str) -> float:
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear_of(colour), strict=True))


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_worked_out_as_wcag_does() -> None:
    """Its own examples: black on white, and the lightest grey that passes."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") > ENOUGH > contrast("#777777", "#ffffff")


def test_every_card_has_a_look() -> None:
    assert tuple(APPEARANCES) == (*HAND_CARDS, REIBACH)


@pytest.mark.parametrize("card", APPEARANCES)
def test_ink_can_be_read(card: Card) -> None:
    look = APPEARANCES[card]
    assert contrast(look.ink, look.background) >= ENOUGH


def test_no_two_cards_look_alike() -> None:
    for one, other in combinations(APPEARANCES.values(), 2):
        assert one.background != other.background
        assert one.symbol != other.symbol


EYES = cases(__file__, "eyes")
"""How they see linear sRGB (Machado, Oliveira and Fernandes 2009, severity 1)."""
TO_CONES, TO_OKLAB = cases(__file__, "to_cones"), cases(__file__, "to_oklab")
APART = 0.06
"""The least distance in Oklab; black and white are 1 apart, and 0.02 can just be told apart side by side."""


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(weight * value for weight, value in zip(row, vector, strict=True)) for row in matrix]


def seen_by(eyes: str, colour: str) -> list[float]:
    """A colour in Oklab as these eyes see it."""
    linear = [min(1.0, max(0.0, value)) for value in times(EYES[eyes], linear_of(colour))]
    return times(TO_OKLAB, [value ** (1 / 3) for value in times(TO_CONES, linear)])


@pytest.mark.parametrize("eyes", EYES)
def test_businesses_stay_apart_for_all_eyes(eyes: str) -> None:
    """In colour or lightness, besides symbol and letters."""
    seen = {business: seen_by(eyes, APPEARANCES[business].background) for business in BUSINESSES}
    distances = {(one, other): dist(seen[one], seen[other]) for one, other in combinations(BUSINESSES, 2)}
    assert {pair: distance for pair, distance in distances.items() if distance < APART} == {}


def test_neighbouring_hues_differ_in_lightness() -> None:
    """By two steps or more; each lightness in Oklab is a whole number of steps of 0.07, plus 0.02."""
    seen = [seen_by("all cones", APPEARANCES[business].background) for business in BUSINESSES]
    wheel = sorted(seen, key=lambda colour: atan2(colour[2], colour[1]))
    steps = [(lightness - 0.02) / 0.07 for lightness, _, _ in wheel]
    assert [round(step) for step in steps] == pytest.approx(steps, abs=0.05)
    assert all(abs(one - other) > 1.9 for one, other in zip(steps, steps[1:] + steps[:1], strict=True))


def test_the_score_sheet_has_the_same_colours() -> None:
    colours = dict(re.findall(r"^\.(\w+) \{ --colour: (#[0-9a-f]{6}); \}$", CSS.read_text("utf-8"), re.MULTILINE))
    assert colours == {business: APPEARANCES[business].background for business in BUSINESSES}

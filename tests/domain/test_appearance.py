"""The look of the cards: readable, and never distinguished by colour alone."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from domain.cards import BUSINESSES, HAND_CARDS, REIBACH, Card
from domain.words import WORDS
from domain.words.appearance import APPEARANCES

CSS = Path(__file__).parents[2] / "service/api/templates/score_sheet.css"
ENOUGH = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, from 0 to 1, as WCAG defines it."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_worked_out_as_wcag_does() -> None:
    """Its own examples: black on white, and the lightest grey that passes."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") > ENOUGH > contrast("#777777", "#ffffff")


def test_every_card_has_a_look() -> None:
    """All thirteen, in the canonical order."""
    assert tuple(APPEARANCES) == (*HAND_CARDS, REIBACH)


@pytest.mark.parametrize("card", APPEARANCES)
def test_ink_can_be_read(card: Card) -> None:
    """On its background, at any size of text."""
    look = APPEARANCES[card]
    assert contrast(look.ink, look.background) >= ENOUGH


def test_no_two_cards_look_alike() -> None:
    """Neither in colour nor in symbol."""
    for one, other in combinations(APPEARANCES.values(), 2):
        assert one.background != other.background
        assert one.symbol != other.symbol


@pytest.mark.parametrize("language", WORDS)
def test_no_two_cards_have_the_same_letters(language: str) -> None:
    """One to three of them for each card, whatever their case."""
    short = WORDS[language].short
    assert short.keys() == APPEARANCES.keys()
    assert len({letters.casefold() for letters in short.values()}) == len(short)
    assert all(1 <= len(letters) <= 3 for letters in short.values())


def test_the_score_sheet_has_the_same_colours() -> None:
    """Each business its background, and no business another one."""
    colours = dict(re.findall(r"^\.(\w+) \{ --colour: (#[0-9a-f]{6}); \}$", CSS.read_text("utf-8"), re.MULTILINE))
    assert colours == {business: APPEARANCES[business].background for business in BUSINESSES}

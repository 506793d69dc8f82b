"""The page of the rules: in four languages, complete, and scored by the rules of the game."""

import re
from html import unescape

import pytest

from domain.cards import BUSINESSES
from domain.rules import NEWEST, RULES
from domain.scoring import INCOME_REASONS, award
from domain.words.catalogue import LANGUAGES
from domain.words.wording import words_of
from service.web.assets import read_static
from service.web.pages import _entries
from service.web.words import page_words
from tests.api.worlds import World
from tests.web.test_words import texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_are_whole_in_each_language(world: World, language: str) -> None:
    """Every sentence is on the page, every business has a drawn card, every reason and variant its words."""
    page = world.ask("GET", "/rules", headers={"Accept-Language": language})
    assert f'<html lang="{language}">' in page.text
    shown = unescape(page.text)
    words = page_words(language).rules
    unused = {reason for reason in INCOME_REASONS if reason not in {entry.reason for entry in _entries()}}
    for name, text in texts(words):
        assert text in shown or name in {f".reasons.{reason}" for reason in unused}, name
    assert words_of(language).variants_texts.keys() == {name for rules in RULES.values() for name in rules.variants}
    assert set(words.reasons) == set(INCOME_REASONS)
    for card in BUSINESSES:
        assert f'data-card="{card}" role="img" aria-label="{words_of(language).cards[card]}"' in shown
    deck = read_static("js/verify/cards/deck.js")  # of a rule set that isn't there the page shows the printed prices
    for rules in RULES.values():
        (variants,) = re.findall(rf'^  "{rules.name}": {{ (.*) }},$', deck, re.MULTILINE)
        assert {*re.findall(r"(\w+): {", variants)} == rules.variants.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_incomes_is_that_of_the_rules(language: str) -> None:
    """What the words promise for each case is what a scoring awards."""
    alone, longest, shared, second, other = (case.earns for case in page_words(language).rules.cases)
    assert alone == str(award(NEWEST, {0: 1})[0][0])
    assert longest == str(award(NEWEST, {0: 3, 1: 2})[0][0])
    assert shared == ", ".join(str(award(NEWEST, dict.fromkeys(range(k), 2))[0][0]) for k in (2, 3, 4, 5))
    assert second == str(award(NEWEST, {0: 3, 1: 2})[1][0])
    assert other == str(award(NEWEST, {0: 3, 1: 3, 2: 2})[2][0])


def test_the_example_shows_ties_seconds_and_doubling(world: World) -> None:
    entries = list(_entries())
    assert {"monopoly", "longest", "shared_longest", "second", "none"} <= {entry.reason for entry in entries}
    assert any(entry.row.closed and entry.income for entry in entries)
    sums = re.search(r'class="rules-sum">(.*?)</p>', world.ask("GET", "/rules").text)
    assert sums is not None
    for player in ("Anna", "Bert", "Carla"):
        income = sum(entry.income for entry in entries if entry.player == player)
        assert f"{player}: <b>{words_of('en').money(income)}</b>" in sums[1]

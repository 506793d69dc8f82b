"""The words of the pages: complete in every language, used by a page, and filled alike."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import service.web
from domain.bots import BOTS
from domain.words import LANGUAGES
from service.post.channels import smtp
from service.post.channels.connection import Fault
from service.web.words import PAGE_WORDS, script_words
from service.web.words.plural import Plural

ROOM = Path(service.web.__file__).parent
SOURCES = [*(ROOM / "templates").glob("*.html"), *(ROOM / "static" / "js").rglob("*.js"), *ROOM.glob("*.py")]
GROUPS = [field.name for field in fields(PAGE_WORDS["en"])]
USE = re.compile(rf"\bwords\.({'|'.join(GROUPS)})\.(\w+)")


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each text with its name."""
    if is_dataclass(value):
        for field in fields(value):
            yield from texts(getattr(value, field.name), f"{name}.{field.name}")
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from texts(item, f"{name}.{index}")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(item, f"{name}.{key}")
    else:
        assert isinstance(value, str), name
        yield name, value


def places(text: str) -> set[str]:
    """What fills a template."""
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_templates_are_filled_alike_in_every_language(language: str) -> None:
    """No text is empty, and each takes the values that the English one takes; `{n}` may be spelled out."""
    english, other = (dict(texts(PAGE_WORDS[code])) for code in ("en", language))
    assert english.keys() == other.keys()
    assert all(text.strip() == text != "" for text in other.values())
    assert {name: places(text) - {"n"} for name, text in other.items()} == {
        name: places(text) - {"n"} for name, text in english.items()
    }


def test_every_word_is_used_and_every_used_word_exists() -> None:
    """By a template or a script, which name a word in full: `words.table.hand`."""
    used = {found for path in SOURCES for found in USE.findall(path.read_text("utf-8"))}
    declared = {(group, field.name) for group in GROUPS for field in fields(getattr(PAGE_WORDS["en"], group))}
    assert used == declared


def test_words_are_translated() -> None:
    """A long text is the same in no two languages."""
    for name, text in texts(PAGE_WORDS["en"]):
        others = [dict(texts(PAGE_WORDS[language]))[name] for language in LANGUAGES if language != "en"]
        assert len(text) < 20 or text not in others, name


def test_french_signs_keep_their_spaces() -> None:
    """Narrow no-break ones before `;`, `!` and `?`, wider ones before `:` and within guillemets; no other quotes."""
    wrong = re.compile("[^\u202f][;!?]|[^\u00a0][:»]|«[^\u00a0]|[\"“”„']")
    found = {name: text for name, text in texts(PAGE_WORDS["fr"]) if wrong.search(text)}
    assert found == {name: text for name, text in found.items() if name.endswith("keys.line")}  # "?" is a key there


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_bot_has_a_name(language: str) -> None:
    """The form for a new game offers all of them."""
    assert PAGE_WORDS[language].new_game.bots.keys() == BOTS.keys()


def test_every_reason_of_a_failed_notice_has_words() -> None:
    """Those of webhooks and of mails, of which some have a number behind them."""
    of_mails = re.findall(r'(?:detail = |RETRY, )f?"([^:"]+)', Path(smtp.__file__).read_text("utf-8"))
    assert "recipient refused" in of_mails
    assert {*Fault, *of_mails} <= PAGE_WORDS["en"].notices.errors.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_script_gets_its_groups(language: str) -> None:
    """As JSON: plural forms by category, cards in the canonical order."""
    given = script_words(language, ("table",))
    assert given.keys() == {"cards", "faces", "short", "millions", "common", "table"}
    assert given["table"]["points_left"].keys() == {"one", "other"}
    assert next(iter(given["cards"])) == "shares"


def test_plural_forms_follow_the_language() -> None:
    """Zero is singular in French alone."""
    cards = Plural(one="{n} one", other="{n} other {of}")
    said = {language: cards.format(language, 0, of="x") for language in LANGUAGES}
    assert said == {"en": "0 other x", "de": "0 other x", "nl": "0 other x", "fr": "0 one"}
    assert cards.format("fr", 1_000_000, of="x") == "1000000 other x"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_on_cards_are_those_of_the_game(language: str) -> None:
    """But for what stands in brackets, with soft hyphens between syllables; no part is too long for a card."""
    given = script_words(language, ())
    for card, name in given["cards"].items():
        face = given["faces"][card]
        assert face.replace("\u00ad", "") == name.partition(" (")[0]
        assert max(map(len, re.split("[\u00ad -]", face))) <= 10, face

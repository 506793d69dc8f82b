"""The words of the pages: the same in each language, and filled as the language has it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import service.web
from domain.analysis.reasons import CODES
from domain.bots import BOTS
from domain.commands import ACTION_TABLE
from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from service.post.channels import smtp
from service.post.channels.connection import Fault
from service.post.subscriptions import FORMATS
from service.web.assets import read_module
from service.web.words import fill_plural, page_words, script_words

ENGLISH = page_words(DEFAULT_LANGUAGE)


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    else:
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from texts(item, f"{name}.{key}")


def test_words_are_translated() -> None:
    for name, text in texts(ENGLISH):
        others = [dict(texts(page_words(language)))[name] for language in LANGUAGES if language != DEFAULT_LANGUAGE]
        assert len(text) < 20 or text not in others, name
        assert all(each.strip() == each != "" for each in (text, *others)), name


def test_french_signs_keep_their_spaces() -> None:
    """Narrow no-break ones before `;`, `!` and `?`, wider ones before `:` and within guillemets; no other quotes."""
    wrong = re.compile("[^\u202f][;!?]|[^\u00a0][:»]|«[^\u00a0]|[\"“”„']")
    found = {name: text for name, text in texts(page_words("fr")) if wrong.search(text)}
    assert found == {name: text for name, text in found.items() if name.endswith("keyboard.line")}  # "?" is a key there


def test_scripts_know_every_action() -> None:
    """Its events, what they change on the page and in its verifier; a verb, the texts of an order and of a step."""
    events = dict(re.findall(r'(\w+): \["(\w+)"', read_module("core/actions.js")))
    assert events == {entry.word: entry.event.__name__ for entry in ACTION_TABLE.values()}
    for script in ("news/position.js", "verify/effects.js"):
        assert set(events.values()) - set(re.findall(r"^  (\w+)\(", read_module(script), re.MULTILINE)) == set(), script
    assert set(events.values()) - ENGLISH.market.done.keys() == {"PileDrawn"}  # CardDrawn says it
    assert events.keys() - ENGLISH.orders.wishes.keys() == set()
    assert events.keys() - ENGLISH.turn.steps.keys() == {"take", "draw"}  # they show a card, so they never wait


def test_every_reason_of_a_failed_notice_has_words() -> None:
    """Those of webhooks and of mails, of which some have a number after them."""
    of_mails = re.findall(r'(?:detail = |SendResult\(|refusal\()f?"([^:"{]+)', Path(smtp.__file__).read_text("utf-8"))
    assert "recipient refused" in of_mails
    assert {*Fault, "status", *of_mails} <= ENGLISH.notices.errors.keys()
    assert [*ENGLISH.notices.formats] == [*FORMATS]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_script_gets_its_groups(language: str) -> None:
    """As JSON: plural forms by category, cards in the canonical order, with names and faces; every bot has a name.

    A face is the name but for what stands in brackets, with soft hyphens; no part of it is too long for a card.
    """
    given = script_words(language, ("table",))
    assert given.keys() == {"cards", "faces", "short", "millions", "colon", "bots", "common", "table"}
    assert given["table"]["points_left"].keys() == {"one", "other"}
    assert next(iter(given["cards"])) == "shares"
    assert page_words(language).new_game.bots.keys() == BOTS.keys()
    assert [*page_words(language).analysis.reasons] == [*CODES]
    for card, name in given["cards"].items():
        face = given["faces"][card]
        assert face.replace("\u00ad", "") == name.partition(" (")[0]
        assert max(map(len, re.split("[\u00ad -]", face))) <= 10, face


def test_plural_forms_follow_the_language() -> None:
    forms = {"one": "{n} one", "other": "{n} other {of}"}
    said = {language: fill_plural(language, forms, 0, of="x") for language in ("en", "de", "nl", "fr")}
    assert said == {"en": "0 other x", "de": "0 other x", "nl": "0 other x", "fr": "0 one"}
    assert fill_plural("fr", forms, 1_000_000, of="x") == "1000000 other x"


def test_the_words_about_checks_are_those_of_the_verifier() -> None:
    """Of its steps and codes; that each code has words is asserted whenever a browser test verifies a log."""
    words, verify = ENGLISH.check, Path(service.web.__file__).parent / "static" / "js" / "verify"
    found = re.search(r"STEP_FORMULAS = \{\n(.*?)^\};", read_module("verify/verifier.js"), re.DOTALL | re.MULTILINE)
    assert found is not None
    assert re.findall(r"^  (\w+):", found[1], re.MULTILINE) == [*words.steps] == [*words.meanings]
    scripts = "".join(path.read_text("utf-8") for path in verify.rglob("*.js"))
    assert [code for code in (*words.notes, *words.faults) if f'"{code}"' not in scripts] == []

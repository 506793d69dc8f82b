"""The words of the four languages: names, terms, templates, and how sentences are joined of them."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any, Final

import pytest

from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.events import EVENT_TABLE
from domain.projections.table import TableSeat
from domain.refusals import Reason, Refused
from domain.rules import RULES
from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES, TextTable, read
from domain.words.refusals import phrase_refusal, templates_of
from domain.words.refusals.sentences import Sentence, sentence_of
from domain.words.reply.clause import EXPECTED
from domain.words.wording import format_number, isolate, label_seats, words_of
from tests.support.cases import cases

NAMES = cases(__file__, "names")
TERMS = cases(__file__, "terms")
CHANGING = cases(__file__, "changing")


@pytest.mark.parametrize(
    "line", [line for line in (NAMES + TERMS).splitlines() if line], ids=lambda line: line.split()[0]
)
def test_words_are_those_of_the_table(line: str) -> None:
    """Businesses, cards and terms have the names that the project has decided."""
    name, *words = (word.strip() for word in line.split("|"))
    found = [
        words_of(language).cards.get(name) or words_of(language).terms[name] for language in ("de", "en", "nl", "fr")
    ]
    assert found == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_are_complete(language: str) -> None:
    """All cards and variants have names, every event type has a sentence, and no two cards share their letters."""
    words = words_of(language)
    assert words.cards.keys() == words.short.keys() == {*HAND_CARDS, REIBACH}
    assert words.spoken.keys() == words.several.keys() == {*HAND_CARDS}
    assert len({letters.casefold() for letters in words.short.values()}) == len(words.short)
    assert all(1 <= len(letters) <= 3 for letters in words.short.values())
    assert words.variants.keys() == {name for rules in RULES.values() for name in rules.variants}
    assert len(words.numerals) == 8
    assert {*EVENT_TABLE} <= words.clauses.keys()
    of_a_player = {name for name, text in words.clauses.items() if "{player}" in text and not name.endswith(".you")}
    assert words.to_you.keys() - {"PlayerJoined", "GameEnded", "GameEnded.shared"} == of_a_player


@pytest.mark.parametrize("language", CHANGING)
def test_no_template_depends_on_the_word_behind_it(language: str) -> None:
    """No article and no word that is elided stands before a name or a card: `telles que Anna` would be wrong French."""
    found = [
        name
        for name, text in (*words_of(language).clauses.items(), *words_of(language).to_you.items())
        if re.search(CHANGING[language], text)
    ]
    assert found == []
    assert re.search(
        CHANGING[language], {"de": "vom {x}", "en": "a {x}", "nl": "een {x}", "fr": "d\u2019{x}"}[language]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_special_card_has_its_article_in_a_sentence(language: str) -> None:
    """Multitalents and risk cards stand with an article; their symbols and glosses are left to labels."""
    words = words_of(language)
    for card in ("multitalent", "risk"):
        assert words.spoken[card].split()[0] in {"ein", "eine", "a", "een", "une"}
        assert "(" not in words.spoken[card]
    assert all(words.cards[business] in words.spoken[business] for business in BUSINESSES)


@pytest.mark.parametrize(("language", "text"), cases(__file__, "equal_cards_are_counted").items())
def test_equal_cards_are_counted(language: str, text: str) -> None:
    assert words_of(language).list_cards(["art", "gambling", "multitalent", "risk", "gambling", "risk", "risk"]) == text


def test_typography() -> None:
    """Money, signs and quotes are as each language writes them."""
    amounts = (-1, 0, 1, 2)
    assert [words_of("fr").money(amount) for amount in amounts] == [
        "\u22121\u00a0million",
        "0\u00a0million",
        "1\u00a0million",
        "2\u00a0millions",
    ]
    assert [format_number(amount, signed=True) for amount in amounts] == ["\u22121", "0", "+1", "+2"]
    assert [words_of("de").points(count) for count in (0, 1, 2)] == [
        f"{count}\u00a0Aktionspunkt{'e' * (count != 1)}" for count in (0, 1, 2)
    ]
    durations = [words_of(language).duration(187_260) for language in ("en", "de", "nl", "fr")]
    assert durations == [f"2\u00a0{day}\u00a04\u00a0{hour}" for day, hour in ("dh", ("Tg.", "Std."), "du", "jh")]
    assert [words_of("en").spell(count) for count in (1, 2, 9, 10)] == ["1", "two", "nine", "10"]
    assert [words_of(language).quote("a") for language in ("en", "de", "nl", "fr")] == [
        "“a”",
        "„a“",
        "\u2018a\u2019",
        "«\u00a0a\u00a0»",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_spaces_before_marks(language: str) -> None:
    """French has a space that can't break before `:` and `;` and inside its quotes, the other languages have none."""
    for text in (
        *words_of(language).clauses.values(),
        *words_of(language).to_you.values(),
        words_of(language).semicolon,
        words_of(language).colon,
    ):
        marks = re.findall(r"(.?)[:;]", text)
        assert all((mark in "\u00a0\u202f") == (language == "fr") for mark in marks if mark), text


def test_writing_direction_of_names_is_isolated() -> None:
    """A name from right to left is isolated, controls of direction are dropped, and alike names are numbered."""
    assert isolate("דנה") == "\u2068דנה\u2069"
    assert isolate("\u2069\u202eAnna\x1b") == "Anna "
    terms = words_of("de").terms
    seats = [("emil", None), ("emil", None), ("greedy", "greedy"), ("greedy", "greedy"), (None, None), ("", None)]
    assert label_seats([TableSeat(*seat) for seat in seats], terms) == [
        *("emil (1)", "emil (2)", "Berta (Bot)", "Frida (Bot)", "freier Platz", "Platz 6")
    ]


ALIKE: Final = ["Anna", "Anna\u200b", "An\u00adna", " Anna", "Anna\u2060", "An\ufeffna", "\u00a0Anna", "\uff21nna"]


def test_names_that_look_equal_are_numbered() -> None:
    """In one normal form, without what isn't seen; letters of another script are others."""
    for alike in (*ALIKE, "Zoe\u0308", "\u0410nna"):
        first, second = label_seats([TableSeat("Zoë" if alike[0] == "Z" else "Anna", None), TableSeat(alike, None)])
        assert (first.endswith(" (1)"), second.endswith(" (2)")) == (alike[0] != "\u0410",) * 2, alike


# The sentences of refusals.


ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = templates_of("en")
BY_RULES = {name for name in TEMPLATES if name.partition(".")[0] in set(Reason)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_written_as_sentences(language: str) -> None:
    """A capital or a value first, a full stop (or a token) last, and French spaces before its double signs."""
    for template in templates_of(language).values():
        assert template[0].isupper() or template[0] in "{\u201c\u201e\u2018\u00ab", template
        assert template.endswith((".", "<token>.")), template
        if language == "fr":
            assert not re.search(r"(?<![\u00a0\u202f:n])[:;!?»]\s|«[^\u00a0]", template), template


def test_every_name_in_the_service_has_a_sentence() -> None:
    paths = [*(ROOT / "service" / "api").rglob("*.py"), *(ROOT / "domain" / "orders").glob("*.py")]
    paths += (ROOT / "domain" / "words" / "reply").glob("*.py")
    paths += (ROOT / "service" / "post").rglob("*.py")
    source = "\n".join(path.read_text("utf-8") for path in paths)
    used = set(re.findall(r'(?:Sentence|wrong)\(\s*"([^"]+)"', source))
    used |= set(EXPECTED.values())
    used |= {f"body.{case}" for case in re.findall(r'_malformed\("([^"]+)"', source)}
    urls = (ROOT / "service" / "post" / "channels" / "address.py").read_text("utf-8")
    used |= {f"webhook.{case}" for case in re.findall(r'AddressRefused\("([^"]+)"', urls)}
    assert used <= set(TEMPLATES)
    unused = {name for name in set(TEMPLATES) - used - BY_RULES if f'"{name}"' not in source}
    assert unused == set()
    domain = "\n".join(path.read_text("utf-8") for path in (ROOT / "domain").rglob("*.py"))
    for name in BY_RULES:
        case = name.partition(".")[2]
        assert f'"{case}"' in domain + source if case else Reason(name).name in domain, name


@pytest.mark.parametrize("name", cases(__file__, "a_refusal_in_four_languages"))
def test_a_refusal_in_four_languages(name: str) -> None:
    """Numbers, cards and names stand in the sentence as its language writes them; a name is never a template."""
    given = cases(__file__, "a_refusal_in_four_languages")[name]
    refused = Refused(Reason[given["reason"]], **given["parameters"])
    assert {language: phrase_refusal(sentence_of(refused), language) for language in given["texts"]} == given["texts"]


def test_lists_are_joined_as_the_language_does() -> None:
    """A few numbers are joined by "or"; words that stand in a request are listed as they are."""
    few = Sentence("values", {"values": range(3)})
    texts = cases(__file__, "a_few_numbers")
    assert {language: phrase_refusal(few, language) for language in texts} == texts
    words = Sentence("choices", {"choices": ["take", "draw"]})
    assert {phrase_refusal(words, language) for language in LANGUAGES} == {"Must be one of: take, draw."}


# The files of texts: every language has those of English, with the same names and placeholders.


FILES = sorted(path.name.removesuffix(".toml") for path in Path(str(LANGUAGES[DEFAULT_LANGUAGE])).glob("*.toml"))


def texts_of(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Each text of a table with its place; "" for each list of words of an answer, which has as many as it takes."""
    if isinstance(value, TextTable):
        for name, entry in value.items():
            yield from texts_of(entry, f"{place}/{name}")
    elif isinstance(value, tuple) and not place.startswith("/reply/"):
        for number, entry in enumerate(value):
            yield from texts_of(entry, f"{place}/{number}")
    else:
        yield place, value if isinstance(value, str) else ""


def _placeholders(text: str) -> set[str]:
    return {field for _, field, *_ in Formatter().parse(text) if field}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", FILES)
def test_every_language_has_the_texts_of_english(language: str, name: str) -> None:
    """In the same order, each filled by the same values. A part of the refusals is for programmers, in English."""
    assert sorted(path.name.removesuffix(".toml") for path in Path(str(LANGUAGES[language])).glob("*.toml")) == FILES
    own, english = (dict(texts_of(read(each, name), f"/{name}")) for each in (language, DEFAULT_LANGUAGE))
    for_programs = {place for place in english if place.startswith("/refusals/program/") and language != "en"}
    assert list(own) == [place for place in english if place not in for_programs]
    wrong = [place for place, text in own.items() if _placeholders(text) != _placeholders(english[place])]
    assert wrong == []


def test_a_table_names_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By file and part. Its entries are items and attributes, and its lists can't be changed."""
    (tmp_path / "any.toml").write_text('a.b = ["x", "\\u00a0"]')
    monkeypatch.setitem(LANGUAGES, "xx", tmp_path)
    table = read("xx", "any")
    assert table.a.b == table["a"]["b"] == ("x", "\u00a0")
    with pytest.raises(KeyError, match=r"xx/any\.toml a has no 'c'"):
        table["a"]["c"]
    with pytest.raises(AttributeError, match=r"xx/any\.toml has no 'c'"):
        _ = table.c

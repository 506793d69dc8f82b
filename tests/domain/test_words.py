"""The words of the four languages: names, terms, templates, and how sentences are joined of them."""

import re
from string import Formatter

import pytest

from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.events import EVENT_TABLE
from domain.rules import VARIANTS
from domain.words import LANGUAGES, WORDS
from domain.words.sentence import Clause, Thing, add_clause, make_sentence
from domain.words.wording import format_number, isolate, label_seats

NAMES = """
shares      | Aktien             | Shares             | Waardepapieren             | Actions
gold        | Gold               | Gold               | Goud                       | Or
property    | Immobilien         | Property           | Vastgoed                   | Immobilier
currency    | Devisen            | Currency           | Deviezen                   | Devises
luxury      | Luxusgüter         | Luxury goods       | Luxeproducten              | Produits de luxe
gambling    | Glücksspiel        | Gambling           | Gokspelen                  | Jeux de hasard
antiques    | Antiquitäten       | Antiques           | Antiquiteiten              | Antiquités
oil         | Öl                 | Oil                | Olie                       | Pétrole
jewellery   | Schmuck            | Jewellery          | Juwelen                    | Bijoux
art         | Kunst              | Art                | Kunst                      | Art
multitalent | Multitalent        | Multitalented card | Multitalent-kaart          | Carte multi-affaires (joker)
risk        | Risiko-Karte (2x)  | Risk card          | Risicokaart (2x)           | Carte risque (X2)
reibach     | Reibach-Karte ($)  | Reibach card       | Woekerwinst-kaart ($)      | Carte Reibach ($)
"""
TERMS = """
businessmaker | Geschäftemacher | businessmaker | spelmaker      | carte réceptrice
row           | Reihe           | row           | rij            | suite
draw pile     | Aufnahmestapel  | draw pile     | voorraadstapel | pioche
scoring round | Wertung         | scoring round | waardebepaling | décompte
"""
LATER = ("TurnTimedOut", "SeatAbandoned", "SeatReclaimed", "PlayerResigned")
"""Types of the contract that no log of this release holds yet."""
CHANGING = {
    # Articles, and prepositions that melt with them or lose a vowel: none may stand before a name or a card.
    "de": r"\b(ein|eine|einen|einem|einer|der|die|das|dem|den|vom|zum|zur|im|am) \{",
    "en": r"\ban? \{",
    "nl": r"\b(een|de|het) \{",
    "fr": r"(\b(le|la|les|un|une|de|du|des|au|aux|que|jusque|lorsque|puisque) |[dlqnsj]u?\u2019)\{",
}


@pytest.mark.parametrize(
    "line", [line for line in (NAMES + TERMS).splitlines() if line], ids=lambda line: line.split()[0]
)
def test_words_are_those_of_the_table(line: str) -> None:
    """Businesses, cards and terms have the names that the project has decided."""
    name, *words = (word.strip() for word in line.split("|"))
    found = [WORDS[language].cards.get(name) or WORDS[language].terms[name] for language in ("de", "en", "nl", "fr")]
    assert found == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_are_complete(language: str) -> None:
    """Each has the same cards, terms and templates, filled by the same fields; no two cards share their letters."""
    words, english = WORDS[language], WORDS["en"]
    assert words.cards.keys() == words.short.keys() == {*HAND_CARDS, REIBACH}
    assert words.spoken.keys() == words.several.keys() == {*HAND_CARDS}
    assert all(_fields(template) == {"count"} for template in words.several.values())
    assert len(set(words.short.values())) == len(words.short)
    assert words.variants.keys() == VARIANTS.keys()
    assert len(words.numerals) == 8
    assert words.terms.keys() == english.terms.keys()
    assert words.losses.keys() == english.losses.keys()
    assert words.clauses.keys() == english.clauses.keys()
    for name, template in words.clauses.items():
        assert _fields(template) == _fields(english.clauses[name]), name


def _fields(template: str) -> set[str]:
    return {field for _, field, *_ in Formatter().parse(template) if field}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_type_has_a_sentence(language: str) -> None:
    """Those of the log, and those that the contract foresees."""
    missing = {*EVENT_TABLE, *LATER} - WORDS[language].clauses.keys()
    assert not missing


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_template_depends_on_the_word_behind_it(language: str) -> None:
    """No article and no word that is elided stands before a name or a card: `telles que Anna` would be wrong French."""
    found = [name for name, text in WORDS[language].clauses.items() if re.search(CHANGING[language], text)]
    assert found == []
    assert re.search(
        CHANGING[language], {"de": "vom {x}", "en": "a {x}", "nl": "een {x}", "fr": "d\u2019{x}"}[language]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_special_card_has_its_article_in_a_sentence(language: str) -> None:
    """Multitalents and risk cards stand with an article; their symbols and glosses are left to labels."""
    words = WORDS[language]
    for card in ("multitalent", "risk"):
        assert words.spoken[card].split()[0] in {"ein", "eine", "a", "een", "une"}
        assert "(" not in words.spoken[card]
    assert all(words.cards[business] in words.spoken[business] for business in BUSINESSES)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Kunst, zweimal Glücksspiel, ein Multitalent und drei Risiko-Karten"),
        ("en", "Art, two Gambling cards, a multitalented card and three risk cards"),
        ("nl", "Kunst, tweemaal Gokspelen, een multitalent-kaart en drie risicokaarten"),
        ("fr", "une carte Art, deux cartes Jeux de hasard, une carte multi-affaires et trois cartes risque"),
    ],
)
def test_equal_cards_are_counted(language: str, text: str) -> None:
    """In words, and each kind once."""
    assert WORDS[language].list_cards(["art", "gambling", "multitalent", "risk", "gambling", "risk", "risk"]) == text


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("de", ("Reibach-Karte Nr.\u00a08 taucht auf.", "Die Reibach-Karten Nr.\u00a08, 9 und 10 tauchen auf.")),
        ("en", ("Reibach card no.\u00a08 turns up.", "Reibach cards no.\u00a08, 9 and 10 turn up.")),
        ("nl", ("Woekerwinst-kaart nr.\u00a08 verschijnt.", "De woekerwinst-kaarten nr.\u00a08, 9 en 10 verschijnen.")),
        ("fr", ("La carte Reibach n°\u00a08 apparaît.", "Les cartes Reibach n°\u00a08, 9 et 10 apparaissent.")),
    ],
)
def test_clauses_alike_become_one(language: str, texts: tuple[str, str]) -> None:
    """In the plural, with a list of what differs."""
    clauses: tuple[Clause, ...] = ()
    found = []
    for number in ("8", "9", "10"):
        clauses = add_clause(clauses, Clause("ReibachRevealed", {}, (Thing(text=number),)))
        found.append(make_sentence(clauses, WORDS[language]))
    assert (found[0], found[2]) == texts


def test_typography() -> None:
    """Money, signs and quotes are as each language writes them."""
    amounts = (-1, 0, 1, 2)
    assert [WORDS["fr"].money(amount) for amount in amounts] == [
        "\u22121\u00a0million",
        "0\u00a0million",
        "1\u00a0million",
        "2\u00a0millions",
    ]
    assert [format_number(amount, signed=True) for amount in amounts] == ["\u22121", "0", "+1", "+2"]
    assert [WORDS["de"].points(count) for count in (0, 1, 2)] == [
        f"{count}\u00a0Aktionspunkt{'e' * (count != 1)}" for count in (0, 1, 2)
    ]
    assert [WORDS["en"].spell(count) for count in (1, 2, 9, 10)] == ["1", "two", "nine", "10"]
    assert [WORDS[language].quote("a") for language in ("en", "de", "nl", "fr")] == [
        "“a”",
        "„a“",
        "\u2018a\u2019",
        "«\u00a0a\u00a0»",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_spaces_before_marks(language: str) -> None:
    """French has a space that can't break before `:` and `;` and inside its quotes, the other languages have none."""
    for text in (*WORDS[language].clauses.values(), WORDS[language].semicolon, WORDS[language].colon):
        marks = re.findall(r"(.?)[:;]", text)
        assert all((mark in "\u00a0\u202f") == (language == "fr") for mark in marks if mark), text


def test_writing_direction_of_names_is_isolated() -> None:
    """A name from right to left is isolated, controls of direction are dropped, and alike names are numbered."""
    assert isolate("דנה") == "\u2068דנה\u2069"
    assert isolate("\u2069\u202eAnna\x1b") == "Anna "
    assert label_seats(["Anna", "greedy", "greedy", None, None], "open") == [
        "Anna",
        "greedy (1)",
        "greedy (2)",
        "open",
        "open",
    ]

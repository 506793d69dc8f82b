"""The sentences of refusals: the same ones in every language, each of them used, none missing."""

import re
from pathlib import Path
from string import Formatter

import pytest

from domain.refusals import Reason, Refused
from domain.words import LANGUAGES
from domain.words.refusals import REFUSALS, word_refusal
from domain.words.refusals.sentences import Sentence, sentence_of

ROOT = Path(__file__).resolve().parents[2]
NAMES = REFUSALS["en"]
BY_RULES = {name for name in NAMES if name.partition(".")[0] in set(Reason)}


def _placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_language_has_the_same_sentences() -> None:
    """The languages are those of the recap, with the same sentences, in the same order and with the same values."""
    assert set(REFUSALS) == set(LANGUAGES)
    for templates in REFUSALS.values():
        assert list(templates) == list(NAMES)
        for name, template in templates.items():
            assert _placeholders(template) == _placeholders(NAMES[name]), template


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_written_as_sentences(language: str) -> None:
    """A capital or a value first, a full stop (or a token) last, and French spaces before its double signs."""
    for template in REFUSALS[language].values():
        assert template[0].isupper() or template[0] in "{\u201c\u201e\u2018\u00ab", template
        assert template.endswith((".", "<token>.")), template
        if language == "fr":
            assert not re.search(r"(?<![\u00a0\u202f:n])[:;!?»]\s|«[^\u00a0]", template), template


def test_every_name_in_the_service_has_a_sentence() -> None:
    """Each name that the service gives a Sentence is in the tables, and each sentence of the tables is used."""
    paths = [*(ROOT / "service" / "api").rglob("*.py"), *(ROOT / "domain" / "orders").glob("*.py")]
    paths += (ROOT / "domain" / "words" / "reply").glob("*.py")
    paths += (ROOT / "service" / "post").rglob("*.py")
    source = "\n".join(path.read_text("utf-8") for path in paths)
    used = set(re.findall(r'(?:Sentence|wrong)\(\s*"([^"]+)"', source))
    used |= {f"body.{case}" for case in re.findall(r'_malformed\("([^"]+)"', source)}
    urls = (ROOT / "service" / "post" / "channels" / "address.py").read_text("utf-8")
    used |= {f"webhook.{case}" for case in re.findall(r'AddressRefused\("([^"]+)"', urls)}
    assert used <= set(NAMES)
    unused = {name for name in set(NAMES) - used - BY_RULES if f'"{name}"' not in source}
    assert unused == set()
    domain = "\n".join(path.read_text("utf-8") for path in (ROOT / "domain").rglob("*.py"))
    for name in BY_RULES:
        case = name.partition(".")[2]
        assert f'"{case}"' in domain + source if case else Reason(name).name in domain, name


@pytest.mark.parametrize(
    ("refused", "texts"),
    [
        (
            Refused(Reason.NOT_ENOUGH_ACTION_POINTS, cost=2, left=1),
            [
                "This costs 2\u00a0action points; you have only 1 left.",
                "Das kostet 2\u00a0Aktionspunkte; du hast nur noch 1.",
                "Dit kost 2\u00a0actiepunten; je hebt er nog maar 1.",
                "Cela coûte 2\u00a0points d\u2019action\u202f; il ne t\u2019en reste que 1.",
            ],
        ),
        (
            Refused(Reason.WRONG_BUSINESS, row=0, business="art", card="shares"),
            [
                "Row 0 takes Art, multitalented cards and risk cards, not Shares.",
                "Reihe 0 nimmt Kunst, Multitalente und Risiko-Karten, nicht Aktien.",
                "Rij 0 neemt Kunst, multitalent-kaarten en risicokaarten, niet Waardepapieren.",
                "La suite 0 accepte Art, cartes multi-affaires et cartes risque, pas Actions.",
            ],
        ),
        (
            Refused(Reason.GAME_OVER, case="shared", winners=["Anna", "{card}", "\u05d0"]),
            [
                "The game is over. Anna, {card} and \u2068\u05d0\u2069 have won.",
                "Das Spiel ist aus. Gewonnen haben: Anna, {card} und \u2068\u05d0\u2069.",
                "Het spel is afgelopen. Gewonnen hebben: Anna, {card} en \u2068\u05d0\u2069.",
                "La partie est terminée. Ont gagné\u00a0: Anna, {card} et \u2068\u05d0\u2069.",
            ],
        ),
    ],
    ids=lambda value: str(value.reason) if isinstance(value, Refused) else "",
)
def test_a_refusal_in_four_languages(refused: Refused, texts: list[str]) -> None:
    """Numbers, cards and names stand in the sentence as its language writes them; a name is never a template."""
    assert [word_refusal(sentence_of(refused), language) for language in ("en", "de", "nl", "fr")] == texts


def test_lists_are_joined_as_the_language_does() -> None:
    """A few numbers are joined by "or"; words that stand in a request are listed as they are."""
    few = Sentence("values", {"values": range(3)})
    assert [word_refusal(few, language) for language in ("en", "de", "nl", "fr")] == [
        "Must be 0, 1 or 2.",
        "Muss 0, 1 oder 2 sein.",
        "Moet 0, 1 of 2 zijn.",
        "Doit être 0, 1 ou 2.",
    ]
    words = Sentence("choices", {"choices": ["take", "draw"]})
    assert word_refusal(words, "en") == "Must be one of: take, draw."

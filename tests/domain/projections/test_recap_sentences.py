"""The recap's sentences, in four languages."""

import pytest

from domain.events import (
    ActionPointsForfeited,
    BusinessmakerLaid,
    CardAppended,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    GameEnded,
    PileDrawn,
    ReibachRevealed,
    RoundScored,
    ScoringStarted,
    TurnStarted,
)
from domain.people.events import MessagePosted
from domain.projections.recap import recap
from domain.words import LANGUAGES
from tests.support.recaps import BY, log, scored, texts

TURNS = {
    "de": """
Anna nimmt Gold (die Reibach-Karten Nr. 1 und 2 tauchen auf; neu: eine Risiko-Karte) und Öl (neu: Kunst) aus der Mitte \
und legt Gold als Geschäftemacher.
Bert eröffnet die Reihe Gold, verlängert die Reihe Gold auf 3 und lässt 1 Aktionspunkt verfallen, \
weil keine Aktion möglich ist.
""",
    "en": """
Anna takes Gold (Reibach cards no. 1 and 2 turn up; new: a risk card) and Oil (new: Art) from the display \
and lays Gold as a businessmaker.
Bert opens the Gold row, extends the Gold row to 3 and forfeits 1 action point: no action is possible.
""",
    "nl": """
Anna neemt Goud (de woekerwinst-kaarten nr. 1 en 2 verschijnen; nieuw: een risicokaart) en Olie (nieuw: Kunst) \
uit het midden en legt Goud als spelmaker.
Bert opent de rij Goud, verlengt de rij Goud tot 3 en verliest 1 actiepunt, want er is geen actie mogelijk.
""",
    "fr": """
Anna prend une carte Or (les cartes Reibach n° 1 et 2 apparaissent ; à sa place : une carte risque) \
et une carte Pétrole (à sa place : une carte Art) au milieu et pose une carte Or comme carte réceptrice.
Bert ouvre la suite Or, porte la suite Or à 3 cartes et perd 1 point d'action, car aucune action n'est possible.
""",
}


def plain(text: str) -> str:
    """The text with the spaces, minus signs and apostrophes of a keyboard."""
    return text.translate({0xA0: " ", 0x202F: " ", 0x2212: "-", 0x2019: "'"})


def test_one_sentence_for_an_action() -> None:
    """The events that an action causes are in its sentence; of turns, only the present one has an item."""
    events = log(
        CardTaken(0, 0, "gold", 1),
        ReibachRevealed(1),
        DisplayRefilled(0, "oil"),
        PileDrawn(0),
        CardDrawn(0, "art"),
        TurnStarted(2, 1),
        BusinessmakerLaid(1, 0, "gold"),
        CardAppended(1, 0, "gold"),
        CardAppended(1, 0, "gold"),
    )
    assert texts(events) == [
        "Anna takes Gold from the display (Reibach card no.\u00a01 turns up; new: Oil).",
        "Anna draws Art.",
        "Turn 2: Bert to play.",
        "Bert lays Gold as a businessmaker.",
        "Bert opens the Gold row.",
        "Bert extends the Gold row to 2.",
    ]
    assert [item["seat"] for item in recap(events, 5, "en", by="action").items] == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_sentence_for_a_turn(language: str) -> None:
    """The player stands once, and so does an action that is repeated."""
    events = log(
        CardTaken(0, 0, "gold", 1),
        ReibachRevealed(1),
        ReibachRevealed(2),
        DisplayRefilled(0, "risk"),
        CardTaken(0, 1, "oil", 1),
        DisplayRefilled(1, "art"),
        BusinessmakerLaid(0, 0, "gold"),
        TurnStarted(2, 1),
        BusinessmakerLaid(1, 0, "gold"),
        TurnStarted(3, 1),
        CardAppended(1, 0, "gold"),
        CardAppended(1, 0, "gold"),
        CardAppended(1, 0, "gold"),
        ActionPointsForfeited(1, 1),
    )
    items = recap(events, 4, language).items
    assert [plain(items[0]["text"]), plain(items[2]["text"])] == TURNS[language].strip().split("\n")
    assert [(item["type"], item["seat"], item["version"]) for item in items] == [
        ("TurnStarted", 0, 12),
        ("TurnStarted", 1, 14),
        ("TurnStarted", 1, 19),
    ]


def test_hidden_cards_have_no_name() -> None:
    """Draws of another seat and hidden businessmakers are described without the cards, and counted."""
    events = log(
        PileDrawn(0),
        CardDrawn(0, "art"),
        BusinessmakerLaid(0, 0, "gold"),
        BusinessmakerLaid(0, 1, "oil"),
        TurnStarted(2, 1),
    )
    for event in events:
        if event["type"] in {"CardDrawn", "BusinessmakerLaid"}:
            event["data"]["card"] = None
    assert texts(events)[:2] == ["Anna draws a card.", "Anna lays a businessmaker."]
    assert texts(events, by="turn")[0] == "Anna draws a card and lays two businessmakers."


def test_specials_on_a_row() -> None:
    """A multitalent lengthens a row, a risk card closes it."""
    rows = [BusinessmakerLaid(0, 0, "gold"), CardAppended(0, 0, "oil")]
    events = log(
        CardTaken(0, 2, "risk", 1),
        CardTaken(0, 1, "multitalent", 1),
        *rows,
        CardAppended(0, 0, "multitalent"),
        CardAppended(0, 0, "risk"),
    )
    assert texts(events, since=9) == [
        "Anna adds a multitalented card to the Oil row (length 2).",
        "Anna closes the Oil row with a risk card (income doubled).",
    ]


def test_an_interrupted_refill() -> None:
    """The card that comes after the scoring round has a sentence, in the turn that it belongs to."""
    events = log(
        CardTaken(0, 0, "gold", 1),
        ReibachRevealed(4),
        ScoringStarted(1),
        RoundScored(1, scored((0, 0), (0, 0)), [0, 0]),
        DisplayRefilled(0, "risk"),
        BusinessmakerLaid(0, 0, "gold"),
    )
    assert texts(events, by="turn")[2] == "New on display: a risk card; Anna lays Gold as a businessmaker."
    assert texts(events, "fr")[2] == "Au milieu arrive une carte risque."
    assert recap(events[:10], 9, "en").items[0]["seat"] == 0


@pytest.mark.parametrize(
    ("language", "anna", "bert"),
    [
        (
            "de",
            "Anna -2 Mio. (-2 Mio. für 1 leeren Geschäftemacher; gesamt -2 Mio.)",
            "Bert -5 Mio. (-4 Mio. für 2 leere Geschäftemacher und -1 Mio. für 1 Handkarte; gesamt -5 Mio.).",
        ),
        (
            "en",
            "Anna -2 million (-2 million for 1 empty businessmaker; total -2 million)",
            (
                "Bert -5 million (-4 million for 2 empty businessmakers and -1 million for 1 card in hand; "
                "total -5 million)."
            ),
        ),
        (
            "nl",
            "Anna -2 miljoen (-2 miljoen voor 1 lege spelmaker; totaal -2 miljoen)",
            "Bert -5 miljoen (-4 miljoen voor 2 lege spelmakers en -1 miljoen voor 1 handkaart; totaal -5 miljoen).",
        ),
        (
            "fr",
            "Anna -2 millions (-2 millions pour 1 carte réceptrice vide ; total -2 millions)",
            (
                "Bert -5 millions (-4 millions pour 2 cartes réceptrices vides et -1 million pour 1 carte en main ; "
                "total -5 millions)."
            ),
        ),
    ],
    ids=["de", "en", "nl", "fr"],
)
def test_losses_have_their_reasons(language: str, anna: str, bert: str) -> None:
    """What each seat lost, and for what."""
    text = texts(log(ScoringStarted(3), RoundScored(3, scored((-2, 0), (-4, -1)), [-2, -5])), language)[0]
    assert plain(text).endswith(f"{anna}{' ' * (language == 'fr')}; {bert}")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Vorsprung: Bert 1\u00a0Mio."),
        ("en", "head start: Bert 1\u00a0million."),
        ("nl", "voorsprong: Bert 1\u00a0miljoen."),
        ("fr", "avance\u00a0: Bert 1\u00a0million."),
    ],
)
def test_a_head_start_is_named(language: str, text: str) -> None:
    """With the deal, where the variant is on."""
    assert recap(log(bonus=True), 3, language).items[0]["text"].endswith(text)
    assert "Bert 1" not in recap(log(), 3, language).items[0]["text"]


@pytest.mark.parametrize(
    ("language", "alone", "shared"),
    [
        ("en", "Anna wins with 1\u00a0million.", "Anna and Bert share the victory with 2\u00a0million each."),
        ("de", "Anna gewinnt mit 1\u00a0Mio.", "Anna und Bert teilen sich den Sieg mit je 2\u00a0Mio."),
        ("nl", "Anna wint met 1\u00a0miljoen.", "Anna en Bert delen de overwinning met elk 2\u00a0miljoen."),
        (
            "fr",
            "Anna gagne avec 1\u00a0million.",
            "Anna et Bert se partagent la victoire, avec 2\u00a0millions par joueur.",
        ),
    ],
)
@pytest.mark.parametrize("by", BY)
def test_the_end(by: str, language: str, alone: str, shared: str) -> None:
    """One winner or several; a sentence has one full stop; no turn is on any more."""
    assert texts(log(GameEnded([1, 0], [0])), language, 4, by)[0].endswith(alone)
    assert texts(log(GameEnded([2, 2], [0, 1])), language, 4, by)[0].endswith(shared)
    assert len(texts(log(GameEnded([2, 2], [0, 1])), language, 4, by)) == 1


def test_player_texts_are_never_interpreted() -> None:
    """Names and messages that look like templates or markup are inserted unchanged."""
    events = log(PileDrawn(0), MessagePosted(1, "{x}\n\u202eyes"), names=("{card}{0}", "%s<b>"))
    assert texts(events, by="turn") == ["{card}{0} draws a card.", "%s<b> writes: “{x}\nyes”"]

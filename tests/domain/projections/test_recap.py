"""The recap: events as sentences."""

from collections.abc import Sequence
from string import Formatter
from typing import Any

import pytest

from domain.cards import HAND_CARDS, REIBACH
from domain.events import (
    EVENT_TABLE,
    ActionPointsForfeited,
    BusinessmakerLaid,
    CardAppended,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    Event,
    GameCreated,
    GameEnded,
    GameStarted,
    PileDrawn,
    PlayerJoined,
    ReibachRevealed,
    RoundScored,
    ScoringStarted,
    TurnStarted,
)
from domain.projections.recap import describe_events, last_own_action, recap
from domain.view import redact_event
from domain.words import LANGUAGES, WORDS
from domain.words.wording import format_number, isolate, label_seats
from tests.support.play import fold, numbered, play_game, play_until

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
multitalent | Multitalent        | Multitalented card | Multitalent-kaart (jester) | Carte multi-affaires (joker)
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
CREATED = GameCreated("g", "standard@1", 2, {}, 0, False, "", "00" * 32)
DEALT = GameStarted([["gold", "oil", "art", "art"], ["gold"] * 4], ["gold", "oil", "risk"], ["art"])
SCORES: list[dict[str, Any]] = [
    {"seat": seat, "businesses": {}, "penalties": {"empty_businessmakers": 0, "hand_cards": income}, "income": income}
    for seat, income in enumerate((-2, 0))
]


def log(*events: Event, names: Sequence[str] = ("Anna", "Bert")) -> list[dict[str, Any]]:
    """The events as the contract has them, behind those of a table that two players have sat down at."""
    seated = [PlayerJoined(seat, name, None, "") for seat, name in enumerate(names)]
    return numbered([CREATED, *seated, DEALT, TurnStarted(1, 0), *events])


def texts(events: list[dict[str, Any]], language: str = "en", since: int = 5) -> list[str]:
    """The sentences after the deal."""
    return [item["text"] for item in recap(events, since, language)]


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
    assert len(set(words.short.values())) == len(words.short)
    assert words.terms.keys() == english.terms.keys()
    assert words.clauses.keys() == english.clauses.keys()
    for name, template in words.clauses.items():
        fields, others = (
            {field for _, field, *_ in Formatter().parse(text) if field} for text in (template, english.clauses[name])
        )
        assert fields == others, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_type_has_a_sentence(language: str) -> None:
    """Those of the log, and those that the contract foresees."""
    missing = {*EVENT_TABLE, *LATER} - WORDS[language].clauses.keys()
    assert not missing


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewer", [None, 0])
@pytest.mark.parametrize(("seats", "variants"), [(2, ()), (3, ("expensive_specials",)), (5, ("staggered_start",))])
def test_a_recap_covers_every_event_once(
    language: str, viewer: int | None, seats: int, variants: tuple[str, ...]
) -> None:
    """Every event of a game is in one item, in order, for every viewer and while the game runs."""
    for commands in (5, 60, 10_000):
        game, events = play_until(seats, f"told {seats}", commands, variants)
        seen = [redact_event(event, viewer, game) for event in numbered(events)]
        items = describe_events(seen, language)
        assert [one["version"] for item in items for one in item["events"]] == list(range(1, len(events) + 1))
        for item in items:
            assert item["version"] == item["events"][-1]["version"]
            assert item["text"].endswith(".")
            assert "{" not in item["text"]
            assert "None" not in item["text"]


def test_one_sentence_for_an_action() -> None:
    """The events that an action causes are in its sentence."""
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
        "Anna takes Gold from the display; Reibach card no.\u00a01 turns up; new card: Oil.",
        "Anna draws Art.",
        "Turn 2: Bert plays.",
        "Bert lays Gold as a businessmaker.",
        "Bert opens the row Gold.",
        "Bert lengthens the row Gold to 2.",
    ]
    assert [item["seat"] for item in recap(events, 5, "en")] == [0, 0, 1, 1, 1, 1]


def test_hidden_cards_have_no_name() -> None:
    """The draw of another seat and a hidden businessmaker are described without the card."""
    events = log(
        PileDrawn(0), CardDrawn(0, "art"), BusinessmakerLaid(0, 0, "gold"), TurnStarted(2, 1), TurnStarted(3, 0)
    )
    for event in events:
        if event["type"] in {"CardDrawn", "BusinessmakerLaid"}:
            event["data"]["card"] = None
    assert texts(events)[:2] == ["Anna draws a card.", "Anna lays a businessmaker."]


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
        "Anna adds Multitalented card to the row Oil, length 2.",
        "Anna closes the row Oil with a risk card, which doubles its income.",
    ]


def test_an_interrupted_draw_goes_on_in_a_sentence_of_its_own() -> None:
    """A scoring round comes between; its announcement and its result are one item."""
    events = log(
        PileDrawn(0),
        ReibachRevealed(4),
        ScoringStarted(1),
        RoundScored(1, SCORES, [-2, 0]),
        CardDrawn(0, "art"),
        ActionPointsForfeited(0, 1),
    )
    assert texts(events) == [
        "Anna draws a card; Reibach card no.\u00a04 turns up.",
        (
            "Scoring round 1: Anna \u22122\u00a0million (total \u22122\u00a0million); "
            "Bert 0\u00a0million (total 0\u00a0million)."
        ),
        "Anna gets Art.",
        "Anna forfeits 1\u00a0action point, for no action is possible.",
    ]
    scored = recap(events, 5, "en")[1]
    assert (scored["type"], scored["version"], scored["seat"]) == ("RoundScored", 9, None)
    assert [event["type"] for event in scored["events"]] == ["ScoringStarted", "RoundScored"]
    assert texts(events[:8]) == [*texts(events)[:1], "Scoring round 1 begins."]


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
def test_the_end(language: str, alone: str, shared: str) -> None:
    """One winner or several; a sentence has one full stop; no turn is on any more."""
    assert texts(log(GameEnded([1, 0], [0])), language, 4)[0].endswith(alone)
    assert texts(log(GameEnded([2, 2], [0, 1])), language, 4)[0].endswith(shared)
    assert len(texts(log(GameEnded([2, 2], [0, 1])), language, 4)) == 1


def test_typography() -> None:
    """Money, signs and French spaces are as each language writes them."""
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
    taken = log(CardTaken(0, 0, "gold", 1), DisplayRefilled(0, "oil"))
    assert texts(taken, "fr") == ["Anna prend Or au milieu\u202f; nouvelle carte\u00a0: Pétrole."]
    assert [WORDS[language].quote("a") for language in ("en", "de", "nl", "fr")] == [
        "“a”",
        "„a“",
        "\u2018a\u2019",
        "«\u00a0a\u00a0»",
    ]


def test_player_texts_are_never_interpreted() -> None:
    """Names and messages that look like templates or markup are inserted unchanged."""
    events = log(PileDrawn(0), names=("{card}{0}", "%s<b>"))
    events += [
        {"version": 7, "type": kind, "at": "", "data": {"seat": 1, "text": "{x}\n\u202eyes", "turn": 1}}
        for kind in ("MessagePosted",)
    ]
    assert texts(events) == ["{card}{0} draws a card.", "%s<b> writes: “{x}\nyes”"]


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


def test_since() -> None:
    """A recap begins after its version; the last own action is that of the viewer's seat."""
    _, commands = play_game(3, "since")
    events = numbered([event for some in commands for event in some])
    for since in (0, 7, 100, len(events)):
        items = recap(events, since, "nl")
        assert all(one["version"] > since for item in items for one in item["events"])
    assert recap(events, len(events), "nl") == []
    for seat in range(3):
        version = last_own_action(events, seat)
        assert events[version - 1]["data"]["seat"] == seat
        assert all(one["data"]["seat"] != seat for one in events[version:] if one["type"] == "CardTaken")
    assert last_own_action(events, None) == last_own_action(events[:4], 0) == 0


def test_a_recap_names_only_the_current_turn() -> None:
    """Of the turns that began, the last one; none when the game is over."""
    game, events = play_until(2, "turns", 30)
    turns = [item for item in recap(numbered(events), 0, "de") if item["type"] == "TurnStarted"]
    assert [item["events"][0]["data"]["turn"] for item in turns] == [game.turn]
    assert fold(events).turn == game.turn


def test_unknown_types_are_skipped() -> None:
    """As the contract asks of clients: unknown events count as versions and have no sentence."""
    events = log(PileDrawn(0))
    events.append({"version": 7, "type": "MoonRisen", "at": "", "data": {}})
    assert texts(events) == ["Anna draws a card."]

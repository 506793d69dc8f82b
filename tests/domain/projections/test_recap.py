"""The recap: its items by turn and by action, its pages, and where it begins."""

from typing import Any

import pytest

from domain.events import (
    ActionPointsForfeited,
    BusinessmakerLaid,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    PileDrawn,
    ReibachRevealed,
    RoundScored,
    ScoringStarted,
    TurnStarted,
)
from domain.people.events import MessagePosted
from domain.projections.recap import describe_events, last_own_action, recap
from domain.view import redact_event
from domain.words import LANGUAGES
from tests.support.play import fold, numbered, play_game, play_until
from tests.support.recaps import BY, log, scored, texts


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
        turns = recap(seen, 0, language).items
        for items in (describe_events(seen, language), turns):
            assert [one["version"] for item in items for one in item["events"]] == list(range(1, len(events) + 1))
            for item in items:
                assert item["version"] == item["events"][-1]["version"]
                assert item["text"].endswith(".")
                assert "{" not in item["text"]
                assert "None" not in item["text"]
        began = sum(event["type"] == "TurnStarted" for event in seen)
        interrupted = sum(event["type"] == "RoundScored" for event in seen)
        sentences = [item for item in turns if item["type"] == "TurnStarted"]
        assert began <= len(sentences) <= began + interrupted


def test_a_turn_at_the_head() -> None:
    """Its sentence is what has happened in it so far; before its first action it says whose turn it is."""
    events = log(PileDrawn(0), CardDrawn(0, "art"), TurnStarted(2, 1), BusinessmakerLaid(1, 0, "gold"))
    assert texts(events[:5], since=4, by="turn") == ["Turn 1: Anna to play."]
    assert texts(events[:8], by="turn") == ["Anna draws Art.", "Turn 2: Bert to play."]
    assert texts(events, by="turn") == ["Anna draws Art.", "Bert lays Gold as a businessmaker."]


def test_a_message_interrupts_a_turn() -> None:
    """What follows it is a sentence of its own, and a turn without one until then has no item when it is over."""
    events = log(
        MessagePosted(1, "Go on!"),
        PileDrawn(0),
        CardDrawn(0, "art"),
        MessagePosted(1, "At last."),
        BusinessmakerLaid(0, 0, "gold"),
    )
    sentences = [
        "Bert writes: “Go on!”",
        "Anna draws Art.",
        "Bert writes: “At last.”",
        "Anna lays Gold as a businessmaker.",
    ]
    assert texts(events, since=4, by="turn") == ["Turn 1: Anna to play.", *sentences]
    later = log(*(MessagePosted(1, "Go on!"), PileDrawn(0), CardDrawn(0, "art")), TurnStarted(2, 1))
    assert texts(later, since=4, by="turn") == [*sentences[:2], "Turn 2: Bert to play."]


@pytest.mark.parametrize("by", BY)
def test_an_interrupted_draw_goes_on_in_a_sentence_of_its_own(by: str) -> None:
    """A scoring round comes between; its announcement and its result are one item."""
    events = log(
        PileDrawn(0),
        ReibachRevealed(4),
        ScoringStarted(1),
        RoundScored(1, scored((0, 0), (0, 0)), [0, 0]),
        ReibachRevealed(5),
        CardDrawn(0, "art"),
        BusinessmakerLaid(0, 0, "gold"),
    )
    sentences = [
        "Anna draws a card (Reibach card no.\u00a04 turns up).",
        "Scoring round 1: Anna 0\u00a0million (total 0\u00a0million); Bert 0\u00a0million (total 0\u00a0million).",
        "Reibach card no.\u00a05 turns up; Anna gets Art.",
    ]
    assert texts(events[:11], by=by) == sentences
    assert texts(events, by="turn")[2] == f"{sentences[2][:-1]} and lays Gold as a businessmaker."
    item = recap(events, 5, "en", by=by).items[1]
    assert (item["type"], item["version"], item["seat"]) == ("RoundScored", 9, None)
    assert [event["type"] for event in item["events"]] == ["ScoringStarted", "RoundScored"]
    assert texts(events[:8], by=by) == [*sentences[:1], "Scoring round 1 begins."]


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize(("seats", "commands"), [(2, 10_000), (3, 77), (5, 120)])
def test_pages_join(seats: int, commands: int, by: str) -> None:
    """Pages of any length, from any start, joined by `next`, are one long page."""
    game, played = play_until(seats, f"pages {seats}", commands, ("staggered_start",), talk=0.1)
    events = [redact_event(event, 0, game) for event in numbered(played)]
    for since in (0, 1, len(events) // 2, len(events) - 1):
        whole = recap(events, since, "de", by=by)
        assert whole.next is None
        assert all(one["version"] > since for item in whole.items for one in item["events"])
        for limit in (1, 2, 7, len(whole.items) or 1):
            items: list[dict[str, Any]] = []
            start: int | None = since
            while start is not None:
                page = recap(events, start, "de", by=by, limit=limit)
                assert len(page.items) == limit or page.next is None
                items += page.items
                start = page.next
            assert items == whole.items


def test_a_page_makes_its_own_sentences_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand messages outside a page cost no sentences."""
    quoted = []
    monkeypatch.setattr("domain.words.wording.Words.quote", lambda _, text: quoted.append(text) or "“”")
    events = log(*[MessagePosted(1, f"{number}") for number in range(1000)])
    page = recap(events, 305, "en", limit=5)
    assert quoted == ["300", "301", "302", "303", "304"]
    assert page.next == 310


def test_since_the_last_own_action() -> None:
    """Its own answer showed what it caused at once: the recap begins behind that, but not behind a scoring round."""
    refilled = log(CardTaken(0, 0, "gold", 1), ReibachRevealed(1), DisplayRefilled(0, "oil"), MessagePosted(1, "!"))
    assert last_own_action(refilled, 0) == 8
    drawn = log(PileDrawn(0), CardDrawn(0, "art"), ActionPointsForfeited(0, 1), TurnStarted(2, 1))
    assert last_own_action(drawn, 0) == 8
    scoring = log(CardTaken(0, 0, "gold", 1), ReibachRevealed(4), ScoringStarted(1))
    assert last_own_action(scoring, 0) == 7
    assert last_own_action(drawn, 1) == last_own_action(drawn, None) == last_own_action(drawn[:4], 0) == 0


def test_no_recap_begins_with_an_orphan() -> None:
    """At any version of a game, a recap since a seat's last action begins with no effect of that action."""
    _, commands = play_game(3, "since")
    events = numbered([event for some in commands for event in some])
    effects = {"DisplayRefilled", "ReibachRevealed", "CardDrawn"}
    for version in range(1, len(events) + 1):
        for seat in range(3):
            since = last_own_action(events[:version], seat)
            if since and since < version:
                assert events[since]["type"] not in effects, version


def test_a_recap_names_only_the_present_turn() -> None:
    """Of the turns that began, the last one; none when the game is over."""
    game, events = play_until(2, "turns", 30)
    turns = [item for item in recap(numbered(events), 0, "de", by="action").items if item["type"] == "TurnStarted"]
    assert [item["events"][0]["data"]["turn"] for item in turns] == [game.turn]
    assert fold(events).turn == game.turn


def test_unknown_types_are_skipped() -> None:
    """As the contract asks of clients: unknown events count as versions and have no sentence."""
    events = log(PileDrawn(0))
    events.append({"version": 7, "type": "MoonRisen", "at": "", "data": {}})
    assert texts(events) == texts(events, by="turn") == ["Anna draws a card."]

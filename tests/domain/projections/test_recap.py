"""The recap: its items by turn and by action, its pages, and where it begins."""

import shlex
from typing import Any

import pytest

from domain.events import (
    EVENT_TABLE,
    ActionPointsForfeited,
    BusinessmakerLaid,
    CardAppended,
    CardDrawn,
    CardTaken,
    DisplayRefilled,
    Event,
    GameEnded,
    PileDrawn,
    ReibachRevealed,
    RoundScored,
    ScoringStarted,
    TurnStarted,
)
from domain.people.events import ConsentGiven, MessagePosted, SeatAbandoned, SeatReclaimed, SeatReplaced, TurnTimedOut
from domain.projections.recap import describe_events, last_own_action, played_for, recap
from domain.view import redact_event
from domain.words.catalogue import LANGUAGES
from tests.support.cases import cases
from tests.support.play import fold, numbered, play_game, play_until
from tests.support.recaps import BY, log, scored, texts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewer", [None, 0])
@pytest.mark.parametrize(("seats", "variants"), [(2, ()), (3, ("expensive_specials",)), (5, ("staggered_start",))])
def test_a_recap_covers_every_event_once(
    language: str, viewer: int | None, seats: int, variants: tuple[str, ...]
) -> None:
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


def event_of(line: str) -> Event:
    """An event of a story: its type and its fields; `-` is null, and a scored round brings nobody anything."""
    kind, *words = shlex.split(line)
    values: list[Any] = [None if word == "-" else int(word) if word.isdigit() else word for word in words]
    more = [scored((0, 0), (0, 0)), [0, 0]] if kind == "RoundScored" else []
    return EVENT_TABLE[kind].kind(*values, *more)


@pytest.mark.parametrize("story", cases(__file__, "stories"), ids=lambda story: story["about"])
def test_a_story(story: dict[str, Any]) -> None:
    """Each question is "by language since until", and behind it stand the seats and sentences of the items."""
    events = log(*map(event_of, story["events"]))
    for question, *told in story["told"]:
        by, language, since, until = question.split()
        items = recap(events[: int(until)], int(since), language, by=by).items
        assert [f"{item['seat']}: {item['text']}" for item in items] == told, question


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize(("seats", "commands"), [(2, 10_000), (3, 77), (5, 120)])
def test_pages_join(seats: int, commands: int, by: str) -> None:
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
    """Its own answer showed what it caused at once: the recap begins after that, but not after a scoring round."""
    refilled = log(CardTaken(0, 0, "gold", 1), ReibachRevealed(1), DisplayRefilled(0, "oil"), MessagePosted(1, "!"))
    assert last_own_action(refilled, 0) == 8
    drawn = log(PileDrawn(0), CardDrawn(0, "art"), ActionPointsForfeited(0, 1), TurnStarted(2, 1))
    assert last_own_action(drawn, 0) == 8
    scoring = log(CardTaken(0, 0, "gold", 1), ReibachRevealed(4), ScoringStarted(1))
    assert last_own_action(scoring, 0) == 7
    assert last_own_action(drawn, 1) == last_own_action(drawn, None) == last_own_action(drawn[:4], 0) == 0


ON_TIMEOUT = {"wait": [], "bot": ["A bot played for you: Anna takes Gold from the display (new: Oil)."]}


@pytest.mark.parametrize("on_timeout", ON_TIMEOUT)
def test_what_a_bot_did_after_a_time_out_is_told(on_timeout: str) -> None:
    """The recap begins after what the person sent; with `wait` that is what came after the time-out, too (F3)."""
    took = (CardTaken(0, 0, "gold", 1), DisplayRefilled(0, "oil"))
    events = log(PileDrawn(0), CardDrawn(0, "art"), TurnTimedOut(1, 0), *took, TurnStarted(2, 1), PileDrawn(1))
    events[0]["data"]["pace"] = {"turn_seconds": 60, "on_timeout": on_timeout}
    since, players = last_own_action(events, 0), played_for(events, 0)
    assert since == (7 if ON_TIMEOUT[on_timeout] else 10)
    told = [item["text"] for item in recap(events, 8, "en", players=players).items]
    assert told[:-1] == (ON_TIMEOUT[on_timeout] or ["Anna takes Gold from the display (new: Oil)."])
    assert played_for(events, 1) == {}


def test_all_turns_of_a_bot_are_told_to_who_comes_back() -> None:
    """Abandoned for four turns: all four, and nothing of them counts as the person's own."""
    turns = [(TurnStarted(n, n % 2), PileDrawn(n % 2), CardDrawn(n % 2, None)) for n in range(2, 10)]  # type: ignore[arg-type]
    events = log(PileDrawn(0), CardDrawn(0, "art"), SeatAbandoned(0), *(one for turn in turns for one in turn))
    events += [one | {"version": len(events) + 1} for one in log(SeatReclaimed(0))[-1:]]
    players = played_for(events, 0)
    assert (last_own_action(events, 0), len(players)) == (7, 4)
    items = recap(events, 7, "de", players=players).items
    assert sum(item["text"].startswith("Ein Bot hat für dich gespielt: ") for item in items) == 4


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("limit", [1, 2])
def test_what_orders_did_is_told_to_their_owner(by: str, limit: int) -> None:
    """Apart from what the player did in the same turn; on pages as at once."""
    took = (CardTaken(0, 0, "gold", 1), DisplayRefilled(0, "oil"))
    events = log(*took, PileDrawn(0), CardDrawn(0, "art"), TurnStarted(2, 1))
    players = played_for(events, 0, [6])
    assert (last_own_action(events[:7], 0, players), last_own_action(events, 0, players)) == (0, 9)
    told = ["By your order: Anna takes Gold from the display (new: Oil).", "Anna draws Art."]
    page, found = recap(events, 4, "en", by=by, limit=limit, players=players), []
    while True:
        found += page.items
        if page.next is None:
            break
        page = recap(events, page.next, "en", by=by, limit=limit, players=players)
    assert [item["text"] for item in found][-3:-1] == told


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


# The sentences, in four languages.


TURNS = cases(__file__, "turns")


def plain(text: str) -> str:
    """The text with the spaces, minus signs and apostrophes of a keyboard."""
    return text.translate({0xA0: " ", 0x202F: " ", 0x2212: "-", 0x2019: "'"})


@pytest.mark.parametrize("language", TURNS)
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


@pytest.mark.parametrize(("language", "text"), cases(__file__, "to_the_reader").items())
def test_the_reader_is_spoken_to(language: str, text: str) -> None:
    """As "you", where others have a name; but what a bot did, or who had the seat before, is told of that one.

    Who turned up Reibach cards is a line of its own, for lists with room.
    """
    row = [BusinessmakerLaid(0, 0, "gold"), TurnStarted(2, 0)]
    taken = [CardTaken(0, 0, "gold", 1), ReibachRevealed(1), ReibachRevealed(2), CardAppended(0, 0, "oil")]
    asked, paid = ConsentGiven(1, "release", 0), RoundScored(1, scored((0, 0), (0, 0)), [0, 0])
    events = log(*row, *taken, asked, ScoringStarted(1), paid, GameEnded([2, 2], [0, 1]))
    told = recap(events, 7, language, reader=0)
    assert plain(" ".join(line for lines in told.lines for line in lines)) == text
    by_bot = recap(events, 7, language, players={8: "bot", 11: "bot"}, reader=0).items[0]["text"]
    replaced = log(*row, *taken, SeatReplaced(0, "Carla", "00" * 16))
    for said in (by_bot, recap(replaced, 7, language, reader=0).items[0]["text"]):
        assert recap(events, 7, language).items[0]["text"] in said


@pytest.mark.parametrize(("language", "anna", "bert"), cases(__file__, "losses"), ids=["de", "en", "nl", "fr"])
def test_losses_have_their_reasons(language: str, anna: str, bert: str) -> None:
    text = texts(log(ScoringStarted(3), RoundScored(3, scored((-2, 0), (-4, -1)), [-2, -5])), language)[0]
    assert plain(text).endswith(f"{anna}{' ' * (language == 'fr')}; {bert}")


@pytest.mark.parametrize(("language", "text"), cases(__file__, "head_starts"))
def test_a_head_start_is_named(language: str, text: str) -> None:
    assert recap(log(bonus=True), 3, language).items[0]["text"].endswith(text)
    assert "Bert 1" not in recap(log(), 3, language).items[0]["text"]


@pytest.mark.parametrize(("language", "alone", "shared"), cases(__file__, "ends"))
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

"""Messages: any seated player may write at any time, and only the game's version changes."""

import copy
import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.audit.checks import audit
from domain.commands import LONGEST_MESSAGE, Act, Command, CompleteScoring, CreateGame, PostMessage, SeatPlan
from domain.decide import decide
from domain.events import Event
from domain.legality import legal_actions
from domain.people.events import MessagePosted
from domain.projections.recap import last_own_action, recap
from domain.projections.table import table_at
from domain.refusals import Reason, Refused
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from tests.domain.audit.test_checks import version_of
from tests.domain.positions import positions
from tests.oracle.play import rechain
from tests.support.cases import cases
from tests.support.logs import random_log
from tests.support.play import SAID, numbered, play_until
from tests.support.profiles import examples

Log = list[dict[str, Any]]
TALK = 0.45


def next_commands(game: Game) -> list[Command]:
    """All that can be done with the game now, by people and workers."""
    if game.scoring is not None:
        return [CompleteScoring(round=game.scoring)]
    return [Act(seat=game.turn_seat, actions=(action,)) for action in legal_actions(game, game.turn_seat)]


@examples(0.6)
@given(positions(), st.data())
def test_messages_change_only_the_version(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """Every view is unchanged but for the version, and the next command causes the same events."""
    game, _ = position
    seat = data.draw(st.integers(0, len(game.seats) - 1), label="seat")
    text = data.draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), label="text")
    salt = "0f" * 16 if game.salted else None
    decision = decide(PostMessage(seat=seat, text=text, salt=salt), game)
    after = decision.game
    assert numbered(decision.events) == numbered([MessagePosted(seat, text, salt)])
    assert after.version == game.version + 1
    for viewer in (None, *range(len(game.seats))):
        before = view_of(game, viewer, "")
        assert view_of(after, viewer, "") == before | {
            "version": after.version,
            "receipt": {"version": after.version, "hash": ""},
        }
    assert scores_of(after) == scores_of(game)
    assert next_commands(after) == next_commands(game)
    for command in next_commands(game):
        assert numbered(decide(command, after).events) == numbered(decide(command, game).events)


def test_who_waits_for_others_may_write() -> None:
    """Before the cards are dealt, too; an open seat can't write."""
    plans = (SeatPlan(name="Anna"), SeatPlan())
    game = decide(CreateGame(game="g", server_seed=bytes(32), seats=plans), Game()).game
    assert decide(PostMessage(seat=0, text="Anybody?"), game).game.status == "open"
    with pytest.raises(Refused) as refused:
        decide(PostMessage(seat=1, text="Me!"), game)
    assert refused.value.reason == Reason.GAME_NOT_STARTED


def put_in(log: Log, index: int, **data: Any) -> Log:
    """The log with a message before the event at `index`, at the time of the event before it, and hashes in order."""
    at = log[index - 1]["at"] if index else log[0]["at"]
    event = {"version": 0, "type": "MessagePosted", "at": at, "data": data | {"salt": "0f" * 16}, "hash": ""}
    events = copy.deepcopy([*log[:index], event, *log[index:]])
    for version, one in enumerate(events, 1):
        one["version"] = version
    return rechain(events) if index else events


def index_of(log: Log, kind: str) -> int:
    return next(index for index, event in enumerate(log) if event["type"] == kind)


@pytest.mark.parametrize(
    ("place", "data"),
    [
        (lambda _: 0, {"seat": 0, "text": "x"}),
        (lambda _: 1, {"seat": 0, "text": "before I came"}),
        (lambda log: index_of(log, "GameStarted"), {"seat": 0, "text": "while it is dealt"}),
        (lambda log: index_of(log, "DisplayRefilled"), {"seat": 0, "text": "within an action"}),
        (lambda log: index_of(log, "ScoringStarted"), {"seat": 0, "text": "within an action"}),
        (lambda log: index_of(log, "GameEnded"), {"seat": 0, "text": "before the end"}),
        *((len, data) for data in cases(__file__, "an_impossible_message_is_an_offence")),
        (len, {"seat": None, "text": "x"}),
        (len, {"seat": 0, "text": None}),
        (len, {"seat": 0, "text": "x" * (LONGEST_MESSAGE + 1)}),
    ],
)
def test_an_impossible_message_is_an_offence(place: Callable[[Log], int], data: dict[str, Any]) -> None:
    """Of a seat that isn't taken, within an append, or of another form: the version is named."""
    log = random_log(2, "offences")
    index = place(log)
    found = audit(put_in(log, index, **data))
    assert version_of(found, "rules") == index + 1


def test_messages_of_limit_length_are_accepted() -> None:
    """A text that the API accepts is no offence, in any script."""
    log = random_log(2, "offences")
    for text in ("x", "\U0001f3b2" * LONGEST_MESSAGE, "\x00", *SAID):
        assert audit(put_in(log, len(log), seat=1, text=text)).ok


def test_messages_are_seen_by_all_and_change_no_table() -> None:
    """Every viewer sees the text as sent; the table read from the log is the same before and after."""
    game, events = play_until(3, "shown talk", 90, talk=TALK)
    log = numbered(events)
    for viewer in (None, 0, 2):
        seen = [redact_event(event, viewer, game) for event in log]
        for event in (one for one in seen if one["type"] == "MessagePosted"):
            assert event == log[event["version"] - 1]
            before, after = (table_at(seen, event["version"] - step) for step in (1, 0))
            before.version += 1
            assert before == after


def test_the_recap_tells_who_wrote_what() -> None:
    """In a sentence of its own, also within a scoring round; writing is no action to begin a recap with."""
    log = random_log(2, "recap talk", talk=TALK)
    kinds = [event["type"] for event in log]
    begun = next(at for at, pair in enumerate(pairwise(kinds), 1) if pair == ("ScoringStarted", "MessagePosted"))
    scored = kinds.index("RoundScored", begun) + 1
    items = recap(log[:scored], begun - 1, "en").items
    assert [item["type"] for item in items] == kinds[begun - 1 : scored]
    assert set(kinds[begun : scored - 1]) == {"MessagePosted"}
    data = log[begun]["data"]
    assert items[1]["text"].startswith(f"player {data['seat']} writes: “")
    assert items[1]["events"] == [{"version": begun + 1, "type": "MessagePosted", "data": data}]
    assert items[1]["seat"] == data["seat"]
    for seat in (0, 1):
        own = [event for event in log if event["data"].get("seat") == seat and event["type"] == "MessagePosted"]
        assert own[-1]["version"] > last_own_action(log, seat)
    assert json.dumps(items)

"""A game in which each kind of action is played, before all that reads games: none of it misses one."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest

from domain.analysis.judge import judge_turn
from domain.analysis.turns import played_turns
from domain.audit.checks import audit
from domain.commands import ACTION_TABLE, ACTIONS, Act, Action, recorded_action
from domain.events import EventRecord, payload_of, require_all, type_of
from domain.fairness.canonical import canonical_json
from domain.legality import open_actions
from domain.orders.planner import Orders, Step, next_action, preview
from domain.orders.wishes import action_of, json_of, json_of_steps, steps_of
from domain.projections.recap import BY_ACTION, recap
from domain.projections.table import table_at
from domain.state import Game
from domain.view import redact_event, view_of
from domain.words.catalogue import LANGUAGES
from domain.words.reply import read_reply
from domain.words.wording import words_of
from service.api.schemas.requests import ActionSchema
from service.post.inbox.commands import command_of_wishes
from service.post.mail.contents import label_action, link_actions, word_action
from service.post.snapshot import take_snapshot
from tests.oracle.answers import as_set, assert_covers, replay, view_of_table
from tests.oracle.oracle import OracleGame
from tests.support.actions import play_every_action
from tests.support.logs import log_of

each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def log() -> list[EventRecord]:
    return log_of(decision for _, decision in play_every_action())


def choices() -> Iterator[tuple[Game, int, Action, Game]]:
    """The game before each of the first twelve actions of a kind, the seat, what it plays, and the game after it."""
    seen = dict.fromkeys(ACTION_TABLE, 0)
    for (_, before), (command, after) in pairwise(play_every_action()):
        if isinstance(command, Act) and seen[type(command.actions[0])] < 12:
            seen[type(command.actions[0])] += 1
            yield before.game, command.seat, command.actions[0], after.game
    assert all(seen.values()), seen


def test_a_table_that_lacks_a_kind_ends_the_import() -> None:
    require_all("TABLE", ["a", int], (int, "a"))
    for named in (["a"], ["a", int, "more"]):
        with pytest.raises(ImportError, match=r"^TABLE must .* look at (int|more)$"):
            require_all("TABLE", named, (int, "a"))


def test_the_log_holds(log: list[EventRecord]) -> None:
    """By the audit and by the second engine; by the audit also as each viewer sees the running game."""
    found = audit(log)
    assert found.ok, found.first_offence
    OracleGame(log)
    version = 0
    for _, decision in play_every_action():
        version += len(decision.events)
        if version % 5 == 0:
            for viewer in (None, 0, 1):
                found = audit([redact_event(event, viewer, decision.game) for event in log[:version]])
                assert found.first_offence is None, (version, viewer, found.first_offence)


def test_each_event_records_its_action() -> None:
    for command, after in play_every_action():
        if isinstance(command, Act):
            events = [event for event in after.events if type_of(event) in ACTIONS]
            assert [recorded_action(type_of(event), payload_of(event)) for event in events] == [*command.actions]


def test_the_table_of_the_log_is_the_game(log: list[EventRecord]) -> None:
    for game, seat, _, _ in choices():
        shown = table_at([redact_event(event, seat, game) for event in log[: game.version]], game.version)
        for place, other in zip(game.seats, shown.seats, strict=True):
            assert [(row.business, [*row.cards], row.length, row.closed) for row in place.rows] == [
                (row.business, row.cards, row.length, row.closed) for row in other.rows
            ]
        assert (shown.action_points, shown.display) == (game.action_points, game.display)


def test_it_is_offered_and_sent() -> None:
    """As the legal actions list it, and as the schemas and standing orders read that again."""
    for game, seat, action, _ in choices():
        assert action in open_actions(game, seat)
        data = json_of(action)
        assert data == ActionSchema().load(data)
        assert action_of(data) == action


def test_orders_play_it() -> None:
    """At once, and in a preview; kept as JSON they are the same."""
    for game, seat, action, _ in choices():
        steps = (Step((action,)),)
        assert steps_of(json_of_steps(steps)) == steps
        assert next_action(Orders(steps, put_in=game.turn - 1), game, seat)[0] == action
        assert preview(steps, game, seat)[0] == [action]


@each_language
def test_the_recap_tells_it(log: list[EventRecord], language: str) -> None:
    """In a sentence that names its player."""
    names = words_of(language).name_seats(play_every_action()[-1][1].game.seats)
    for game, seat, _, after in choices():
        (item, *_) = recap(log[: after.version], game.version, language, by=BY_ACTION).items
        assert item["text"].startswith(f"{names[seat]} "), item["text"]


@each_language
def test_mails_and_the_page_without_scripts_offer_it(log: list[EventRecord], language: str) -> None:
    """What they say can be sent as an answer, and means the same."""
    words = words_of(language)
    for game, seat, action, _ in choices():
        snapshot = take_snapshot(game, log[: game.version], seat)
        assert action in [offered for offered, _ in snapshot.actions]
        links = link_actions(snapshot, language, "https://example.org", None)
        assert len({link.url for link in links}) == len(links) == len(snapshot.actions)
        reply, note = word_action(snapshot, action, words)
        assert label_action(snapshot, action, words)
        for text in (reply, f"{reply} ({note})" if note else reply):
            command = command_of_wishes(read_reply(text).wishes, game, seat, lambda: game)  # noqa: B023 - asked at once
            assert isinstance(command, Act), text
            assert [json_of(one) for one in command.actions] == [json_of(action)], text


def test_the_analysis_judges_it(log: list[EventRecord]) -> None:
    """A turn with each kind, as it was played."""
    left = {*ACTION_TABLE}
    for turn in played_turns(log):
        if left & {*map(type, turn.actions)}:
            left -= {*map(type, turn.actions)}
            judged = judge_turn(log, turn)
            assert judged["played"] == [json_of(action) for action in turn.actions]
    assert not left


def test_the_second_engine_answers_alike(log: list[EventRecord]) -> None:
    """Views and legal actions, after each action, for every viewer."""
    for _, _, _, after in choices():
        table = replay(log, after.version)
        for viewer in (None, *range(len(after.seats))):
            view = json.loads(canonical_json(view_of(after, viewer, table.hash)))
            assert_covers(view, view_of_table(table, table, viewer))
        for seat in range(len(after.seats)):
            listed = [json_of(action) for action in open_actions(after, seat)]
            assert as_set(listed) == as_set(table.legal_actions(seat))

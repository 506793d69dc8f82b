"""The analysis: legal and repeatable answers about any turn, from nothing but what its seat saw."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.analysis import ENGINE, PlayedTurn, answer_of, judge, judge_turn, played_turns
from domain.analysis.forecast import chances_of, lead_of
from domain.analysis.reasons import reason_of
from domain.audit.evidence import evidence_of, fold
from domain.bots.table import read_table
from domain.commands import ACTIONS, Act, CompleteScoring, Take
from domain.decide import decide
from domain.decision import Decision
from domain.events import Event, EventRecord, GameCreated, PlayerJoined
from domain.orders.wishes import action_of, json_of
from domain.state import Game
from domain.view import view_of
from service.gamelog.history import decode_events
from tests.bench.analysis import records
from tests.domain.positions import positions
from tests.domain.worlds import another_world
from tests.games.kept import Kept, all_kept
from tests.games.recorded import GAMES, replayed
from tests.support import play
from tests.support import positions_as_text as table
from tests.support.cases import cases
from tests.support.forks import fork_decisions
from tests.support.logs import log_of
from tests.support.profiles import examples
from tests.support.samples import with_nightly

quickly = partial(patch.multiple, judge, CHOOSING=2, JUDGING=3)
"""With few worlds: for what holds with any number of them."""


@examples(0.8)
@given(positions(), st.integers(0, 99))
def test_nothing_hidden_changes_an_answer(position: tuple[Game, list[Event]], seed: int) -> None:
    """Other hands, pile, hidden businessmakers, seed, entropy, names: the seat that is judged doesn't see them."""
    turns = played_turns(records(position[1], 0))
    assume(turns)
    played = turns[seed % len(turns)]
    before = position[1][: played.version]
    start = play.fold(before)
    others = another_world(before, played.seat, start, Random(seed))
    for index, event in enumerate(others):
        if isinstance(event, GameCreated):
            others[index] = event._replace(server_seed="ab" * 32, commitment="cd" * 32, game="other")
        elif isinstance(event, PlayerJoined):
            others[index] = event._replace(name="Other", entropy="other")
    assert play.fold(others) != start
    with quickly():
        answers = [canonical_text(judge_turn(records(world, 0), played)) for world in (before, others)]
    assert answers[0] == answers[1]


def canonical_text(judged: dict[str, Any]) -> str:
    return json.dumps(judged, separators=(",", ":"), sort_keys=True)


def check(log: Sequence[EventRecord], played: PlayedTurn) -> None:
    """What must hold of every answer."""
    with quickly():
        judged = judge_turn(log[: played.version], played)
    gain, loss = judged["gain"], judged["loss"]
    assert judged["played"] == [json_of(action) for action in played.actions]
    assert loss == round(max(0, gain["best"] - gain["played"]), 2) >= 0
    assert judged["best"] != judged["played"] if loss else judged["best"] == judged["played"]
    assert (judged["reason"] is None) == (loss == 0 == judged["spread"])
    assert not loss or (judged["reason"]["code"] == "close") == (loss < judged["spread"])
    assert sum(round(100 * share) for share in judged["chances"]) == 100
    assert all(round(share, 2) == share >= 0 for share in judged["chances"])
    game = fold(evidence_of(log), played.version)
    assert (game.turn, game.turn_seat, len(judged["chances"])) == (played.turn, played.seat, len(game.seats))
    for action in map(action_of, judged["best"]):
        if game.over:
            return
        done: Decision = decide(Act(seat=played.seat, actions=(action,), by_bot=True), game)
        while (game := done.game).scoring is not None:
            done = decide(CompleteScoring(round=game.scoring), game)


def turns_of(log: Sequence[EventRecord]) -> list[PlayedTurn]:
    """The played turns of a log, in which all of its actions are."""
    turns = played_turns(log)
    assert sum(len(turn.actions) for turn in turns) == sum(event["type"] in ACTIONS for event in log)
    return turns


KEPT = {kept.name: kept for kept in all_kept()}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_games_of_every_release_have_answers(kept: Kept) -> None:
    """Forks, erased names, people who left: what `best` names is legal, and the figures fit each other."""
    log = decode_events(kept.entries)
    for played in turns_of(log)[::14]:
        check(log, played)


@pytest.mark.parametrize("path", with_nightly(sorted(GAMES.glob("*.jsonl")), 5), ids=lambda path: path.stem)
def test_recorded_games_have_answers(path: Any) -> None:
    """Two to five players, every variant; turns are those of the log, with all that was played in them."""
    game = replayed(path)[-1]
    for played in turns_of(game.events)[::23]:
        check(game.events, played)


def test_a_fork_begins_within_a_turn() -> None:
    """The rest of that turn is judged, from the version of its PositionSet on."""
    parent = next(
        done.game for _, done in play.steps(3, "within") if done.game.turn == 8 and done.game.action_points == 1
    )
    log = log_of(fork_decisions(parent, parent.turn_seat, "within"))
    first = played_turns(log)[0]
    assert (first.turn, first.seat, log[first.version - 1]["type"]) == (8, parent.turn_seat, "PositionSet")
    check(log, first)


@pytest.mark.nightly
def test_equal_cards_on_display_are_told_apart() -> None:
    """When one was taken the other is known, and what turned up in the place of the one isn't."""
    log = replayed(GAMES / "3-plain.jsonl")[0].events
    sights = (judge._Sight(log[: played.version], played.seat) for played in played_turns(log))
    sight, display = next((one, one.table.display) for one in sights if len({*one.table.display}) == 2)
    first, second = [slot for slot, card in enumerate(display) if display.count(card) == 2]
    assert sight.moves_of([Take(slot=second), Take(slot=first)]) == (first, second)
    assert sight.moves_of([Take(slot=second), Take(slot=second)]) == (first,)


def test_chances_and_leads_are_fair() -> None:
    """Equal seats have equal chances, the last hundredth goes to the first of them; who leads is likelier to win."""
    assert chances_of([0.0, 0.0, 0.0], 50) == [0.34, 0.33, 0.33]
    assert chances_of([90.0, 0.0], 3) == [1.0, 0.0]
    likely = chances_of([2.0, 0.0, -2.0], 50)
    assert likely == sorted(likely, reverse=True)
    assert lead_of([3.0, 1.0], 0, 50) == 2.0
    assert lead_of([0.0, 0.0, 0.0], 1, 50) < -1  # the better of two rivals is ahead


def test_the_summary_names_the_costliest_turns() -> None:
    """Three at most, of half a million or more; of equal ones the earlier first."""
    losses = [(1, 0, 0.5), (2, 1, 0.49), (3, 0, 1.2), (4, 1, 0.0), (5, 0, 1.2), (7, 0, 0.9)]
    turns = [{"turn": turn, "seat": seat, "loss": loss} for turn, seat, loss in losses]
    assert answer_of(turns, 3)["seats"] == [
        {"seat": 0, "loss": 3.8, "worst": [3, 5, 7]},
        {"seat": 1, "loss": 0.49, "worst": []},
        {"seat": 2, "loss": 0.0, "worst": []},
    ]


@pytest.mark.parametrize("case", cases(__file__, "reasons"), ids=lambda case: case["reason"]["code"])
def test_it_says_why_a_turn_is_better(case: dict[str, Any]) -> None:
    options = {name: case[name] for name in ("display", "revealed") if name in case}
    game = table.given(case["hands"], case.get("laid", []), **options)
    seen, turns = read_table(view_of(game, 0, ""), game.rules), list[list[int]]()
    for name in ("played", "best"):
        rows, shown = [row.business for row in game.seats[0].rows], seen.display[:]
        turns.append([judge._move_of(table.action(text), seen, rows, shown) for text in case[name]])
    assert reason_of(seen, *turns) == case["reason"]


ASK = """
import sys
from tests.domain.test_analysis import kept_answers
print("\\n".join(kept_answers()))
"""


def kept_answers() -> list[str]:
    """Of one recorded game, each tenth turn."""
    log = replayed(GAMES / "3-plain.jsonl")[0].events
    return [canonical_text(judge_turn(log, played)) for played in played_turns(log)[::10]]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", with_nightly(["1", "2"]))
def test_the_engine_gives_the_answers_of_its_name(seed: str) -> None:
    """The same bytes in any process: an analysis that is kept, and one that is made today, agree."""
    command = [sys.executable, "-c", ASK]
    made = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert made.stdout.splitlines() == cases(__file__, ENGINE), "the answers changed: name the engine anew"
    for answer, earlier in zip(map(json.loads, cases(__file__, ENGINE)), cases(__file__, "shark@1"), strict=True):
        del answer["spread"], answer["reason"]  # all that is new
        assert canonical_text(answer) == earlier

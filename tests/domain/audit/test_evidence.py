"""Logs as the audit reads them: the stand-ins for hidden cards, and times that come from the log."""

import json
from pathlib import Path

import pytest

from domain.audit.evidence import Evidence, apply_record, evidence_of, fold
from domain.audit.findings import quote
from domain.audit.opening import read_opening
from domain.audit.referee import Judgement, judge
from domain.clock.timestamps import milliseconds
from domain.clock.waiting import waiting_for
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from domain.state import Game
from service.gamelog.history import decode_events
from tests.domain.audit.test_forks import FORKS
from tests.games.recorded import GAMES, entries_of, read, steps_of
from tests.oracle.answers import events_as_seen
from tests.oracle.play import play
from tests.oracle.table import Table
from tests.support.logs import random_log
from tests.support.samples import Sample, sampled, with_nightly


def test_a_long_value_is_quoted_in_part() -> None:
    assert quote({"a": ["x"]}) == '{"a":["x"]}'
    assert quote("x" * 500) == '"' + "x" * 199 + "…"


# Time.


def check_times(log: list[EventRecord], evidence: Evidence) -> None:
    """At every version: the time of the last event and the present wait, as the second engine has them from `log`."""
    game, table = Game(), Table()
    for index, event in enumerate(log):
        apply_record(game, evidence, index)
        table.apply(event)
        assert game.at == milliseconds(table.at)
        if table.due() is None:
            check_wait(game, table)
    assert game.over == (waiting_for(game) is None)


def check_wait(game: Game, table: Table) -> None:
    """Both engines wait for the same, since the same time."""
    ours, theirs = waiting_for(game), table.waiting()
    if ours is None or theirs is None:
        assert (ours, theirs) == (None, None)
        return
    reason, since, which = theirs
    assert (ours.reason, ours.since) == (reason, milliseconds(since))
    assert (ours.round if reason == "scoring" else ours.seat) == which


@sampled(9)
@pytest.mark.parametrize("path", with_nightly(sorted(GAMES.glob("*.jsonl")), 4), ids=lambda path: path.stem)
def test_waits_of_recorded_games(path: Path, sample: Sample) -> None:
    """Some games of each file, as their store has them and as a spectator has them before the end."""
    for recorded in sample.of(read(path)):
        log = json.loads(canonical_json(decode_events(entries_of(list(steps_of(recorded)))[0])))
        check_times(log, evidence_of(log))
        end = next(event["version"] for event in reversed(log) if event["type"] == "TurnStarted")
        check_times(log[:end], evidence_of(events_as_seen(log, None, end)))


def test_waits_of_other_games() -> None:
    """With bots, late seats, asides and unknown types; and of forks."""
    logs = [play(number, 2 + number % 4, {"expensive_specials": True, "staggered_start": False}) for number in range(4)]
    for log in (*logs, *FORKS[:3]):
        check_times(log, evidence_of(log))


def judge_log(log: list[EventRecord]) -> Judgement:
    evidence = evidence_of(log)
    return judge(evidence, read_opening(evidence.events))


def test_the_referee_keeps_the_times() -> None:
    """Decided again, a game knows when its last event happened, and since when it waits."""
    for log in (play(3, 3, {"expensive_specials": True, "staggered_start": True}), FORKS[1], random_log(3, "times")):
        for end in [event["version"] for event in log if event["type"] == "TurnStarted"][3:40:6]:
            judgement = judge_log(log[:end])
            assert judgement.offence is None
            assert judgement.game == fold(evidence_of(log), end)
        assert judge_log(log).game.at == milliseconds(log[-1]["at"])

"""Every recorded game has its recorded outcome in the rules, the stored log, the views, and the second engine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from domain.audit.checks import audit
from domain.commands import Act
from domain.events import RoundScored, payload_of, type_of
from domain.evolve import evolve
from domain.fairness.canonical import canonical_json
from domain.orders.wishes import json_of
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.history import History, states
from service.gamelog.store.form.entry import Entry
from tests.games.clauses import TABLES
from tests.games.live import relive
from tests.games.recorded import COVER, GAMES, Recorded, Replayed, Step, line_of, read, replayed, sheet_of, table_name
from tests.oracle.answers import assert_covers, scores_at, view_of_table
from tests.oracle.oracle import OracleGame
from tests.oracle.table import Table
from tests.support.samples import Sample, sampled
from tests.support.stores import open_store

FILES = sorted(GAMES.glob("*.jsonl"))
files = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES], scope="module")
"""All tests of one file, then all of the next."""
parts = pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["part", "rest"])
"""The first game of a file and those that show every clause; nightly the rest."""


def part_of(path: Path, nightly: bool) -> list[Replayed]:
    """The games of a file that are checked in every run, or all others."""
    cover = COVER.read_text("utf-8").split()
    games = enumerate(replayed(path))
    return [game for number, game in games if (number == 0 or game.recorded.game in cover) is not nightly]


def test_files_are_the_tables() -> None:
    """A file for each number of players and set of variants, 400 games or more, each with a name of its own."""
    assert {path.stem for path in FILES} == {table_name(*table) for table in TABLES}
    games = [recorded for path in FILES for recorded in read(path)]
    assert len(games) >= 400
    assert len({recorded.game for recorded in games}) == len(games)
    assert len({recorded.hash for recorded in games}) == len(games)


@files
def test_lines_are_as_they_are_written(path: Path) -> None:
    """Reading and writing a file changes no byte of it."""
    assert "".join(map(line_of, read(path))) == path.read_text("utf-8")


@files
def test_moves_give_the_recorded_outcome(path: Path) -> None:
    """The moves of every game cause the recorded refusals, score sheet and last hash."""
    for game in replayed(path):
        assert game.last_hash.hex() == game.recorded.hash, game.recorded.game
        _same_sheet(game.recorded, game.steps)


@parts
@files
def test_the_log_gives_the_same_game_back(path: Path, nightly: bool) -> None:
    for game in part_of(path, nightly):
        assert game.events[-1]["hash"] == game.recorded.hash, game.recorded.game
        _same_game(game.recorded, game.steps, game.entries, game.events)
        found = audit(json.loads(canonical_json(game.events)))
        assert all(check.ok for check in found.checks), game.recorded.game


def _same_sheet(recorded: Recorded, steps: Sequence[Step]) -> None:
    game = steps[-1].after
    assert sheet_of(game) == recorded.sheet, recorded.game
    assert ([seat.total for seat in game.seats], game.winners) == (recorded.totals, recorded.winners), recorded.game
    scored = [event for step in steps for event in step.events if isinstance(event, RoundScored)]
    assert [event.seats for event in scored] == [done.seats for done in game.rounds], recorded.game
    assert scored[-1].totals == recorded.totals, recorded.game


def _same_game(
    recorded: Recorded, steps: Sequence[Step], entries: Sequence[Entry], events: Sequence[dict[str, Any]]
) -> None:
    decided_events = [event for step in steps for event in step.events]
    assert [(event["type"], event["data"]) for event in events] == [
        (type_of(event), payload_of(event)) for event in decided_events
    ], recorded.game
    decided = steps[-1].after
    folded = Game()
    for step in steps:
        folded = evolve(folded, step.events, step.at if step.events else None)
    assert folded == decided, recorded.game
    assert apply_entries(EMPTY, entries, bytes.fromhex(recorded.hash)).game == decided, recorded.game


@parts
@files
def test_second_engine_agrees(path: Path, nightly: bool) -> None:
    """The second engine takes every event, names the same winners, and refuses what was refused."""
    for game in part_of(path, nightly):
        assert OracleGame(game.events).winners == game.recorded.winners, game.recorded.game
        _refusals_agree(game.recorded, game.steps, game.events)


def _refusals_agree(recorded: Recorded, steps: Sequence[Step], events: Sequence[dict[str, Any]]) -> None:
    table, coming = Table(), iter(events)
    for step in steps:
        for _ in step.events:
            table.apply(next(coming))
        if step.refusal and isinstance(step.command, Act):
            codes = table.game_refusals(step.command.seat, json_of(step.command.actions[-1]))
            assert step.refusal in codes, (recorded.game, step.move)


@sampled(26)
@files
def test_views_of_every_version(path: Path, sample: Sample) -> None:
    """In some games of each file every version has its views, and before the end the seed is in no view or event."""
    for recorded, entries, events in [(game.recorded, game.entries, game.events) for game in sample.of(replayed(path))]:
        for event, game in zip(events, states(entries), strict=True):
            for viewer in (None, game.version % len(game.seats)):
                view = canonical_json(view_of(game, viewer, event["hash"]))
                seen = canonical_json(redact_event(event, viewer, game))
                assert (recorded.server_seed.encode() in view) is game.over, (recorded.game, event["version"], viewer)
                assert game.over or recorded.server_seed.encode() not in seen, (recorded.game, event["version"])


@files
def test_views_by_the_second_engine(path: Path) -> None:
    """In one game of each file both engines show every viewer the same at every thirtieth version and at the end."""
    entries, events = replayed(path)[-1].entries, replayed(path)[-1].events
    ended = History.of_entries(entries).head.game
    assert _plain(scores_of(ended)) == scores_at(events)
    table = Table()
    for event, game in zip(events, states(entries), strict=True):
        table.apply(event)
        if event["version"] % 30 and event["version"] < len(events):
            continue
        for viewer in (None, *range(len(game.seats))):
            theirs = view_of_table(table, table, viewer)
            assert_covers(_plain(view_of(game, viewer, event["hash"])), theirs)


@pytest.mark.parametrize(
    "games", [slice(-1, None), pytest.param(slice(-1), marks=pytest.mark.nightly)], ids=["last", "others"]
)
@files
def test_moves_through_a_real_log_give_the_recorded_hash(path: Path, games: slice, valkey: str) -> None:
    """The last game of each file (nightly: all), appended to a real store, ends at the recorded hash."""
    store = open_store(valkey, 4)
    for recorded in read(path)[games]:
        assert relive(recorded, store) == recorded.hash, recorded.game


def _plain(value: object) -> Any:
    return json.loads(canonical_json(value))

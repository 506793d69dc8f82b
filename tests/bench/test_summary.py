"""The tables that the benchmarks print: goals and their limits, and the document that they are written into."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.common import ROOT, ROWS
from tests.bench.goals import ACTIONS, GOALS, P99, PEER, PEER_TURNS, WEB_TIME, WHOLE_GAMES, Limit
from tests.bench.services import AFTER, BEFORE
from tests.bench.summary import BEGIN, END, Row, replace_measured, table_lines
from tests.bench.whole_games import BARE, BUSY, CLIENTS, GAMES, OPENINGS, THEIRS, TURNS, report


def test_goals_come_first_and_figures_of_a_part_share_a_table() -> None:
    """All goals in their order, measured or not; then other ratios; then figures, rows by their columns."""
    rows = [
        Row(name="bare", figures={"actions/s": 2.0}),
        Row(name="ours", figures={"actions/s": 1.5, "pause ms": 1234.5}),
        Row(name="half", ratio=0.5, before=0.25, spread="0.40 to 0.60", pairs=5, bound=">= 0.8", verdict="missed"),
        Row(name=GOALS[1].name, ratio=0.9, spread="0.8 to 1", pairs=5, bound=">= 0.88", aim=">= 0.95", verdict="met"),
    ]
    lines = list(table_lines({"one": rows}))
    assert "half" not in "".join(table_lines({"one": rows}, only_goals=True))
    head = ["", "| ratio | before | median | spread | pairs | must be | aim | |", "|---" * 8 + "|"]
    assert lines[:3] == head
    assert [line.split(" | ")[0] for line in lines[3 : 3 + len(GOALS)]] == [f"| {goal.name}" for goal in GOALS]
    assert lines[3] == f"| {GOALS[0].name} | | not measured | | | | | |"
    assert lines[4] == f"| {GOALS[1].name} |  | 0.90 | 0.8 to 1 | 5 | >= 0.88 | >= 0.95 | met |"
    assert lines[3 + len(GOALS) :] == [
        *head,
        "| half | 0.25 | 0.50 | 0.40 to 0.60 | 5 | >= 0.8 |  | **missed** |",
        "",
        "| one | actions/s | pause ms |",
        "|---|---|---|",
        "| bare | 2.00 |  |",
        "| ours | 1.50 | 1,234 |",
    ]


@pytest.mark.parametrize(
    ("limit", "ratio", "verdict"),
    [
        (Limit(">=", 0.8, 0.9), 0.79, "missed"),
        (Limit(">=", 0.8, 0.9), 0.8, "met"),
        (Limit(">=", 0.8, 0.9), 0.9, "aim reached"),
        (Limit("<=", 1.5, 1.1), 1.51, "missed"),
        (Limit("<=", 1.5, 1.1), 1.11, "met"),
        (Limit("<=", 1.5, 1.1), 1.1, "aim reached"),
        (Limit("<=", 1.1), 0.9, "met"),
        (Limit(), 0.9, ""),
    ],
)
def test_a_ratio_is_compared_with_its_limit(limit: Limit, ratio: float, verdict: str) -> None:
    """On the right side of the bound, and of the aim, which may be more."""
    assert limit.verdict(ratio) == verdict


def test_a_run_replaces_the_figures_of_the_document() -> None:
    """What stands between the marks, and nothing else; the document has one pair of them."""
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    once = replace_measured(text, ["- machine", "", "| ratio |"])
    assert once.partition(BEGIN)[0] == text.partition(BEGIN)[0]
    assert once.partition(END)[2] == text.partition(END)[2]
    assert f"\n{BEGIN}\n- machine\n\n| ratio |\n{END}\n" in once
    assert replace_measured(once, ["- machine", "", "| ratio |"]) == once
    with pytest.raises(ValueError, match="no lines"):
        replace_measured(f"{END}\n{BEGIN}\n", [])


def test_the_document_begins_with_what_was_measured() -> None:
    """Each figure of its three sentences is among those below them."""
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    told, below = (re.findall(r"\d+[,.]\d+", part) for part in (text.split("\n\n")[1], text.partition(BEGIN)[2]))
    assert len(told) == 4
    assert {*told} <= {*below}


def test_whole_games_print_their_goals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Medians of pairs by the names of the goals, with the other checkout's; without it, and boardgame.io, the rest."""
    figures = {"actions/s": 10.0, "web us": 2.0, "all us": 3.0, "p99 ms": 4.0}
    sides: dict[str, list[dict[str, float]]] = {
        name: [{figure: value * factor for figure, value in figures.items()} for factor in (1, 2, 4)]
        for name in (AFTER, BEFORE, BARE, THEIRS)
    }
    sides[BEFORE] = [{figure: 2 * value for figure, value in run.items()} for run in sides[AFTER]]
    both = (AFTER, BEFORE)
    cases = {(GAMES, 1): (*both, BARE), (GAMES, BUSY): (*both, BARE), (OPENINGS, BUSY): (*both, BARE)}
    cases |= {(GAMES, CLIENTS): (*both, THEIRS), (TURNS, CLIENTS): both}
    seen = {case: {name: sides[name] for name in names} for case, names in cases.items()}
    found = rows_of(tmp_path / "rows", monkeypatch, lambda: report(seen))
    for goal in (WHOLE_GAMES, ACTIONS, PEER, PEER_TURNS, P99):
        row = found[goal.name]
        assert (row.ratio, row.before, row.spread, row.pairs) == (1, 2, "1.00 to 1.00", 3), goal.name
        assert row.bound == f"{goal.limit.relation} {goal.limit.bound:g}"
    assert (found[WEB_TIME.name].ratio, found[WEB_TIME.name].before) == (1, 0.5)
    assert "whole games, 1 connection: p99, service / bare route" in found
    del seen[GAMES, CLIENTS][THEIRS]
    alone = {case: {name: runs for name, runs in some.items() if name != BEFORE} for case, some in seen.items()}
    found = rows_of(tmp_path / "alone", monkeypatch, lambda: report(alone))
    assert {goal.name for goal in GOALS} & found.keys() == {goal.name for goal in (WHOLE_GAMES, ACTIONS, WEB_TIME, P99)}
    assert found[P99.name].before is None


def rows_of(path: Path, monkeypatch: pytest.MonkeyPatch, measure: Callable[[], None]) -> dict[str, Row]:
    """The rows of a part by their names."""
    monkeypatch.setenv(ROWS, str(path))
    measure()
    rows = [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row.name: row for row in rows}

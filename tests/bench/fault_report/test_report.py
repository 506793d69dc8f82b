"""The report: its rows hold, it says so in a table, and it can fail."""

from pathlib import Path

import pytest

from tests.bench.fault_report.__main__ import RECORDED, chosen, play
from tests.bench.fault_report.document import document
from tests.bench.fault_report.matrix import BY_NAME, ROWS
from tests.bench.fault_report.planted import kill_volatile_store
from tests.bench.fault_report.result import (
    FAILS,
    HOLDS,
    NOT_RUN,
    NotRun,
    Outcome,
    PlantedFault,
    Result,
    keep_result,
    kept_results,
)
from tests.bench.fault_report.rows.soak import growths, quarters, slope
from tests.bench.fault_report.scene import Run, Scene, pardon_loss
from tests.bench.fault_report.verifier import Ack, line_of
from tests.support import waiting

SEED = 20261122


def half_of(name: str) -> str:
    """The row's name, with the half of the report that it is in."""
    return f"{'first' if name in [row.name for row in ROWS[: len(ROWS) // 2]] else 'second'}_half-{name}"


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [row.name for row in ROWS], ids=half_of)
def test_a_row_holds(name: str) -> None:
    """In its short form, as far as this machine can run it. A part of a nightly run takes half of them."""
    result = play(BY_NAME[name], SEED, is_long=False)
    assert result.verdict != FAILS, result.outcome.faults


@pytest.mark.nightly
def test_a_store_that_keeps_nothing_is_found_out(tmp_path: Path) -> None:
    """Without files, killed once under load: acknowledged requests are reported as lost."""
    run = Run(tmp_path, f"{SEED} planted")
    kill_volatile_store(run)
    assert run.outcome.acknowledged
    assert run.outcome.lost
    assert any(fault.startswith("lost: ") for fault in run.outcome.faults)


def test_every_row_of_the_matrix_is_there() -> None:
    """R1 to R28, in order, then the long ones; R21 and R22 were of lists that workers once rebuilt."""
    assert [row.name for row in ROWS][:26] == [f"R{number}" for number in range(1, 29) if number not in (21, 22)]
    assert [row.name for row in chosen("")] == list(BY_NAME)
    assert [row.name for row in chosen("R5,R1")] == ["R5", "R1"]
    with pytest.raises(SystemExit, match="no such row: R29"):
        chosen("R1,R29")


def test_a_row_that_breaks_down_fails() -> None:
    """With what it had found until then; one that lacks something wasn't run."""

    def break_down(run: Run) -> None:
        run.outcome.lost = 3
        raise RuntimeError("broken")

    def lack(_run: Run) -> None:
        raise NotRun("a tool is needed")

    row = BY_NAME["R1"]
    broken = play(row._replace(play=break_down), 5, is_long=False)
    assert (broken.verdict, broken.outcome.lost, broken.outcome.faults) == (FAILS, 3, ["RuntimeError: broken"])
    lacking = play(row._replace(play=lack), 5, is_long=False)
    assert (lacking.verdict, lacking.remarks()) == (NOT_RUN, ["not run: a tool is needed"])


def test_the_document_has_a_line_for_each_row() -> None:
    """With its numbers and remarks, and how to run it again."""
    good = Outcome(
        "often", acknowledged=1200, lost=0, doubled=0, torn=0, recovery=1.25, store="valkey 9", notes=["seen"]
    )
    bad = Outcome("once", faults=["one", "two", "three", "four"])
    results = [Result("R1", "a fault", 7, HOLDS, good, 1), Result("R2", "a | fault", 7, FAILS, bad, 1)]
    recorded = [Result("R1", "a fault", 8, HOLDS, good, 9, "long ago, commit 12ab")]
    planted = [PlantedFault("a hash | changed", "broken", ["game 1", "game 2"]), PlantedFault("a cut", "lost", [])]
    text = document(results, 7, is_long=False, missing=["R3", "R4"], recorded=recorded, planted=planted)
    assert "\n| R1 | a fault | often | 1,200 | 0 | 0 | 0 | 1.2 s | holds |\n" in text
    assert "\n| R2 | a / fault | once |  |  |  |  |  | **FAILS** |\n" in text
    assert ", seed 7, valkey 9.\n" in text
    assert "1 rows hold, 1 fail, 0 were not run. No result yet: R3, R4." in text
    assert "- R2: one; two; three; and 1 more." in text
    _, _, faults = text.partition("\n## Planted faults\n")
    assert "1 of 2 were found." in faults
    assert "\n| a hash / changed | broken | 2 | game 1 |\n| a cut | lost | 0 | **MISSED** |\n" in faults
    _, _, longer = text.partition("\n## Long forms\n")
    assert "\n| R1 | a fault | often | 1,200 |" in longer
    assert "- R1: long ago, commit 12ab, seed 8." in longer
    assert "seen" not in text  # by a row that holds and lost nothing
    assert "--only R1,R5 --seed 7" in text


@pytest.mark.parametrize(
    ("verdict", "lost", "told"),
    [
        (HOLDS, 0, "Nothing that the service had acknowledged was lost, doubled or torn."),
        (HOLDS, 3, "or torn, except where a store was made to lose its past (R1): there metric and log told of it."),
        (FAILS, 3, "**R1** lost, doubled or tore events."),
    ],
)
def test_the_document_begins_with_what_was_lost(verdict: str, lost: int, told: str) -> None:
    """In a plain sentence; around it stand the same words as in the document that is kept."""
    text = document([Result("R1", "a fault", 7, verdict, Outcome("once", lost=lost), 1)], 613958577, is_long=False)
    assert f"{told}\n" in text
    kept = (RECORDED.parents[3] / "docs" / "faults.md").read_text("utf-8")
    assert text.partition("\nNothing ")[0].partition("\n**")[0] in kept
    for heading in ("## How it is judged", "## How to run it again"):
        assert text.partition(heading)[2].partition("\n## ")[0] in kept


def test_results_are_kept(tmp_path: Path) -> None:
    """A run that was interrupted goes on with what is there."""
    result = Result("R1", "a fault", 7, FAILS, Outcome("often", lost=3, recovery=1.25, faults=["one"]), 1.5)
    assert list(kept_results(tmp_path / "kept")) == []
    keep_result(tmp_path / "kept", result)
    keep_result(tmp_path / "kept", result)
    assert list(kept_results(tmp_path / "kept")) == [result, result]
    recorded = list(kept_results(RECORDED))
    assert recorded
    assert all(one.made and (one.verdict == HOLDS) == (not one.outcome.faults) for one in recorded)


def test_a_limit_is_told_beside_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The long form takes it as it stands, or as REIBACH_TEST_PATIENCE says; the short one allows for the load."""
    monkeypatch.setattr(waiting, "_FACTOR", "")
    long, short = Run(tmp_path, "7", is_long=True), Run(tmp_path, "7")
    long.need_within("back after", 2.0, 2.0)
    long.need_within("p99", 0.12, 0.1, queue=1.5)
    told = ["back after 2.0 s, limit 2.0 s", "p99 120 ms, limit 100 ms, 150 ms on this machine now"]
    assert long.outcome.notes == told
    assert long.outcome.faults == []
    long.need_within("p99", 0.12, 0.1)
    assert long.outcome.faults == ["p99 120 ms, limit 100 ms"]
    monkeypatch.setattr(waiting, "_FACTOR", "4")
    for run in (long, short):
        run.need_within("p99", 0.12, 0.1)
    assert (len(long.outcome.faults), short.outcome.faults) == (1, [])


def test_a_loss_that_is_allowed_hides_no_other_fault(tmp_path: Path) -> None:
    """What the setting allows is struck off, with the audits of games that are gone; the rest still fails the row."""
    run = Run(tmp_path, "7")
    scene = Scene(run, tmp_path / "games", {})
    (tmp_path / "games.journals").mkdir()
    acks = [Ack(game, "key", 5, (), ("hash", "", "")) for game in ("gone", "kept")]
    (tmp_path / "games.journals" / "0.journal").write_text("".join(map(line_of, acks)))
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "kept.running.ndjson").write_text("")
    others = [
        "audit of kept: 503",
        "changed: kept version 5",
        "torn: kept version 4",
        "1 unexpected answers: view: 500",
    ]
    run.outcome.faults += ["lost: gone version 5", "audit of gone: 404", "doubled: kept version 5", *others]
    assert pardon_loss(run, scene) == {"gone"}
    assert run.outcome.faults == others


def test_growth_is_that_of_a_fitted_line() -> None:
    """As a share of the mean; noise is no growth."""
    assert slope([(0, 5), (1, 5), (2, 5)]) == 0
    assert slope([(0, 90), (1, 100), (2, 110)]) == pytest.approx(0.2)
    assert abs(slope([(at, 100 + at % 2) for at in range(100)])) < 0.001
    found = growths([(float(at), {"memory": 100.0 + at, "files": 7.0}) for at in range(101)])
    assert found == {"memory": pytest.approx(2 / 3), "files": 0}
    risen = [(10.0 + at, {"memory": 100.0 + min(at, 50)}) for at in range(100)]
    assert quarters(risen) == [pytest.approx(mean) for mean in (112, 137, 150, 150)]
    assert quarters(risen[:1]) == [100]

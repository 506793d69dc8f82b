"""What a run writes: goals and their limits, and the document that they are written into."""

import pytest

from tests.bench import capacity
from tests.bench.beside import BARE, FEW, LISTS, MANY, RATIOS, SINGLE, THEIRS
from tests.bench.common import ROOT, Limit
from tests.bench.kills import Kill
from tests.bench.summary import BEGIN, END, replace_measured, report_lines

RUNS = [{"actions/s": 10.0 * factor, "all us": 2.0, "p99 ms": 4.0} for factor in (1, 2, 4)]


def test_a_report_begins_with_what_a_reader_asks() -> None:
    """Four sentences and a table; medians of pairs behind them, and what wasn't measured is told."""
    files, database = list(THEIRS.values())[1:]
    seen = dict.fromkeys((BARE, FEW, MANY, SINGLE, LISTS), RUNS)
    seen |= {MANY: [run | {"all us": 3.0} for run in RUNS], files: [run | {"all us": 8.0} for run in RUNS]}
    kills = {SINGLE: [Kill(50, 0), Kill(50, 0)], files: [Kill(40, 6, 1), Kill(60, 7)]}
    text = "\n".join(report_lines(["- a machine"], seen, kills))
    head, _, folded = text.partition("<details>")
    assert head.count("- **What") == 4
    assert (
        "it lost 0 of 100; boardgame.io, FlatFile lost 13 of 100 (and 1 matches can't be opened) acknowledged" in head
    )
    assert "1.50 times the processor time" in head
    assert f"| {files} | 20.00 | 8.00 us | 13 of 100 (and 1 matches can't be opened) |" in head
    assert f"| {LISTS} | 20.00 | 2.00 us | as above |" in head
    assert database not in head
    assert f"| {RATIOS[0].name} | 1.00 | 1.00 to 1.00 | 3 | >= 0.6 | met |" in folded
    assert f"| {RATIOS[1].name} | 1.50 | 1.50 to 1.50 | 3 | <= 1.1 | missed |" in folded
    assert folded.count("| not measured |") == 4
    assert "| processor time, FlatFile / service | 4.00 | 4.00 to 4.00 | 3 |  |  |" in folded
    assert "| processor time, PostgreSQL / service | not measured | | | | |" in folded


@pytest.mark.parametrize(
    ("limit", "ratio", "verdict"),
    [
        (Limit(">=", 0.8), 0.79, "missed"),
        (Limit(">=", 0.8), 0.8, "met"),
        (Limit("<=", 1.1), 1.11, "missed"),
        (Limit("<=", 1.1), 1.1, "met"),
        (Limit(), 0.9, ""),
    ],
)
def test_a_ratio_is_compared_with_its_limit(limit: Limit, ratio: float, verdict: str) -> None:
    """On the right side of it."""
    assert limit.verdict(ratio) == verdict


def test_a_run_replaces_the_figures_of_the_document() -> None:
    """What stands between the marks, and nothing else; the document has one pair of them."""
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    once = replace_measured(text, ["- machine", "", "| ratio |"])
    assert once.partition(BEGIN)[0] == text.partition(BEGIN)[0]
    assert once.partition(END)[2] == text.partition(END)[2]
    assert f"\n{BEGIN}\n- machine\n\n| ratio |\n{END}\n" in once
    with pytest.raises(ValueError, match="no lines"):
        replace_measured(f"{END}\n{BEGIN}\n", [])


def test_what_a_machine_carries_follows_from_what_was_measured() -> None:
    """By the slowest rate, by memory of which half stays free, and by the store's part."""
    measured = {"memory MB": 200.0, "store's MB": 10.0, "more in play MB": 10.0, "processor us": 600.0}
    measured |= {"store's us": 100.0, "actions/s": 500.0, "p99 ms": 99.0}
    grown = measured | {"memory MB": 290.0, "store's MB": 100.0, "actions/s": 400.0}
    text = " ".join(capacity.report_lines({0: measured, 9000: grown}, 0.5))
    assert "4,000 live games" in text
    assert "or 576,000 players by post" in text
    assert "takes 10.0 KB: 1 GB holds 40,000 of them, or 160,000 players" in text
    assert "A store carries 10,000 actions a second; web processes and workers need 5.00 further" in text
    slow = " ".join(capacity.report_lines({0: measured, 9000: grown | {"p99 ms": 101.0}}, 0.5))
    assert "live games" not in slow
    assert "160,000 players" in slow

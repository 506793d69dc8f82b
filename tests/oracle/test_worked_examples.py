"""The second engine against the worked examples of shuffle, chain and scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from tests.oracle.fairness import chain, commitment, deal, hashed, integers, shuffle_key
from tests.oracle.oracle import OracleGame
from tests.oracle.scoring import score_round
from tests.support.cases import cases

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", VECTORS["shuffle"], ids=lambda example: f"{len(example['entropies'])}-seats")
def test_shuffle_agrees_with_the_worked_examples(example: dict[str, Any]) -> None:
    """Commitment, key, random stream and deal are those published."""
    seed, entropies = example["server_seed"], example["entropies"]
    key = shuffle_key(seed, entropies)
    stream = integers(key)
    assert commitment(seed) == example["commitment"]
    assert key.hex() == example["shuffle_key"]
    assert [next(stream) for _ in example["first_integers"]] == example["first_integers"]
    assert deal(seed, entropies) == {name: example[name] for name in ("hands", "display", "draw_pile")}


@pytest.mark.parametrize("example", VECTORS["chain"], ids=lambda example: str(example["game"]))
def test_chain_agrees_with_the_worked_examples(example: dict[str, Any]) -> None:
    """Every hash is the published one, erased or not; the oracle stops only where the example ends inside an append."""
    events = example["events"]
    erased = {one["version"]: one for one in example.get("erased", [])}
    for version in (3, 8):
        if text := example.get(f"jcs_of_version_{version}"):
            assert rfc8785.dumps(hashed(events[version - 1])).decode() == text
    for log in (events, [erased.get(event["version"], event) for event in events]):
        assert list(chain(example["server_seed"], example["game"], log)) == [event["hash"] for event in events]
        assert OracleGame(log[:7], complete=False).table.version == len(events[:7])


def sheet(table: str, number: int = 2) -> list[dict[str, Any]]:
    """Score lines such as `oil 4 3x -`: the row lengths by seat, `x` for a risk card, `-` for no row."""
    lines = [line.split() for line in table.strip().splitlines()]
    seats = range(len(lines[0]) - 1)
    rows = [
        {line[0]: (int(line[seat + 1].strip("x")), "x" in line[seat + 1]) for line in lines if line[seat + 1] != "-"}
        for seat in seats
    ]
    return score_round(number, rows, [0 for _ in seats], [0 for _ in seats])


def test_published_example_scores_11_12_13() -> None:
    """The example of the German rules, with lengths that give its cases."""
    scored = sheet(cases(__file__, "published"))
    assert [line["income"] for line in scored] == [11, 12, 13]
    assert scored[0]["businesses"]["antiques"] == {"income": 2, "reason": "second", "length": 2, "doubled": True}
    assert scored[1]["businesses"]["property"]["reason"] == "none"


@pytest.mark.parametrize(("lengths", "incomes", "reasons"), cases(__file__, "ties"))
def test_ties(lengths: str, incomes: str, reasons: str) -> None:
    """Income and reason of each row of one business, with any tie."""
    lines = [own["businesses"]["oil"] for own in sheet(f"oil {lengths}") if own["businesses"]]
    assert [line["income"] for line in lines] == [int(income) for income in incomes.split()]
    assert [line["reason"] for line in lines] == reasons.split()


@pytest.mark.parametrize(("number", "incomes"), [(1, [0, 0]), (2, [0, 0]), (3, [-7, 0])])
def test_losses_only_in_round_3(number: int, incomes: list[int]) -> None:
    """Two for an empty businessmaker, one for a card in hand, and no floor at zero."""
    scored = score_round(number, [{}, {}], [2, 0], [3, 0])
    assert [line["income"] for line in scored] == incomes

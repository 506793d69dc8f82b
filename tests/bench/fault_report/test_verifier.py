"""The report's verifier passes what is sound, and finds each fault that was planted."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.bench.fault_report.planted import FORGERIES, acks_of, cut, forge, sample_log
from tests.bench.fault_report.verifier import Ack, line_of, longest_pause, main, read_journals, verify
from tests.oracle.play import play

ROOT = Path(__file__).parents[3]
VARIANTS = {"expensive_specials": True, "staggered_start": False}


@pytest.mark.parametrize("seats", [2, 4])
def test_a_sound_log_has_no_fault(seats: int) -> None:
    """Whatever an answer has told is there once, and nothing else."""
    log = play(20 + seats, seats, VARIANTS, asides=False)
    findings = verify(acks_of(log), {log[0]["data"]["game"]: log})
    assert findings.faults() == []
    assert findings.acknowledged == len(acks_of(log)) > 50


@pytest.mark.parametrize("name", FORGERIES)
def test_a_planted_fault_is_found(name: str) -> None:
    """As what it is."""
    assert getattr(forge(name), FORGERIES[name][1])


def test_two_answers_that_claim_one_version_are_found() -> None:
    """The same events told to two keys: one of the requests has no effect of its own."""
    log = sample_log()
    first, *others = acks_of(log)
    findings = verify([first, *others, others[3]._replace(key="another")], {first.game: log})
    assert len(findings.doubled) == len(others[3].events)


def test_a_repeat_that_is_answered_otherwise_is_found() -> None:
    """Of the same key."""
    log = sample_log()
    acks = acks_of(log)
    findings = verify([*acks, acks[5], acks[6]._replace(version=9)], {acks[0].game: log})
    assert [one.partition(":")[0] for one in findings.changed] == [acks[6]._replace(version=9).name]


def test_an_unsigned_receipt_is_found() -> None:
    """A signature by another key, of another version, or none."""
    log, key = sample_log(), Ed25519PrivateKey.generate()
    [ack, *_] = acks_of(log)

    def signed(version: int) -> Ack:
        digest = ack.receipt[0]
        text = f"reibach/receipt\n{ack.game}\n{version}\n{digest}\n".encode()
        return ack._replace(receipt=(digest, "k", base64.b64encode(key.sign(text)).decode()))

    def faults(one: Ack, name: str = "k") -> int:
        return len(verify([one], {}, {name: key.public_key()}).changed) + len(
            verify([one], {ack.game: log}, {name: key.public_key()}).changed
        )

    assert faults(signed(ack.version)) == 0
    assert faults(signed(ack.version + 1)) == 1
    assert faults(signed(ack.version), "other") == 1
    assert faults(ack) == 1


def test_it_runs_alone_on_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0 for what holds, 1 for what doesn't, with a line for each fault."""
    log = sample_log()
    acks = acks_of(log)
    (tmp_path / "one.journal").write_text("".join(map(line_of, acks)), "utf-8")
    assert list(read_journals(tmp_path)) == acks
    exported = tmp_path / f"{acks[0].game}.ndjson"
    exported.write_text("".join(json.dumps(event) + "\n" for event in log), "utf-8")
    assert main(tmp_path, tmp_path) == 0
    exported.write_text("".join(json.dumps(event) + "\n" for event in cut(log)), "utf-8")
    assert main(tmp_path, tmp_path) == 1
    assert capsys.readouterr().out.count("\nlost: ") > 10


def test_the_longest_wait_for_a_scoring_round() -> None:
    """In seconds, by the log."""
    times = [("ScoringStarted", "10:00:00.000Z"), ("RoundScored", "10:00:00.250Z"), ("ScoringStarted", "10:00:09.000Z")]
    times += [("RoundScored", "10:00:10.500Z")]
    assert longest_pause([{"type": kind, "at": f"2026-01-01T{at}"} for kind, at in times]) == 1.5


def test_nothing_of_the_service_is_in_it() -> None:
    """Nor of its rules: what both shared could be wrong in both."""
    code = "import sys, tests.bench.fault_report.verifier; print(sorted({n.partition('.')[0] for n in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "'tests'" in loaded
    assert not [room for room in ("config", "domain", "service", "workers") if f"'{room}'" in loaded]

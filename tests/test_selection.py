"""How the suite shares out its tests."""

from pathlib import Path

import pytest


@pytest.mark.parametrize("number", range(6))
def test_a_file_runs_in_one_process(
    number: int, tmp_path_factory: pytest.TempPathFactory, testrun_uid: str, worker_id: str
) -> None:
    """Its tests share what they build; each of several test processes would build it again."""
    shared = Path(tmp_path_factory.getbasetemp().parent, f"processes-{testrun_uid}")
    shared.mkdir(exist_ok=True)
    (shared / worker_id).touch()
    assert [process.name for process in shared.iterdir()] == [worker_id]

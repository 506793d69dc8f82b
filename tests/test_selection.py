"""How the suite shares out its tests."""

from pathlib import Path

import pytest

from tests.support import selection


@pytest.mark.parametrize("number", range(6))
def test_a_file_runs_in_one_process(
    number: int, tmp_path_factory: pytest.TempPathFactory, testrun_uid: str, worker_id: str
) -> None:
    """Its tests share what they build; each of several test processes would build it again."""
    shared = Path(tmp_path_factory.getbasetemp().parent, f"processes-{testrun_uid}")
    shared.mkdir(exist_ok=True)
    (shared / worker_id).touch()
    assert [process.name for process in shared.iterdir()] == [worker_id]


def test_no_slow_test_is_passed_over(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hides one in a file that doesn't name it is told in every run."""
    monkeypatch.setattr(selection, "may_be_slow", lambda _: False)
    selection.pytest_collection_modifyitems([request.node])
    request.node.add_marker(pytest.mark.slow)
    with pytest.raises(pytest.UsageError, match="its file must say so"):
        selection.pytest_collection_modifyitems([request.node])

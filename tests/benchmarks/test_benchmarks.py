"""The benchmarks can be started: each module imports, and the bare route writes to a real store."""

from importlib import import_module
from pathlib import Path

import pytest

from service.gamelog.store.streams import connect
from tests.benchmarks import bare_app

MODULES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("test_"))


@pytest.mark.parametrize("module", MODULES)
def test_every_benchmark_imports(module: str) -> None:
    """What a benchmark takes from the service is still there; one of them needs the extra `bench`."""
    if module == "replayed":
        pytest.importorskip("eventsourcing")
    assert import_module(f"tests.benchmarks.{module}").__doc__


def test_the_bare_route_writes_to_the_store(valkey: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers 201, and its append is in the store."""
    monkeypatch.setenv("REIBACH_REDIS_URL", valkey)
    answer = bare_app.create().test_client().post("/append", json={"type": "take"})
    assert (answer.status_code, answer.get_json()["version"]) == (201, 2)
    assert connect(valkey).exists(f"{{s01}}:game:{answer.get_json()['game']}") == 1

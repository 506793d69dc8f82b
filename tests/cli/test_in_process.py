"""Commands that tests run in their own process behave as in a separate process."""

from pathlib import Path

import pytest
import redis

from tests.support.logs import ndjson, random_log
from tests.support.shell import Run, run


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(["--version"], marks=pytest.mark.slow),
        ["nothing"],
        pytest.param(["serve", "--port", "http"], marks=pytest.mark.slow),
        ["audit", "game.ndjson"],
        pytest.param(["audit", "nowhere.ndjson"], marks=pytest.mark.slow),
        ["replay", "game.ndjson", "--language", "de"],
        pytest.param(["export", "--all"], marks=pytest.mark.slow),
        pytest.param(["doctor"], marks=pytest.mark.slow),
        pytest.param(["import", "game.ndjson"], marks=pytest.mark.slow),
        ["import", "nowhere.ndjson", "game.ndjson"],
    ],
    ids=" ".join,
)
def test_the_same_exit_code_and_output(run_alone: Run, empty: dict[str, str], tmp_path: Path, argv: list[str]) -> None:
    file = tmp_path / "game.ndjson"
    file.write_bytes(ndjson(random_log(2, "alike")))
    words = [str(tmp_path / word) if word.endswith(".ndjson") else word for word in argv]
    here = run(*words, **empty)
    with redis.Redis.from_url(empty["REIBACH_REDIS_URL"]) as client:
        client.flushall()
    alone = run_alone(*words, **empty)
    assert (here.returncode, here.stdout, here.stderr) == (alone.returncode, alone.stdout, alone.stderr)

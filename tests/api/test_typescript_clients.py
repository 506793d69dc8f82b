"""The commands of docs/clients.md make clients which run, compile with `--strict`, and play a whole game together."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import Service
from tests.support.client import Api
from tests.test_documents import bash, text_of

CLIENTS = Path(__file__).with_name("clients")
LINES = re.findall(r"^(?:pip|npm|npx|openapi|PYTHONPATH).*$", text_of("docs/clients.md"), re.MULTILINE)
INSTALLS = [line for line in LINES if line.startswith(("pip", "npm "))]
STEPS = [
    "npm ci --no-audit --no-fund --ignore-scripts",
    *[line for line in LINES if line not in INSTALLS],
    "npx tsc --noEmit --strict --target es2022 --module esnext --moduleResolution bundler --skipLibCheck play.ts",
    "npx tsx play.ts http://127.0.0.1:8000",
]


def test_the_documented_clients_are_those_that_are_tried() -> None:
    """Each generator has its three commands, with the versions of the tests' lock files."""
    pinned = json.loads((CLIENTS / "package.json").read_text("utf-8"))["devDependencies"]
    named = dict(re.findall(r"(\S+[^\s=])@([\d.]+)", "\n".join(INSTALLS)))
    assert named == {name: pinned[name] for name in pinned if name not in {"@types/node", "tsx"}}
    assert INSTALLS[0].split()[-1] in text_of("tests/requirements-ci.lock")
    assert [LINES.index(line) for line in INSTALLS] == [*range(0, len(LINES), 3)] == [0, 3, 6]


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm isn't installed")
def test_generated_clients_play_a_game(service: Service, api: Api, tmp_path: Path) -> None:
    """The last event is the game's end; an event of a type that is not in the document is one of the union."""
    pytest.importorskip("openapi_python_client", reason="the generator isn't installed")
    shutil.copytree(CLIENTS, tmp_path, dirs_exist_ok=True)
    for step in STEPS:
        line = step.replace("http://127.0.0.1:8000", service.url)
        done = bash(f"PATH={Path(sys.executable).parent}:$PATH\n{line}", tmp_path, 200)
        if step is STEPS[0] and done.returncode and "ENOTFOUND" in done.stderr + done.stdout:
            pytest.skip("the registry of npm can't be reached")
        assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["last"], found["later"]) == ("GameEnded", "SomethingNew")
    events = api.get(f"/v1/games/{found['id']}/events?limit=1000").json()["events"]
    assert found["events"] == len(events)

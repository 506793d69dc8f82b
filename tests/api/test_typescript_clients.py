"""The commands of docs/clients.md make clients which run, compile with `--strict`, and play whole games."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.api.test_openapi import closed
from tests.conftest import Service
from tests.support.client import Api
from tests.support.receivers import answer, receiver
from tests.support.waiting import wait_until
from tests.test_documents import bash, text_of

CLIENTS = Path(__file__).with_name("clients")
BY_UV = re.findall(r"^uv.*$", text_of("docs/clients.md"), re.MULTILINE)
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


def follow(line: str, service: Service, folder: Path) -> str:
    """What the command prints, of this service and with the programs of these tests."""
    line = line.replace("http://127.0.0.1:8000", service.url)
    done = bash(f"PATH={Path(sys.executable).parent}:$PATH\n{line}", folder, 200)
    if done.returncode and re.search("ENOTFOUND|dns error", done.stderr + done.stdout):
        pytest.skip("the package registry can't be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm isn't installed")
def test_generated_clients_play_a_game(service: Service, api: Api, tmp_path: Path) -> None:
    """The last event is the game's end; an event of a type that is not in the document is one of the union."""
    pytest.importorskip("openapi_python_client", reason="the generator isn't installed")
    shutil.copytree(CLIENTS, tmp_path, dirs_exist_ok=True)
    found = json.loads([follow(step, service, tmp_path) for step in STEPS][-1])
    assert (found["last"], found["later"]) == ("GameEnded", "SomethingNew")
    events = api.get(f"/v1/games/{found['id']}/events?limit=1000").json()["events"]
    assert found["events"] == len(events)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.skipif(None in map(shutil.which, ("java", "npm")), reason="java or npm isn't installed")
def test_clients_of_openapi_generator_are_whole(service: Service, api: Api, tmp_path: Path) -> None:
    """The one in Python plays a game, and its webhooks are as described; the other compiles, with all of the tag."""
    shutil.copy(CLIENTS / "play.py", tmp_path)
    *commands, play = BY_UV
    for line in commands:
        follow(line, service, tmp_path)
    with receiver(answer()) as hooks:
        game, version = follow(f"{play} http://127.0.0.1:{hooks.port}/hook", service, tmp_path).split()
        wait_until(lambda: "game.over" in {json.loads(body)["type"] for _, _, body in hooks.requests}, 120)
    assert api.get(f"/v1/games/{game}").json()["version"] == int(version)
    schema = {"$ref": "#/components/schemas/Notice", "components": closed(api.get("/v1/openapi.json").json())}
    for _, _, body in hooks.requests:
        Draft202012Validator(schema).validate(json.loads(body))
    follow(f"npx -y -p {INSTALLS[1].split()[-1]} {STEPS[-2][4:-7]}fetch-client/index.ts", service, tmp_path)
    assert "async askForToken(" in (tmp_path / "fetch-client" / "apis" / "PostApi.ts").read_text("utf-8")

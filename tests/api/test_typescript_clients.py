"""Clients that two generators have written in TypeScript compile with `--strict`, and play a whole game together."""

import json
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.conftest import Service
from tests.support.client import Api
from tests.support.waiting import patience

CLIENTS = Path(__file__).with_name("clients")
STEPS = (
    "npm ci --no-audit --no-fund --ignore-scripts",
    "npx openapi-typescript openapi.json -o fetch/api.ts",
    "npx openapi-ts -i openapi.json -o hey -p @hey-api/client-fetch @hey-api/typescript @hey-api/sdk",
    "npx tsc --noEmit --strict --target es2022 --module esnext --moduleResolution bundler --skipLibCheck play.ts",
)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm isn't installed")
def test_clients_in_typescript_play_a_game(service: Service, api: Api, tmp_path: Path) -> None:
    """The last event is the game's end; an event of a type that is not in the document is one of the union."""
    for file in CLIENTS.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "openapi.json").write_bytes(httpx.get(f"{service.url}/v1/openapi.json").content)
    for step in STEPS:
        done = subprocess.run(
            step.split(), cwd=tmp_path, capture_output=True, text=True, timeout=patience(200), check=False
        )
        if step is STEPS[0] and done.returncode and "ENOTFOUND" in done.stderr + done.stdout:
            pytest.skip("the registry of npm can't be reached")
        assert done.returncode == 0, done.stdout + done.stderr
    command = ["npx", "tsx", "play.ts", service.url]
    played = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=patience(120), check=False)
    assert played.returncode == 0, played.stderr
    found = json.loads(played.stdout)
    assert (found["last"], found["later"]) == ("GameEnded", "SomethingNew")
    events = api.get(f"/v1/games/{found['id']}/events?limit=1000").json()["events"]
    assert found["events"] == len(events)

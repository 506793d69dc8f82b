"""The running service against its own OpenAPI document, by schemathesis: every check, valid and invalid requests.

Its stateful phase follows links by chance; test_links.py follows each of them.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from string import Template

import pytest
from hypothesis import settings

from tests.conftest import Service
from tests.support.client import Api
from tests.support.waiting import patience

CONFIG = Template(Path(__file__).with_name("fuzz_config.template").read_text("utf-8"))


@pytest.mark.nightly
def test_the_service_conforms_to_its_openapi_document(service: Service, api: Api, tmp_path: Path) -> None:
    """Answers have the statuses, types, headers and shapes of the document; valid data is taken, invalid refused."""
    table = api.create([{"name": "Anna"}, {"bot": "greedy"}], listed=True)
    examples = max(2, settings().max_examples // 12)
    config = tmp_path / "schemathesis.toml"
    hooks = Path(__file__).with_name("fuzz_hooks.py")
    config.write_text(CONFIG.substitute(hooks=hooks, token=table.tokens[0], examples=examples, seconds=patience(1)))
    report = tmp_path / "report.ndjson"
    run = ["--config-file", config, "run", "--report-ndjson-path", report]
    found = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", *run, f"{service.url}/v1/openapi.json"],
        cwd=tmp_path,
        env=os.environ | {"FUZZED_GAME": table.id, "FUZZED_TOKEN": table.tokens[0]},
        capture_output=True,
        check=False,
        text=True,
        timeout=patience(60 + 2 * examples),
    )
    assert found.returncode == 0, found.stdout + found.stderr
    accepted = count_accepted(report)
    for change in ("/v1/games", "/v1/games/{id}/seats", "/v1/games/{id}/actions", "/v1/games/{id}/messages"):
        assert accepted[change], f"none was accepted: {accepted}"


def count_accepted(report: Path) -> Counter[str]:
    """Path -> how many requests were answered with 201."""
    accepted: Counter[str] = Counter()
    with report.open() as lines:
        for line in lines:
            recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
            for name, answered in recorder.get("interactions", {}).items():
                if (answered.get("response") or {}).get("status_code") == 201:
                    accepted[recorder["cases"][name]["value"]["path"]] += 1
    return accepted

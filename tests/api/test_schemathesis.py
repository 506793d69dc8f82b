"""The running service against its own OpenAPI document, by schemathesis: every check, valid and invalid requests."""

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import settings

from tests.conftest import Service
from tests.support.client import Api
from tests.support.waiting import patience

CONFIG = """
hooks = "{hooks}"
continue-on-failure = true

[parameters]
"path.id" = "{game}"

[auth.openapi]
seat = {{ bearer = "{token}" }}

[generation]
max-examples = {examples}
deterministic = true
database = "none"

[checks]
enabled = true
# A tag that doesn't match is no invalid request.
positive_data_acceptance.expected-statuses = ["2xx", "304", "404", "409", "412"]
max_response_time = {seconds}
"""


def test_the_service_conforms_to_its_openapi_document(service: Service, api: Api, tmp_path: Path) -> None:
    """Answers have the statuses, types, headers and shapes of the document; valid data is taken, invalid refused."""
    table = api.create([{"name": "Anna"}, {"bot": "greedy"}], listed=True)
    waiting = api.create([{"name": "Anna"}, {}, {}, {}, {}])
    config = tmp_path / "schemathesis.toml"
    hooks = Path(__file__).with_name("fuzz_hooks.py")
    config.write_text(
        CONFIG.format(
            hooks=hooks,
            game=table.id,
            token=table.tokens[0],
            examples=settings().max_examples // 5,
            seconds=patience(1),
        )
    )
    found = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", config, "run", f"{service.url}/v1/openapi.json"],
        cwd=tmp_path,
        env=os.environ
        | {"FUZZED_GAME": table.id, "FUZZED_OPEN_GAME": waiting.id, "FUZZED_OPEN_TOKEN": waiting.tokens[0]},
        capture_output=True,
        check=False,
        text=True,
        timeout=patience(110),
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert api.version(table) > 20, "too little was played to call it tested"
    assert all(seat["name"] for seat in api.view(waiting)["seats"]), "nobody joined"

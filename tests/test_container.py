"""`docs/Containerfile` and `docs/compose.yml`, without a builder: their commands, in folders of their own."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import httpx
import pytest
import yaml

from tests.bench.tools.release import git
from tests.support.client import Api
from tests.support.waiting import patience
from tests.test_documents import ROOT, text_of

STEPS = [line.split(" ", 1) for line in text_of("docs/Containerfile").splitlines() if re.match(r"[A-Z]+ ", line)]


def words(instruction: str) -> list[str]:
    (found,) = [text for name, text in STEPS if name == instruction]
    parsed: list[str] = json.loads(found[found.index("[") :])
    return parsed


def test_compose_and_containerfile_fit() -> None:
    """Both name the same folders and port, and the container may write nowhere else."""
    compose = yaml.safe_load(text_of("docs/compose.yml"))
    service = compose["services"]["reibach"]
    assert (ROOT / "docs" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    made = next(text for name, text in STEPS if name == "RUN" and "install -d" in text)
    assert all(volume.partition(":")[2] in made for volume in service["volumes"])
    assert f"reverse_proxy reibach:{dict(STEPS)['EXPOSE']} " in compose["configs"]["caddyfile"]["content"]
    assert int(service["environment"]["REIBACH_MEMORY_WATERMARK"]) < 2e9
    assert (service["mem_limit"], service["stop_grace_period"], service["read_only"]) == ("2g", "30s", True)
    assert dict(STEPS)["STOPSIGNAL"] == "SIGTERM"


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
def test_the_steps_of_the_container(tmp_path: Path) -> None:
    """The image is built from a clone, is ready for its health check, plays, and ends by its signal."""
    git("clone", "--quiet", str(ROOT), str(tmp_path / "src"), folder=tmp_path)
    (tmp_path / "games").mkdir()

    def moved(text: str) -> str:
        text = text.replace("/opt/reibach", str(tmp_path / "opt"))
        return text.replace("/var/lib/reibach", str(tmp_path / "games"))

    builds = [text for name, text in STEPS if name == "RUN" and "useradd" not in text]
    assert len(builds) == 3
    for line in builds:
        subprocess.run(["sh", "-euc", moved(line)], cwd=tmp_path / "src", check=True, timeout=patience(240))
    settings = dict(pair.split("=", 1) for pair in moved(dict(STEPS)["ENV"]).split())
    hidden = {name: text for name, text in os.environ.items() if not name.startswith(("REIBACH_", "PYTHON"))}
    command = [*map(moved, words("ENTRYPOINT")), *words("CMD")]
    environment = hidden | settings | {"REIBACH_PORT": "0"}
    folder = tmp_path / "games"
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["address"]
            check = [moved(word).replace(":8000", f":{url.rpartition(':')[2]}") for word in words("HEALTHCHECK")]
            subprocess.run(check, check=True, timeout=patience(10))
            with httpx.Client(base_url=url, timeout=patience(10)) as http:
                Api(http).create(2, seed=None)
                assert "unknown" not in http.get("/docs").text
        finally:
            process.send_signal(getattr(signal, dict(STEPS)["STOPSIGNAL"]))
        assert process.wait(patience(30)) == 0

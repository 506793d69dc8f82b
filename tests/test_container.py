"""`docs/Containerfile`, `docs/compose.yml` and the systemd units: in rooms of a clean Debian, by its own tools."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.bench.tools.release import git
from tests.support.ports import free_port
from tests.test_documents import ROOT, bash, block, text_of

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
    line = block("README.md", "container")
    assert f":{dict(STEPS)['EXPOSE']} -v reibach:{dict(STEPS)['VOLUME']} " in line
    assert f"-f docs/{service['build']['dockerfile'].removeprefix('docs/')} " in line
    assert (service["mem_limit"], service["stop_grace_period"], service["read_only"]) == ("2g", "30s", True)
    assert dict(STEPS)["STOPSIGNAL"] == "SIGTERM"


def test_secrets_are_part_of_no_commit_and_no_build() -> None:
    """Of a backup, a restored folder and the settings, where the documents put them; the example is a part of both."""
    secret = ["backups/monday/keys", "restored/secret", "reibach.env", "docs/club.env", "reibach-data/secret"]
    ignored = subprocess.run(
        ["git", "check-ignore", "--no-index", *secret, "config/reibach.env"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ignored.stdout.split() == secret
    lines = text_of(".dockerignore").split()
    assert {"backups", "restored", "reibach-data", "**/*.env"} < set(lines)
    assert lines.index("!config/reibach.env") > lines.index("**/*.env")  # the last line that fits decides


TOOLS = shutil.which("mmdebstrap") and shutil.which("systemd-nspawn") and os.geteuid() == 0 and (ROOT / ".git").exists()
IN_ROOMS = pytest.mark.skipif(not TOOLS, reason="it needs mmdebstrap, systemd-container, root, and a checkout")


def in_rooms(name: str, folder: Path, **values: object) -> None:
    """Run a script of `tests/rooms` beside a clone of this checkout."""
    git("clone", "--quiet", str(ROOT), str(folder / "src"), folder=folder)
    done = bash(text_of("tests/rooms/debian.sh") + text_of(f"tests/rooms/{name}.sh").format(**values), folder, 400)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.nightly
@pytest.mark.timeout(900)
@IN_ROOMS
def test_the_steps_of_the_container(tmp_path: Path) -> None:
    *builds, made = (text for name, text in STEPS if name == "RUN")
    steps, port = dict(STEPS), free_port()
    check = shlex.join(word.replace(":8000", f":{port}") for word in words("HEALTHCHECK"))
    command = shlex.join([*words("ENTRYPOINT"), *words("CMD")])
    settings = " ".join(f"--setenv={pair}" for pair in steps.pop("ENV").split())
    lines = {"builds": "\n".join(builds), "made": made, "command": command, "check": check, "environment": settings}
    in_rooms("container", tmp_path, port=port, **lines, **steps)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@IN_ROOMS
def test_the_units_run(tmp_path: Path) -> None:
    install, parts = (
        re.findall(r"^```sh\n(.*?)```", text_of(f"docs/host-{page}.md"), re.MULTILINE | re.DOTALL)[0]
        for page in ("install", "machines")
    )
    install, start = install.replace("<address of this repository>", "/src").split("systemctl enable", 1)
    lines = {"start": f"systemctl enable{start}", "parts": parts, "command": block("docs/host-install.md", "command")}
    (tmp_path / "booted.sh").write_text(text_of("tests/rooms/booted.sh").format(**lines))
    in_rooms("units", tmp_path, install=install)

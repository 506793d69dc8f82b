"""The pure rooms on later Pythons: what a tree of 3.11 runs on, and its packages have wheels for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_documents import ROOT

UV = Path(sys.executable).with_name("uv")
INSTALL = [UV, "pip", "install", "--quiet", "--python"]


@pytest.mark.nightly
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_the_pure_rooms_run_on(version: str, tmp_path: Path) -> None:
    """It is looked for where uv looks, and among pyenv's; none is fetched."""
    installed = [str(path) for path in (Path.home() / ".pyenv/versions").glob(f"{version}.*/bin")]
    path = os.environ | {"PATH": os.pathsep.join([*installed, os.environ["PATH"]])}
    find = [UV, "python", "find", "--no-project", "--no-python-downloads", "--system", version]
    python = subprocess.run(find, env=path, capture_output=True, text=True, check=False).stdout.strip()
    if not python:
        pytest.skip(f"there is no Python {version} on this machine")
    subprocess.run([UV, "venv", "--quiet", "--python", python, tmp_path / "venv"], check=True)
    for packages in ("--require-hashes -r tests/requirements.lock", "--no-deps --no-build-isolation -e ."):
        subprocess.run([*INSTALL, tmp_path / "venv", *packages.split()], cwd=ROOT, check=True)
    suite = ["-q", "-n", "auto", "-p", "no:cacheprovider", "tests/domain", "tests/games", "tests/oracle"]
    tests = [tmp_path / "venv/bin/python", "-m", "pytest", *suite]
    ended = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-8000:]

"""What the documents promise is tried here."""

import re
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from config.settings import Settings
from tests.support.waiting import patience

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(mark: str) -> str:
    """The code block below a mark of the README."""
    found = re.search(rf"<!-- {mark} -->\n```sh\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_game_of_the_readme_is_played_to_its_end(service) -> None:
    """The curl commands, exactly as they stand, but for the address."""
    script = block("play").replace("http://127.0.0.1:8000", service.url)
    played = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, timeout=patience(100), check=False
    )
    assert played.returncode == 0, played.stderr
    assert '"winners":[' in played.stdout
    assert '"type":"GameEnded"' in played.stdout.splitlines()[-1]


@pytest.mark.parametrize("mark", ["run", "test"])
def test_the_set_up_is_one_line(mark: str) -> None:
    """One line runs it, one tests it."""
    assert block(mark).count("\n") == 1


def test_both_examples_name_every_setting_with_its_default() -> None:
    """The examples in config/ lack none, and what they call the default is it."""
    environment = dict(
        re.findall(r"^#REIBACH_(\w+)=(.*)$", (ROOT / "config/reibach.env").read_text("utf-8"), re.MULTILINE)
    )
    environment.pop("CONFIG")
    toml = tomllib.loads(
        re.sub(r"^#(\w+ = )", r"\1", (ROOT / "config/reibach.toml").read_text("utf-8"), flags=re.MULTILINE)
    )
    names = {field.name for field in fields(Settings)}
    assert {name.lower() for name in environment} == set(toml) == names
    assert Settings.read({f"REIBACH_{name}": value for name, value in environment.items()}) == Settings()
    assert Settings.read({}, **toml) == Settings()


def test_the_architecture_names_files_that_exist() -> None:
    """Every path in ARCHITECTURE.md and CONTRIBUTING.md is there."""
    for document in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text("utf-8")
        for path in re.findall(r"`((?:config|domain|service|workers|tests)/[\w./]*)`", text):
            assert (ROOT / path).exists(), f"{document} names {path}"

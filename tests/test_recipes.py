"""The recipes of ARCHITECTURE.md are enough: each is followed in a copy of the tree, by an example of every step.

The examples are in `test_recipes.toml`: by recipe and file, what is put there, `after` or `before` which text. A folder
of words `without` a table is English with longer words. Following them is slow: the checks are those of the recipe.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.cases import cases
from tests.support.pseudo_language import lengthen, write_language
from tests.support.waiting import patience

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
RECIPES: Final = dict(re.findall(r"^### An? (\w+)\n\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))
MOST_LINES: Final = 10
NO_PART: Final = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "*.egg-info", "reibach-data")


def follow(tree: Path, edits: Mapping[str, list[dict[str, Any]]]) -> None:
    """Make the edits, each in every file that its pattern fits. Raises ValueError where the text isn't there."""
    for pattern, parts in edits.items():
        for part in parts:
            if "without" in part:
                (tree / pattern).mkdir()
                write_language(tree / pattern, lengthen, lengthen, without=part["without"])
                continue
            folder, name = str(Path(pattern).parent), Path(pattern).name
            for path in sorted(tree.glob(pattern)) or [one / name for one in tree.glob(folder) if one.is_dir()]:
                text = path.read_text("utf-8") if path.exists() else ""
                mark = part.get("after") or part.get("before", "")
                at = (text.index(mark) if mark else len(text)) + len(part.get("after", ""))
                path.write_text(text[:at] + part["add"] * part.get("times", 1) + text[at:], "utf-8")


def run(tree: Path, command: str) -> "subprocess.CompletedProcess[str]":
    name, *words = shlex.split(command)
    module = ["-m", "pytest", "-q", "-x", "-n", "0"] if name == "pytest" else []
    return subprocess.run(
        [sys.executable, *module, *words],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        timeout=patience(600),
        check=False,
    )


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_enough(name: str, tmp_path: Path) -> None:
    """Its checks find that all but the first step is missing, and nothing once all steps were taken."""
    edits: dict[str, Any] = cases(__file__, name)
    first = next(iter(edits))
    commands = re.findall(r"`((?:pytest|python) [^`]+)`", RECIPES[name])
    checks = [command for command in commands if command.startswith("pytest")]
    for done in ({first: edits[first]}, edits):
        tree = tmp_path / str(len(done))
        shutil.copytree(ROOT, tree, ignore=NO_PART)
        follow(tree, done)
        ended = [run(tree, command) for command in (commands if done == edits else checks)]
        assert any(one.returncode for one in ended) == (done != edits), "\n".join(one.stdout[-4000:] for one in ended)


def test_recipes_are_short_and_have_examples() -> None:
    """Each file that a recipe names is edited by its example, and no other is."""
    for name, recipe in RECIPES.items():
        assert len(recipe.strip().splitlines()) <= MOST_LINES, name
        text = re.sub(r"`(?:pytest|python) [^`]*`", "", recipe).replace("<language>", "*")
        named = re.findall(r"`([\w.]+/[\w./*-]+)`", text)
        edited = cases(__file__, name)
        assert [one for one in edited if not any(fnmatch(one, pattern.rstrip("/")) for pattern in named)] == [], name
        assert [pattern for pattern in named if not any(fnmatch(one, pattern.rstrip("/")) for one in edited)] == [], (
            name
        )

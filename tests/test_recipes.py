"""The recipes of ARCHITECTURE.md are enough: each is followed in a copy of the tree, by an example of every step.

The examples are in `test_recipes.toml`: by recipe and file, what is put there, `after` or `before` which text. A folder
of words `without` a table is English with longer words. Following them is slow: the checks are those of the recipe.
"""

import re
import shutil
import sys
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.cases import cases
from tests.support.pseudo_language import lengthen, write_language
from tests.test_documents import ROOT, bash

PAGE: Final = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
RECIPES: Final = dict(re.findall(r"^### An? (\w+)\n\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))
PROGRAMS: Final = f"""
python() {{ PYTHONPATH=$PWD {sys.executable} "$@"; }}
pytest() {{ python -m pytest -q -x -n 0 "$@"; }}
"""
NO_PART: Final = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "*.egg-info", "build")


def edited(tree: Path, edits: Mapping[str, list[dict[str, Any]]]) -> dict[Path, str]:
    """The text of each file that a pattern fits, edited. Raises ValueError where a place isn't there."""
    texts: dict[Path, str] = {}
    for pattern, parts in edits.items():
        for part in parts:
            if "add" not in part:
                continue
            folder, name = str(Path(pattern).parent), Path(pattern).name
            for path in sorted(tree.glob(pattern)) or [one / name for one in tree.glob(folder) if one.is_dir()]:
                text = texts.get(path) or (path.read_text("utf-8") if path.exists() else "")
                mark = part.get("after") or part.get("before", "")
                at = (text.index(mark) if mark else len(text)) + len(part.get("after", ""))
                texts[path] = text[:at] + part["add"] * part.get("times", 1) + text[at:]
    return texts


def follow(tree: Path, edits: Mapping[str, list[dict[str, Any]]]) -> None:
    for pattern, parts in edits.items():
        for part in parts:
            if "without" in part:
                (tree / pattern).mkdir()
                write_language(tree / pattern, lengthen, lengthen, without=part["without"])
    for path, text in edited(tree, edits).items():
        path.write_text(text, "utf-8")


@pytest.mark.parametrize("name", RECIPES)
def test_each_step_has_its_place(name: str) -> None:
    assert edited(ROOT, cases(__file__, name))


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
        shutil.copytree(ROOT, tree, symlinks=True, ignore=NO_PART)
        follow(tree, done)
        ended = [bash(PROGRAMS + command, tree, 600) for command in (commands if done == edits else checks)]
        assert any(one.returncode for one in ended) == (done != edits), "\n".join(one.stdout[-4000:] for one in ended)


def test_recipes_are_short_and_have_examples() -> None:
    """Each file that a recipe names is edited by its example, and no other is."""
    for name, recipe in RECIPES.items():
        assert len(recipe.strip().splitlines()) <= 10, name
        text = re.sub(r"`(?:pytest|python) [^`]*`", "", recipe).replace("<language>", "*")
        named = re.findall(r"`([\w.]+/[\w./*-]+)`", text)
        edited = cases(__file__, name)
        fits = [(one, pattern) for one in edited for pattern in named if fnmatch(one, pattern.rstrip("/"))]
        assert ({one for one, _ in fits}, {pattern for _, pattern in fits}) == (edited.keys(), {*named}), name

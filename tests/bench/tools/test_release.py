"""The script that makes a release, and what is in the archives that it builds."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.bench.tools.release import git, release
from tests.support.waiting import patience
from tests.test_documents import ROOT, links

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
UNRELEASED = re.compile(r"^## Unreleased - (\S+)$", re.MULTILINE)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A checkout of the last commit, with something to release."""
    folder = tmp_path / "clone"
    git("clone", "--quiet", "--no-tags", str(ROOT), str(folder), folder=tmp_path)
    git("config", "user.name", "Anna", folder=folder)
    git("config", "user.email", "anna@example.org", folder=folder)
    if not UNRELEASED.search((folder / "CHANGELOG.md").read_text("utf-8")):
        pytest.skip("nothing to release")
    return folder


@pytest.mark.nightly
@pytest.mark.parametrize("origin", ["https://git.example/club/reibach", "/srv/git/reibach"])
def test_a_release(clone: Path, tmp_path: Path, origin: str) -> None:
    """Dated, built, tagged; its links and the commit that it names are right, and it isn't made twice."""
    git("remote", "set-url", "origin", f"{origin}.git", folder=clone)
    (version,) = UNRELEASED.findall((clone / "CHANGELOG.md").read_text("utf-8"))
    assert release(clone, checked=True) == f"v{version}"
    commit = git("rev-parse", "--short=12", f"v{version}^{{commit}}", folder=clone)
    assert commit == git("rev-parse", "--short=12", "HEAD", folder=clone)
    changelog = git("show", "HEAD:CHANGELOG.md", folder=clone)
    assert re.search(rf"^## {version} - 20\d\d-\d\d-\d\d\n\nNew events: ", changelog, re.MULTILINE)
    assert "\n\n### For " in git("tag", "--list", "--format=%(contents)", f"v{version}", folder=clone)
    assert git("status", "--porcelain", folder=clone) == ""

    with ZipFile(clone / "dist" / f"reibach-{version}-py3-none-any.whl") as wheel:
        wheel.extractall(tmp_path / "wheel")
    metadata = (tmp_path / "wheel" / f"reibach-{version}.dist-info" / "METADATA").read_text("utf-8")
    is_known = origin.startswith("https://")
    assert (f"]({origin}/blob/{commit}/docs/rules.md)" in metadata) == is_known
    assert (f"]({origin}/raw/{commit}/docs/table.png)" in metadata) == is_known
    assert (f'src="{origin}/raw/{commit}/docs/turn.webp"' in metadata) == is_known
    assert (f"Project-URL: Changelog, {origin}/blob/{commit}/CHANGELOG.md" in metadata) == is_known
    command = [sys.executable, "-P", "-m", "service.cli", "--version"]
    said = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "wheel")},
        capture_output=True,
        text=True,
        timeout=patience(30),
        check=True,
    )
    assert said.stdout == f"reibach {version} (commit {commit})\n"

    with tarfile.open(clone / "dist" / f"reibach-{version}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"reibach-{version}"
    pages = [path for path in source.rglob("*.md") if "static" not in path.parts]  # there docs/ are a second time
    missing = [target for path in pages for target, _ in links(path) if not target.exists()]
    assert missing == []
    with pytest.raises(SystemExit, match=f"v{version} exists"):
        release(clone, checked=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "changed", "says"),
    [
        (r"(?m)^New events: .*$", "", "New events"),
        (UNRELEASED.pattern, "## Unreleased", "Unreleased - "),
        (r"\A", " ", "aren't committed"),
    ],
)
def test_what_is_not_ready_is_not_released(clone: Path, pattern: str, changed: str, says: str) -> None:
    """Nothing is built, committed or tagged."""
    log = clone / "CHANGELOG.md"
    log.write_text(re.sub(pattern, changed, log.read_text("utf-8"), count=1, flags=re.MULTILINE), "utf-8")
    if "committed" not in says:
        git("commit", "--quiet", "--all", "-m", "Change", folder=clone)
    head = git("rev-parse", "HEAD", folder=clone)
    with pytest.raises(SystemExit, match=says):
        release(clone, checked=True)
    assert (git("rev-parse", "HEAD", folder=clone), git("tag", folder=clone)) == (head, "")
    assert not (clone / "dist").exists()

"""Makes a release of the commit that is checked out: checks, dated changelog, archives in `dist/`, tag.

Run: `python -m tests.bench.tools.release [--checked]`, from the root; `--checked`: `.ci/run` has passed on this commit.

All is done in a clone: the checkout gets the commit and the tag when nothing is left that could fail.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import ZipFile

_UNRELEASED: Final = r"^## Unreleased - {version}\n(.*?)(?=^## |\Z)"
_NEW_EVENTS: Final = re.compile(r"^New events: (?:yes, .+|no)\.$", re.MULTILINE)
_NEEDED: Final = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "requirements.lock", "tests/requirements.lock")


def git(*words: str, folder: Path) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def release(root: Path, *, checked: bool) -> str:
    """Release what is checked out; the tag. Raises SystemExit with what is wrong."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    tag = f"v{version}"
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    section = re.search(_UNRELEASED.format(version=re.escape(version)), changelog, re.MULTILINE | re.DOTALL)
    if git("status", "--porcelain", folder=root):
        raise SystemExit("There are changes that aren't committed.")
    if git("tag", "--list", tag, folder=root):
        raise SystemExit(f"{tag} exists: give pyproject.toml the next version.")
    if section is None or not _NEW_EVENTS.search(section[1]):
        raise SystemExit(
            f"CHANGELOG.md needs '## Unreleased - {version}', with 'New events: yes, …' or 'New events: no'."
        )
    with TemporaryDirectory(prefix="reibach-release-") as folder:
        clone = Path(folder) / "reibach"
        git("clone", "--quiet", str(root), str(clone), folder=root)
        for name in ("user.name", "user.email", "remote.origin.url"):
            if name in git("config", "--name-only", "--list", folder=root).splitlines():
                git("config", name, git("config", name, folder=root), folder=clone)
            elif name == "remote.origin.url":
                git("remote", "remove", "origin", folder=clone)
        heading = f"## {version} - {datetime.now(UTC).date()}"
        dated = changelog.replace(f"## Unreleased - {version}", heading, 1)
        (clone / "CHANGELOG.md").write_text(dated, "utf-8")
        git("commit", "--quiet", "--all", "-m", f"Release {version}", folder=clone)
        if not checked:
            subprocess.run([".ci/run"], cwd=clone, check=True)
        uv = str(Path(sys.executable).with_name("uv"))
        subprocess.run([uv, "build", "--no-build-isolation", "--python", sys.executable], cwd=clone, check=True)
        if faults := list(find_faults(clone / "dist", version, git("rev-parse", "HEAD", folder=clone))):
            raise SystemExit("\n".join(faults))
        shutil.copytree(clone / "dist", root / "dist", dirs_exist_ok=True)
        git("pull", "--quiet", "--ff-only", str(clone), "HEAD", folder=root)
        git("tag", "--annotate", tag, "-m", f"{version}\n\n{section[1].strip()}", "--cleanup=verbatim", folder=root)
    return tag


def find_faults(dist: Path, version: str, commit: str) -> Iterator[str]:
    """What is wrong with the archives, a line each."""
    with tarfile.open(dist / f"reibach-{version}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    yield from (f"the sdist lacks {name}" for name in _NEEDED if name not in names)
    with ZipFile(dist / f"reibach-{version}-py3-none-any.whl") as wheel:
        metadata = wheel.read(f"reibach-{version}.dist-info/METADATA").decode()
        noted = wheel.read("config/origin.txt").decode().split("\n")[0]
    if not noted or not commit.startswith(noted):
        yield f"the wheel notes the commit {noted}, not {commit}"
    yield from (
        f"a relative link in the metadata: {link}" for link in re.findall(r"\]\((?!https?://|#)[^)]*\)", metadata)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--checked", action="store_true", help="don't run .ci/run")
    made = release(Path.cwd(), checked=parser.parse_args().checked)
    print(f"dist/ has the archives. Publish: git push origin HEAD {made}, and dist/reibach-* to the package index.")

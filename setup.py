"""What a build adds to pyproject.toml: the commit, the repository's address, and links that work outside of it.

Both are those of the checkout that is built, so they stand nowhere; an sdist carries them in `config/origin.txt`.
Where `origin` has no https address, the built README names its documents without links.
"""

import re
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

_ORIGIN = Path("config/origin.txt")


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)  # noqa: S607 - by the PATH
    except OSError:
        return ""
    return done.stdout.strip()


def _find_origin() -> tuple[str, str]:
    if _ORIGIN.exists():
        commit, url, *_ = _ORIGIN.read_text("utf-8").split("\n")
        return commit, url
    if not Path(".git").exists():
        return "unknown", ""
    url = _git("remote", "get-url", "origin").removesuffix(".git")
    described = _git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    return described or "unknown", url if url.startswith("https://") else ""


COMMIT, URL = _find_origin()


def _place(path: str, kind: str = "blob") -> str:
    return f"{URL}/{kind}/{COMMIT.removesuffix('-dirty')}/{path}"


def _absolute(link: re.Match[str]) -> str:
    mark, text, target = link.groups()
    if "://" in target or target.startswith("#"):
        return link[0]
    return f"{mark}[{text}]({_place(target, 'raw' if mark else 'blob')})" if URL else text


class _Build(build_py):
    def run(self) -> None:
        """Copy the modules, and note the origin beside them."""
        super().run()
        if not self.editable_mode:
            _note_origin(Path(self.build_lib))


class _Source(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Likewise in the archive of sources."""
        super().make_release_tree(base_dir, files)
        _note_origin(Path(base_dir))


def _note_origin(folder: Path) -> None:
    (folder / _ORIGIN).unlink(missing_ok=True)  # in an unpacked sdist it may be a hard link
    (folder / _ORIGIN).write_text(f"{COMMIT}\n{URL}\n", "utf-8")


setup(
    long_description=re.sub(r"(!?)\[([^\]]*)\]\(([^)]*)\)", _absolute, Path("README.md").read_text("utf-8")),
    long_description_content_type="text/markdown",
    project_urls={
        "Repository": URL,
        "Documentation": _place("docs/README.md"),
        "Changelog": _place("CHANGELOG.md"),
        "Issues": f"{URL}/issues",
    }
    if URL
    else {},
    cmdclass={"build_py": _Build, "sdist": _Source},
)

"""What a build adds to pyproject.toml: the commit, the repository's address, and links that work outside of it.

Both are those of the checkout that is built, so no file has them; archives carry them in `config/origin.txt`.
Where `origin` has no https address, the built README names its documents without links.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

sys.path.insert(0, ".")
from config.release import commit

_ORIGIN = Path("config/origin.txt")
_ASK = ["git", "remote", "get-url", "origin"]
_FOUND = "" if _ORIGIN.exists() else subprocess.run(_ASK, capture_output=True, text=True, check=False).stdout.strip()
URL = _ORIGIN.read_text("utf-8").split("\n")[1] if _ORIGIN.exists() else _FOUND.removesuffix(".git")
URL = URL if URL.startswith("https://") else ""


def _place(path: str, kind: str = "blob") -> str:
    return f"{URL}/{kind}/{commit().removesuffix('-dirty')}/{path}"


def _absolute(link: re.Match[str]) -> str:
    mark, text, target = link.groups()
    if "://" in target or target.startswith("#"):
        return link[0]
    return f"{mark}[{text}]({_place(target, 'raw' if mark else 'blob')})" if URL else text


class _Build(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            _note_origin(self.build_lib)


class _Source(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        _note_origin(base_dir)


def _note_origin(folder: str) -> None:
    note = Path(folder, _ORIGIN)
    note.unlink(missing_ok=True)  # in an unpacked sdist it may be a hard link
    note.write_text(f"{commit()}\n{URL}\n", "utf-8")


def _absolute_image(tag: re.Match[str]) -> str:
    return f"{tag[1]}{_place(tag[2], 'raw')}{tag[3]}" if URL else ""


_ASIDE = TemporaryDirectory()  # a build leaves nothing in the checkout
_OPTIONS = {"build": {"build_base": _ASIDE.name}, "egg_info": {"egg_base": _ASIDE.name}}
_README = re.sub(r'(<img src=")([^"]*)(".*?>)', _absolute_image, Path("README.md").read_text("utf-8"))
setup(
    long_description=re.sub(r"(!?)\[([^\]]*)\]\(([^)]*)\)", _absolute, _README),
    long_description_content_type="text/markdown",
    project_urls={"Repository": URL, "Issues": f"{URL}/issues", "Changelog": _place("CHANGELOG.md")} if URL else {},
    cmdclass={"build_py": _Build, "sdist": _Source},
    options={} if "sdist" in sys.argv else _OPTIONS,  # an sdist holds what the second would put aside
)

"""Pages need nothing newer than Safari 16.4 and Firefox 115, or have a way beside it: by MDN's list of features."""

import json
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from domain.words.catalogue import LANGUAGES
from tests.support.cases import cases
from tests.support.features import Features, parse_scripts

SERVICE: Final = Path(__file__).resolve().parents[2] / "service"
PACKAGES: Final = {"@mdn/browser-compat-data": "package/data.json", "acorn": "package/dist/acorn.js"}
"""Of the registry of npm: the list of features, and the parser of scripts; the file of each that is read."""
BESIDE: Final = cases(__file__, "beside")
"""By feature: what is there in the place of it."""
SEEDS: Final = cases(__file__, "seeds")
"""What is too new, by the place where it stands; and what is said of it."""


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of the packages; skipped where npm, node or the registry is missing."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("npm or node isn't installed")
    files = {}
    for package, path in PACKAGES.items():
        folder = tmp_path_factory.mktemp("package")
        packed = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, capture_output=True, check=False)
        if packed.returncode:
            pytest.skip(f"npm can't have {package}: {packed.stderr.decode()[:200]}")
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            archive.extract(path, folder, filter="data")
        files[package] = folder / path
    return files


@pytest.fixture(scope="session")
def features(packages: dict[str, Path]) -> Features:
    return Features(json.loads(packages["@mdn/browser-compat-data"].read_text("utf-8")))


def keys_of(value: Any) -> set[str]:
    """The keys of tables in tables."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return value.keys() | keys_of([*value.values()]) if isinstance(value, dict) else set()


def texts(*patterns: str) -> list[str]:
    paths = [path for pattern in patterns for path in SERVICE.glob(pattern)]
    assert paths
    return [path.read_text("utf-8") for path in paths]


@pytest.mark.nightly
def test_pages_need_no_newer_browser(features: Features, packages: dict[str, Path]) -> None:
    """All that is too new is listed in `BESIDE`, and nothing else is."""
    words = keys_of([tomllib.loads(path.read_text("utf-8")) for path in LANGUAGES["en"].iterdir()])
    scripts = texts("web/static/**/*.js", "web/static/**/*.mjs", "api/docs/static/*.js")
    new = features.new_in_scripts(parse_scripts(packages["acorn"], scripts), words)
    for css in texts("web/static/css/*.css", "api/**/*.css"):
        new |= features.new_in_style(css)
    for html in texts("web/templates/*.html", "api/templates/*.html", "api/docs/static/*.html"):
        new |= features.new_in_page(html)
    assert sorted(new) == sorted(BESIDE)


@pytest.mark.nightly
@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SEEDS.items() for text in texts])
def test_what_is_too_new_is_seen(kind: str, text: str, features: Features, packages: dict[str, Path]) -> None:
    if kind == "script":
        new = features.new_in_scripts(parse_scripts(packages["acorn"], [text]))
    else:
        new = features.new_in_style(text) if kind == "style" else features.new_in_page(text)
    assert " ".join(sorted(new)) == SEEDS[kind][text]


@pytest.mark.nightly
@pytest.mark.parametrize("text", ["/[a--b]/v.test(c)", "using a = b;", "import a from 'b' with { type: 'json' }"])
def test_syntax_that_is_too_new_is_seen(text: str, packages: dict[str, Path]) -> None:
    with pytest.raises(AssertionError, match="SyntaxError"):
        parse_scripts(packages["acorn"], [text])

"""Joins the ES modules of a page into one script, so that a page costs one request and needs no build step.

Each module is valid by itself, too. What that takes of a module (tests hold it): imports are at line starts and name
relative files without `as`, declarations alone are exported, and no two modules of a page declare the same name.
"""

import posixpath
import re
from collections.abc import Callable
from typing import Final

_IMPORT: Final = re.compile(r'^import\s(?:[^;"]*?\sfrom\s+)?"(\.{1,2}/[\w./-]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


class BadModule(ValueError):
    """A module that can't be joined with others."""


def join_modules(read: Callable[[str], str], entry: str) -> str:
    """The script of `entry` and all that it imports, each module once and after those that it imports.

    `read`: from a module's path, such as `verify/chain.js`, to its text. Raises BadModule where modules import each
    other, or in a form that isn't joined.
    """
    joined: list[str] = []
    done: set[str] = set()
    _join(read, entry, joined, done, ())
    return "".join(joined)


def _join(read: Callable[[str], str], path: str, joined: list[str], done: set[str], importers: tuple[str, ...]) -> None:
    if path in importers:
        raise BadModule(f"modules import each other: {' -> '.join((*importers, path))}")
    if path in done:
        return
    text = read(path)
    for target in _IMPORT.findall(text):
        _join(
            read, posixpath.normpath(posixpath.join(posixpath.dirname(path), target)), joined, done, (*importers, path)
        )
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    if statement := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
        raise BadModule(f"{path}: not a form that is joined: {statement[0]}")
    done.add(path)
    joined.append(body)

"""How the product is written: a variable is named by a noun, and a docstring says itself what it is about."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.test_documents import ROOT

ROOMS: Final = ("config", "domain", "service", "workers")
PRONOUNS: Final = frozenset({"one", "found", "own"})
POINTERS: Final = re.compile(
    r"\bas [`\w.]+ ha(s|ve) it\b"  # the reader must look elsewhere
    r"|\bof before\b"  # earlier, former
    r"|\bRaises as\b",
    re.IGNORECASE,
)


def places(*ends: str) -> Iterator[tuple[Path, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in ends:
                yield path.relative_to(ROOT), path.read_text("utf-8")


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Each name that the code gives to something, and its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno


def test_no_variable_is_named_by_a_pronoun() -> None:
    """Nothing is called `one`, `found` or `own`: the second mention of a thing is its noun."""
    named = [
        f"{path}:{line}: {name}"
        for path, text in places(".py")
        for name, line in bound_names(ast.parse(text))
        if name in PRONOUNS
    ]
    assert not named


def test_no_comment_only_points_elsewhere() -> None:
    """No comment or docstring says "as X has it", "of before" or "raises as": it says what, which, or which errors."""
    pointing = [
        f"{path}:{number}: {found[0]}"
        for path, text in places(".py", ".lua", ".js", ".md")
        for number, line in enumerate(text.splitlines(), 1)
        if (found := POINTERS.search(line))
    ]
    assert not pointing

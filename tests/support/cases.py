"""Tables of cases and other texts that a test has in a file of its own, beside it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def cases(module: str, name: str) -> Any:
    """The value of that name in the TOML file beside a test module, given by its `__file__`."""
    return _read(Path(module).with_suffix(".toml"))[name]


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))

"""Tables of cases and other texts that a test has in a file of its own, beside it."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

_REPEATED: Final = re.compile(r"«([^«»]*)\*(\d+)»")


def cases(module: str, name: str) -> Any:
    """The value of that name in the TOML file beside a test module, given by its `__file__`.

    `«text*5»` in it stands for five times the text.
    """
    return _expand(_read(Path(module).with_suffix(".toml"))[name])


def _expand(value: Any) -> Any:
    """With all that texts repeat, from the innermost on."""
    if isinstance(value, dict):
        return {name: _expand(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_expand(inner) for inner in value]
    while isinstance(value, str) and _REPEATED.search(value):
        value = _REPEATED.sub(lambda found: found[1] * int(found[2]), value)
    return value


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))

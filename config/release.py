"""Which release this is: its version, and the commit that it was built from."""

import subprocess
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent
_DESCRIBE: Final = ("git", "-c", "safe.directory=*", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
"""`safe.directory`: the checkout may be root's, and the service another user's."""


@cache
def commit() -> str:
    """Of a wheel that which its build has noted, else that of the checkout; "unknown" without either."""
    note, origin = _FOLDER / "origin.txt", ""
    with suppress(OSError):  # git isn't installed
        if note.exists():
            origin = note.read_text("utf-8").split("\n")[0]
        elif (_FOLDER.parent / ".git").exists():
            origin = subprocess.run(_DESCRIBE, cwd=_FOLDER, capture_output=True, text=True, check=False).stdout.strip()
    return origin or "unknown"


def release() -> str:
    return f"{version('reibach')} (commit {commit()})"

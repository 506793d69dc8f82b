"""Every problem code of the contract, with its status, title and page: `codes.toml` is the one table of errors."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from domain.refusals import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What each problem of one code has in common. Text between backticks is code."""

    status: int = 409
    title: str
    meaning: str
    """For the code's page: what has happened."""
    remedy: str
    """For the code's page: what to do."""


_TABLE: Final = tomllib.loads((files("service.api.problems") / "codes.toml").read_text("utf-8"))
CODES: Final[dict[str, Code]] = {name: Code(**members) for name, members in _TABLE.items()}
"""In the order of the contract."""

assert CODES.keys() >= set(Reason), "every reason of the domain needs an entry in CODES"

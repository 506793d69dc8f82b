"""Standard output as the commands write to it."""

import sys
from typing import NoReturn

from rich.console import Console


class Terminal(Console):
    """Standard output; a reader that has closed the pipe has seen enough, and that is no error."""

    def __init__(self) -> None:
        """Colour and cursor only where the output is a terminal; what is printed is never read as markup."""
        super().__init__(force_terminal=sys.stdout.isatty(), highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        """End quietly."""
        raise SystemExit(0)


def plural(count: int, noun: str) -> str:
    """The count with its noun: `1 game`, `2 games`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

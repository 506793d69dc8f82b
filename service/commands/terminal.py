"""Standard output of the commands that draw tables or progress bars."""

import sys
from typing import NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn


class Terminal(Console):
    """Standard output; a closed pipe (`reibach … | head`) ends the command without an error."""

    def __init__(self) -> None:
        """Colour and cursor control only on a terminal; printed text is never read as markup."""
        super().__init__(force_terminal=sys.stdout.isatty(), highlight=False, markup=False, emoji=False)

    def progress(self, title: str) -> Progress:
        """A progress bar; nothing where the output is no terminal."""
        columns = (title, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        return Progress(*columns, console=self, transient=True, disable=not self.is_terminal)

    def on_broken_pipe(self) -> NoReturn:
        """Exit with 0."""
        raise SystemExit(0)


def plural(count: int, noun: str) -> str:
    """The count with its noun: `1 game`, `2 games`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

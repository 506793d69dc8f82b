"""Standard output of the commands that draw tables, and progress on standard error."""

import sys
from collections.abc import Iterable, Iterator
from typing import NoReturn, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

Item = TypeVar("Item")


class Terminal(Console):
    """Standard output; a closed pipe (`reibach … | head`) ends the command without an error."""

    def __init__(self) -> None:
        """Colour and cursor control only on a terminal; printed text is never read as markup."""
        super().__init__(force_terminal=sys.stdout.isatty(), highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        raise SystemExit(0)


def track(results: Iterable[Item], title: str, total: int) -> Iterator[Item]:
    """The results one by one, with a progress bar on standard error, if that is a terminal.

    `title`: a verb with a capital letter, `Replaying`.
    """
    columns = (title, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    # Lines on the same terminal are drawn above the bar. What goes to a file or a pipe must not come this way.
    above, silent = sys.stdout.isatty(), not sys.stderr.isatty()
    with Progress(*columns, console=console, transient=True, redirect_stdout=above, disable=silent) as bar:
        yield from bar.track(results, total)


def plural(count: int, noun: str) -> str:
    """The count with its noun: `1 game`, `2 games`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

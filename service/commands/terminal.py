"""Standard output of the commands that draw tables or progress bars, and progress on standard error."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

_REPORT_S: Final = 30.0
"""Seconds between two lines about the progress, where there is no terminal."""

Item = TypeVar("Item")


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
        raise SystemExit(0)


def track(results: Iterable[Item], title: str, total: int) -> Iterator[Item]:
    """The results one by one, with the progress on standard error.

    A bar on a terminal, else a line every half minute. `title`: a verb with a capital letter, `Replaying`.
    """
    with _progress(title, total) as advance:
        for result in results:
            advance()
            yield result


@contextmanager
def _progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    if sys.stderr.isatty():
        columns = (title, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        # Lines on the same terminal are drawn above the bar. What goes to a file or a pipe must not come this way.
        with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
            task = bar.add_task(title, total=total)
            yield lambda: bar.advance(task)
        return
    done, last = 0, time.monotonic()

    def count() -> None:
        nonlocal done, last
        done += 1
        if time.monotonic() - last >= _REPORT_S:
            last = time.monotonic()
            click.echo(f"reibach: {title.lower()}, {done} of {total}", err=True)

    yield count


def plural(count: int, noun: str) -> str:
    """The count with its noun: `1 game`, `2 games`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

"""What commands print: columns on standard output, progress on standard error."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import click

Item = TypeVar("Item")


def print_columns(rows: Sequence[Sequence[str]], left: int) -> None:
    """Print rows of as many cells each, the first `left` columns aligned left and the others right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            text.ljust(width) if column < left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def track(results: Iterable[Item], title: str, total: int) -> Iterator[Item]:
    """The results one by one, counted on standard error, if that is a terminal."""
    bar = click.progressbar(results, total, title, show_pos=True, file=sys.stderr, hidden=not sys.stderr.isatty())
    with bar:
        yield from bar


def plural(count: int, noun: str) -> str:
    """The count with its noun: `1 game`, `2 games`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

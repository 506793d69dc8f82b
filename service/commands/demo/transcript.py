"""The transcript of the demonstration: what each player got and did, line by line."""

import textwrap
from collections.abc import Iterable
from time import monotonic
from typing import Final

import click

from service.commands.source import printable

_WIDTH: Final = 100
_MARGIN: Final = " " * 17


class Transcript:
    """Prints to standard output, each line with its time since the beginning."""

    def __init__(self) -> None:
        self._began = monotonic()

    def heading(self, text: str) -> None:
        click.echo(f"\n== {text}")

    def say(self, who: str, text: str) -> None:
        lines = textwrap.wrap(_plain(text), _WIDTH - len(_MARGIN)) or [""]
        click.echo(f"{monotonic() - self._began:6.1f} s {who:>7}  {lines[0]}")
        self.quote(lines[1:])

    def show(self, lines: Iterable[str]) -> None:
        """A mail as it looks."""
        click.echo("")
        self.quote(f"| {line}" for line in lines)
        click.echo("")

    def quote(self, lines: Iterable[str]) -> None:
        for line in lines:
            click.echo(f"{_MARGIN} {_plain(line)[:_WIDTH]}".rstrip())


def _plain(text: str) -> str:
    return printable(text.replace("\u00a0", " "))

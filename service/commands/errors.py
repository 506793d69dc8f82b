"""How a command fails: with one line on standard error."""

import sys
from typing import Any

import click


class CommandFailed(click.ClickException):
    """The command failed; the message is one line. Exit code 1."""

    def show(self, file: Any = None) -> None:
        click.echo(f"reibach: {self.format_message()}", file=file or sys.stderr)


class BadUsage(CommandFailed):
    """Wrong use, or a file that can't be read; exit code 2."""

    exit_code = 2


def file_missing(message: str) -> CommandFailed:
    """The error that a file which a setting names can't be read: one may come late when its machine starts.

    So a part of the service ends with 1, and its unit starts it again, as it doesn't after wrong use.
    """
    context = click.get_current_context(silent=True)
    is_part = context is not None and context.info_name in {"serve", "web", "worker", "post"}
    return CommandFailed(message) if is_part else BadUsage(message)


def print_error(line: str) -> None:
    """Print an error line as a failing command does, and return, so that the caller can continue with the next item."""
    click.echo(f"reibach: {line}", err=True)

"""The list of what was forgotten, outside the store: one that is set back, or restored, has the words again.

A line is `<game> <seat> <ms since 1970>`, and no word of anybody. The header of the game has the same time.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import click

from config.settings import Settings
from service.commands.errors import CommandFailed, print_error
from service.commands.store.export import replace_file
from service.commands.store.opening import open_store
from service.gamelog.store.streams import Store

_MOST: Final = 10_000
"""Lines: the newest stay."""


def _path_of(settings: Settings) -> Path:
    return Path(f"{settings.keys_file}.forgotten") if settings.keys_file else settings.data / "forgotten"


def _read(path: Path) -> dict[tuple[str, int], int]:
    """By game and seat when they were forgotten. Raises OSError, and ValueError where the file isn't of this form."""
    lines = (line.split() for line in path.read_text("ascii").splitlines()) if path.exists() else ()
    return {(game, int(seat)): int(at) for game, seat, at in lines}


def note_forgotten(settings: Settings, game: str, seat: int, at: int) -> None:
    """Keep that a seat is about to be forgotten; where that fails a line says so, and it is forgotten all the same."""
    path = _path_of(settings)
    try:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            kept = _read(path)
            kept.pop((game, seat), None)
            newest = [*kept.items(), ((game, seat), at)][-_MOST:]
            lines = "".join(f"{name} {number} {when}\n" for (name, number), when in newest)
            replace_file(path, lines.encode("ascii"), 0o600)
            os.fsync(folder)
        finally:
            os.close(folder)
    except (OSError, ValueError) as error:
        click.echo(f"`restore` and `serve` won't name this game: {path} can't be written ({type(error).__name__}).")


def find_owed(settings: Settings, store: Store) -> list[str]:
    """The commands that must run again: the store doesn't know that a seat was forgotten. Raises StoreUnavailable."""
    try:
        kept = _read(_path_of(settings))
    except (OSError, ValueError) as error:
        print_error(f"{_path_of(settings)} can't be read ({type(error).__name__}): it names forgotten seats")
        return []
    reads = [("HMGET", store.keys(game).head, "version", f"forgotten:{seat}") for game, seat in kept]
    return [
        f"reibach forget {game} {seat}"
        for ((game, seat), at), (version, known) in zip(kept.items(), store.call_each(*reads), strict=True)
        if version and int(known or 0) < at
    ]


def tell_owed(settings: Settings) -> None:
    """Name these commands on standard error, of a store that may be served."""
    if _path_of(settings).exists():
        with suppress(CommandFailed), open_store(settings) as (store, _):  # the store says itself why it can't be read
            for command in find_owed(settings, store):
                print_error(f"the store was set back, or a command was interrupted: run `{command}`")

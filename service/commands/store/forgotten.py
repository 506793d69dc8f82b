"""The list of what was forgotten, outside the store: one that is set back, or restored, has the words again.

A line is `<game> <seat> <ms since 1970>`, and no word of anybody. The header of the game has the same time.
"""

import fcntl
import os
import secrets
from pathlib import Path
from typing import Final

import click

from config.settings import Settings
from service.commands.store.opening import open_store
from service.gamelog.store.form.places import open_private
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
            draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            with open(draft, "x", encoding="ascii", opener=open_private) as file:  # Path.open has no opener
                file.writelines(f"{name} {number} {when}\n" for (name, number), when in newest)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
            os.fsync(folder)
        finally:
            os.close(folder)
    except (OSError, ValueError) as error:
        click.echo(f"`restore` and `serve` won't name this game: {path} can't be written ({type(error).__name__}).")


def find_owed(settings: Settings, store: Store) -> list[str]:
    """The commands that must run again: by the list a person was forgotten whom the store knows, or may know.

    Raises StoreUnavailable.
    """
    try:
        kept = _read(_path_of(settings))
    except (OSError, ValueError) as error:
        return [f"(the list can't be read: {type(error).__name__})"]
    heads = [(game, seat, at, store.keys(game).head) for (game, seat), at in kept.items()]
    found = store.call_each(*(("HMGET", head, "version", f"forgotten:{seat}") for _, seat, _, head in heads))
    return [
        f"reibach forget {game} {seat}"
        for (game, seat, at, _), (version, known) in zip(heads, found, strict=True)
        if version and int(known or 0) < at
    ]


def tell_owed(settings: Settings) -> None:
    """Name these commands on standard error. Raises BadUsage and CommandFailed."""
    if _path_of(settings).exists():
        with open_store(settings) as (store, _):
            for command in find_owed(settings, store):
                click.echo(f"reibach: the store was set back, or a command was interrupted: run `{command}`", err=True)

"""`reibach export`: games out of a store, as the files that prove them and that `reibach import` takes."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import click

from config.settings import Settings
from service.commands.errors import CommandFailed, print_error
from service.commands.source import printable
from service.commands.store import open_store
from service.gamelog.integrity import check_integrity
from service.gamelog.store.streams import Store
from service.gamelog.transfer import is_game_id, is_over, lines_of


class _Left(Exception):
    """A game that isn't exported; the message says why, without the game's name."""


class _StillRunning(_Left):
    """It would tell hidden cards."""


def export_games(settings: Settings, games: Sequence[str] | None, to: Path | None, *, running: bool) -> bool:
    """Write the games (None: all) as NDJSON into the folder `to`, or to standard output; False where one isn't written.

    Of all games those that are still running are passed over, unless `running`. Raises BadUsage and CommandFailed.
    """
    whole = True
    passed_over = 0
    with open_store(settings) as (store, _):
        if to is not None:
            _make(to)
        for game in store.ids() if games is None else dict.fromkeys(games):
            try:
                _export(store, game, to, running=running)
            except _Left as left:
                if games is None and isinstance(left, _StillRunning):
                    passed_over += 1
                else:
                    whole = False
                    print_error(f"{printable(game)}: {left}")
    if passed_over:
        print_error(f"running games passed over: {passed_over} (--running exports them, with all that is hidden)")
    return whole


def _export(store: Store, game: str, to: Path | None, *, running: bool) -> None:
    """Write one game. Raises _Left."""
    if not is_game_id(game):
        raise _Left("no such game")
    found = check_integrity(store, game)
    if found.offence:
        raise _Left(f"its log is damaged at version {found.offence.version}")
    if not found.events:
        raise _Left("no such game")
    over = is_over(found.events)
    if not (over or running):
        raise _StillRunning("the game is running; its export holds hidden cards, and needs --running")
    text = lines_of(found.events)
    if to is None:
        click.echo(text, nl=False)
        return
    _write(to / (f"{game}.ndjson" if over else f"{game}.running.ndjson"), text, 0o666 if over else 0o600)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailed(f"can't write to {printable(folder)}: {error.strerror}") from None


def _write(path: Path, text: bytes, mode: int) -> None:
    """Write aside and rename into place, so that nobody ever reads half a file."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise CommandFailed(f"can't write {printable(path)}: {error.strerror}") from None

"""`reibach export`: games from a store, as files that can be audited and imported."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from config.settings import Settings
from service.commands.errors import CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import plural, track
from service.gamelog.copies.transfer import is_game_id, is_over, lines_of
from service.gamelog.integrity import check_integrity
from service.gamelog.store.streams import Store

_RUNNING: Final = "the game is running and its log holds hidden cards: use --running to export it"


def export_games(settings: Settings, games: Sequence[str] | None, to: Path | None, *, running: bool) -> bool:
    """Write the games (None: all) as NDJSON into the folder `to`, or to standard output.

    With `games` None, running games are left out, unless `running`. Standard error gets a line for each game that can't
    be exported; where there is none, one with how many games were written to `to`, and left out. Returns whether all
    were exported that could be. Raises BadUsage and CommandFailed.
    """
    exported = left_out = 0
    complete = True
    with open_store(settings) as (store, _):
        if to is not None:
            _create_folder(to)
        chosen = store.ids() if games is None else list(dict.fromkeys(games))
        for game in chosen if to is None else track(chosen, "Exporting", len(chosen)):
            reason = _export(store, game, to, running=running)
            if not reason:
                exported += 1
            elif games is None and reason == _RUNNING:
                left_out += 1
            else:
                complete = False
                print_error(f"{printable(game)}: {reason}")
    said = [] if to is None or not complete else [f"wrote {plural(exported, 'game')} to {printable(to)}"]
    if left_out:
        verb = "is" if left_out == 1 else "are"
        said.append(
            f"{plural(left_out, 'game')} {verb} still running and left out: "
            f"--running exports running games, hidden cards included"
        )
    if said:
        print_error("; ".join(said))
    return complete


def _export(store: Store, game: str, to: Path | None, *, running: bool) -> str:
    """Write one game; why it isn't exported, or empty. Raises CommandFailed for errors of the disk."""
    if not is_game_id(game):
        return "no such game"
    report = check_integrity(store, game)
    if report.offence:
        return f"its log is damaged at version {report.offence.version}"
    if not report.events:
        return "no such game"
    over = is_over(report.events)
    if not (over or running):
        return _RUNNING
    text = lines_of(report.events)
    if to is None:
        click.echo(text, nl=False)
        return ""
    path = to / (f"{game}.ndjson" if over else f"{game}.running.ndjson")
    try:
        replace_file(path, text, 0o666 if over else 0o600)
    except OSError as error:
        raise CommandFailed(f"can't write {printable(path)}: {error.strerror}") from None
    return ""


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is not a folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
        raise CommandFailed(f"can't write to {printable(folder)}: {reason}") from None


def replace_file(path: Path, text: bytes, mode: int) -> None:
    """Write to a temporary file and rename it, so that no reader sees half a file. Raises OSError."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

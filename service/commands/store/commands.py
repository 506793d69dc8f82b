"""The commands of `reibach` on a store, whether or not it is being served.

Only their declarations: the work is imported when a command is called, so that `--help` starts quickly.
"""

from pathlib import Path
from typing import Any

import click

from service.commands.options import DATA, read_settings

group = click.Group()


@group.command("export", short_help="Write games from a store to files.")
@click.argument("games", metavar="[ID …]", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every game of the store.")
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", help="Folder for a file of each game.")
@click.option("--running", is_flag=True, help="Also running games, hidden cards included.")
@DATA
def export_command(games: tuple[str, ...], to: Path | None, data: Path | None, *, every: bool, running: bool) -> None:
    """Write games as NDJSON, to be audited or imported elsewhere.

    With --to each game goes to <id>.ndjson, a running one to <id>.running.ndjson, which only you may read (mode 0600);
    otherwise all go to standard output.
    """
    from service.commands.store.export import export_games

    if every == bool(games):
        raise click.UsageError("Name the games to export, or use --all.")
    whole = export_games(read_settings(data=data), None if every else games, to, running=running)
    raise SystemExit(0 if whole else 1)


@group.command("import", short_help="Import exported games into a store.")
@click.argument("files", metavar="FILE|DIR …", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--running", is_flag=True, help="Also running games; prints new seat tokens to standard error.")
@DATA
def import_command(files: tuple[Path, ...], data: Path | None, *, running: bool) -> None:
    """Import exported games into the store, each file by itself, byte for byte, if its audit finds no fault.

    A folder means its files *.ndjson, which `export --to` writes. A running game continues here: stop the service
    that it comes from first. A file that is in the store already changes nothing: after an interruption the same
    command continues. Parents are imported before their forks.
    """
    from service.commands.store.imports import import_games

    raise SystemExit(import_games(read_settings(data=data), files, running=running))


@group.command("doctor", short_help="Check a store's games before an upgrade.")
@click.option("--all", "every", is_flag=True, help="Also finished games.")
@click.option("--relist", is_flag=True, help="First put games back that are missing from the lists of waiting games.")
@DATA
def doctor_command(data: Path | None, *, every: bool, relist: bool) -> None:
    """Replay every running game of a store with this release, and list those that would differ.

    Run it with a new release before serving the store with it.
    """
    from service.commands.store.doctor import check_games

    check_games(read_settings(data=data), every=every, relist=relist)


@group.command("rotate-tokens", short_help="Revoke a game's seat tokens and print new links.")
@click.argument("game", metavar="ID")
@click.argument("seat", type=click.IntRange(0, 4), required=False)
@DATA
def rotate_tokens_command(game: str, seat: int | None, data: Path | None) -> None:
    """Revoke the token of a seat, or of every seat that a person has taken, and print the new links. It doesn't ask.

    From then on requests with an old token are refused. Send the players their new links.
    """
    from service.commands.store.upkeep import rotate_tokens

    rotate_tokens(read_settings(data=data), game, seat)


@group.command("games", short_help="List the games of a store.")
@click.option("--player", default="", metavar="NAME", help="Those with a player of this name, or part of it.")
@click.option("--address", default="", metavar="MAIL", help="Those with a player who has named this mail address.")
@click.option("--status", type=click.Choice(["open", "playing", "scoring", "over"]), help="Those with this status.")
@click.option("--idle", type=click.FloatRange(0), metavar="DAYS", help="Those in which nothing has happened so long.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
@DATA
def games_command(data: Path | None, *, as_json: bool, **wanted: Any) -> None:
    """List all games of a store: id, status, seats with their players, for whom each waits, trouble with notifications.

    Unlisted games are among them: who has a game's id can watch it.
    """
    from service.commands.store.erasure import list_games

    list_games(read_settings(data=data), as_json=as_json, **wanted)


@group.command("delete", short_help="Delete games with all that belongs to them.")
@click.argument("games", metavar="ID …", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Don't ask.")
@DATA
def delete_command(games: tuple[str, ...], data: Path | None, *, yes: bool) -> None:
    """Delete games: log, archive, players' addresses, devices and orders.

    A fork is a game of its own, and stays.
    """
    from service.commands.store.erasure import delete_games

    delete_games(read_settings(data=data), games, yes=yes)


@group.command("forget", short_help="Erase what a person has written in a game.")
@click.argument("game", metavar="ID")
@click.argument("seat", type=click.IntRange(0, 4))
@click.option("--yes", is_flag=True, help="Don't ask, unless the game's proof would end.")
@click.option("--end-proof", is_flag=True, help="Don't ask, even if its proof ends: the game is from before 0.2.0.")
@DATA
def forget_command(game: str, seat: int, data: Path | None, *, yes: bool, end_proof: bool) -> None:
    """Erase the name and messages of a seat's people from a game and from its copies in forks.

    Their addresses, devices and orders are deleted, and the seat's token is revoked. The game stays, and its log and
    receipts still prove all but the words. A command that was interrupted continues when it is run again.
    """
    from service.commands.store.erasure import forget_seat

    forget_seat(read_settings(data=data), game, seat, yes=yes, end_proof=end_proof)


@group.command("resend", short_help="Send what waits, or couldn't be delivered.")
@click.option("--game", metavar="ID", help="Those of one game only.")
@DATA
def resend_command(game: str | None, data: Path | None) -> None:
    """Send again the notifications that couldn't be delivered for three days, and at once those that wait for a retry.

    The post process sends them, and drops a notice of a turn that is over. Without --game a restored copy sends, too.
    """
    from service.commands.store.upkeep import resend

    resend(read_settings(data=data), game)


@group.command("archive", short_help="Compress finished games now.")
@click.option("--now", is_flag=True, help="Finished games of any age, also those that have just ended.")
@DATA
def archive_command(data: Path | None, *, now: bool) -> None:
    """Compress finished games whose last event is REIBACH_ARCHIVE_AFTER seconds old, or older.

    Workers do the same by themselves. The command is for games that ended while the archive was off, and moves
    archives to the place that REIBACH_ARCHIVE names now. With --now it waits for no game to be that old. After an
    interruption the same command continues.
    """
    from service.commands.store.upkeep import archive_games

    archive_games(read_settings(data=data), now=now)


@group.command("backup", short_help="Copy a whole store, also while it is served.")
@click.argument("to", metavar="TO", type=click.Path(path_type=Path))
@click.option("--damaged", is_flag=True, help="Also where games are damaged in the store itself.")
@click.option(
    "--keep", type=click.IntRange(1), metavar="N", help="Then delete older backups beside TO until N are left."
)
@DATA
def backup_command(to: Path, keep: int | None, data: Path | None, *, damaged: bool) -> None:
    """Copy a whole store into the new folder TO, also while it is served, and check the copy.

    Games, archives in files and the service's secrets are in it; only you may read it. Each game is in it as it was at
    one moment after the command began. TO exists when every log has been read back, and not before.
    """
    from service.commands.backup.backup import make_backup

    make_backup(read_settings(data=data), to, damaged=damaged, keep=keep)


@group.command("restore", short_help="Make a store from a backup.")
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Also where there is a store already; its files are kept, its keys not.")
@DATA
def restore_command(source: Path, data: Path | None, *, replace: bool) -> None:
    """Make a store as it was from the backup in the folder FROM. Stop the service first.

    The store is the embedded one's folder, or that of REIBACH_REDIS_URL: Redis 6.2 or newer, or Valkey. It must be
    empty.
    """
    from service.commands.backup.restore import restore_backup

    restore_backup(read_settings(data=data), source, replace=replace)

"""The commands on a store, served or not: `reibach export`, `import`, `doctor` and `archive`."""

from pathlib import Path

import click

from service.commands.options import DATA, read_settings


@click.command("export")
@click.argument("games", metavar="[ID …]", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All games of the store.")
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", help="Folder for a file of each game.")
@click.option("--running", is_flag=True, help="Running games, too, with all that is hidden.")
@DATA
def export_command(games: tuple[str, ...], to: Path | None, data: Path | None, *, every: bool, running: bool) -> None:
    """Write games as files that prove them and can be imported.

    With --to each into <id>.ndjson (a running one into <id>.running.ndjson, which only its owner may read), otherwise
    all to standard output.
    """
    from service.commands.export_games import export_games

    if every == bool(games):
        raise click.UsageError("Name the games to export, or say --all.")
    whole = export_games(read_settings(data=data), None if every else games, to, running=running)
    raise SystemExit(0 if whole else 1)


@click.command("import")
@click.argument("files", metavar="FILE …", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--running", is_flag=True, help="Running games, too; prints new seat tokens to standard error.")
@DATA
def import_command(files: tuple[Path, ...], data: Path | None, *, running: bool) -> None:
    """Take exported games in, each file by itself, byte for byte, once the audit has found nothing amiss.

    A running game goes on here: it must have been stopped where it comes from.
    """
    from service.commands.import_games import import_games

    raise SystemExit(import_games(read_settings(data=data), files, running=running))


@click.command("doctor")
@click.option("--all", "every", is_flag=True, help="Finished games, too.")
@DATA
def doctor_command(data: Path | None, *, every: bool) -> None:
    """Play every running game of a store again, before an upgrade, and name those that would differ."""
    from service.commands.doctor import examine

    examine(read_settings(data=data), every=every)


@click.command("archive")
@click.option("--now", is_flag=True, help="Also games that ended, or were written to, a short while ago.")
@DATA
def archive_command(data: Path | None, *, now: bool) -> None:
    """Make finished games small, as workers do once a game has been quiet for REIBACH_ARCHIVE_AFTER seconds.

    For games that ended while the archive was off, and to move archives to where REIBACH_ARCHIVE says now.
    """
    from service.commands.archive_games import archive_games

    archive_games(read_settings(data=data), now=now)

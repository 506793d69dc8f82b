"""The declarations of `reibach backup` and `reibach restore`; the work is imported when one is called."""

from pathlib import Path

import click

from service.commands.options import DATA, read_settings


@click.command("backup", short_help="Copy a whole store, also while it is served.")
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


@click.command("restore", short_help="Make a store from a backup.")
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

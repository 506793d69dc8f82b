"""Archives in files: into a backup, and from it to where a service keeps them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from service.commands.backup.folder import write_private
from service.commands.errors import CommandFailed
from service.commands.terminal import track
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.places import ArchiveFilesUnavailable, open_archive_files
from service.gamelog.store.streams import Store

_TITLE: Final = "Copying archives"


def collect_archives(copied: Store, place: str, folder: Path) -> None:
    """Copy the archives at `place` that the games of a copied store name: such files are never changed or deleted.

    One that is missing is left out: the check of its game says so. Raises CommandFailed.
    """
    files, names = open_archive_files(place), list(_names(copied))
    for name in track(names, _TITLE, len(names)):
        try:
            write_private(folder / name, files.read(name))
        except CorruptLog:
            continue
        except ArchiveFilesUnavailable as error:
            raise CommandFailed(str(error)) from None


def put_back_archives(folder: Path, place: str) -> None:
    """Write all archives of a backup to the place. Raises CommandFailed."""
    files, names = open_archive_files(place), sorted(path.name for path in folder.iterdir())
    for name in track(names, _TITLE, len(names)):
        try:
            files.write(name, (folder / name).read_bytes())
        except ArchiveFilesUnavailable as error:
            raise CommandFailed(str(error)) from None


def _names(store: Store) -> Iterable[str]:
    """The files that headers name."""
    for game in store.ids():
        try:
            place = store.place(game)
        except CorruptLog:
            continue  # the check of the game says so
        if place and place.kind == "files":
            yield place.file(game)

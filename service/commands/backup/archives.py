"""Archives in files: into a backup, and from it to where a service keeps them."""

from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path

from service.commands.backup.folder import write_private
from service.commands.errors import CommandFailed
from service.commands.store.opening import StoreAddress
from service.commands.store.parallel import for_each
from service.commands.terminal import track
from service.gamelog.archive.places import ArchiveFiles, ArchiveFilesUnavailable, open_archive_files
from service.gamelog.errors import CorruptLog
from service.gamelog.store.streams import Store


def collect_archives(copied: Store, address: StoreAddress, folder: Path, jobs: int | None) -> None:
    """Copy the archives that the games of a copied store name: such files are never changed or deleted.

    One that is missing is left out: the check of its game says so. Raises CommandFailed.
    """
    work = partial(_collect, place=address.archive_place, folder=folder)
    _do_all(address, work, list(_names(copied)), jobs)


def put_back_archives(folder: Path, address: StoreAddress, jobs: int | None) -> None:
    """Write all archives of a backup to the place of the address. Raises CommandFailed."""
    work = partial(_put_back, place=address.archive_place, folder=folder)
    _do_all(address, work, sorted(path.name for path in folder.iterdir()), jobs)


def _do_all(address: StoreAddress, work: "partial[None]", names: list[str], jobs: int | None) -> None:
    for _ in track(for_each(address, work, names, jobs), "Copying archives", len(names)):
        pass


def _names(store: Store) -> Iterable[str]:
    """The files that headers name."""
    for game in store.ids():
        try:
            place = store.place(game)
        except CorruptLog:
            continue  # the check of the game says so
        if place and place.kind == "files":
            yield place.file(game)


def _collect(_store: Store, name: str, *, place: str, folder: Path) -> None:
    try:
        content = _files(place).read(name)
    except CorruptLog:
        return
    except ArchiveFilesUnavailable as error:
        raise CommandFailed(str(error)) from None
    write_private(folder / name, content)


def _put_back(_store: Store, name: str, *, place: str, folder: Path) -> None:
    try:
        _files(place).write(name, (folder / name).read_bytes())
    except ArchiveFilesUnavailable as error:
        raise CommandFailed(str(error)) from None


@cache
def _files(place: str) -> ArchiveFiles:
    return open_archive_files(place)

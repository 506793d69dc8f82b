"""The folder of a backup: what is in it, and how it is written and read.

    manifest.json     release, store, times, counts; of each other file its bytes and SHA-256
    node-00.rdb …     the store at one moment, a file for each server
    deployment.json   the secrets: tokens, receipts
    games             id, version and hash of each game, a line of JSON each
    archive/          the archives in files that these games name

Rule: a folder that has its name is whole and was checked. It is written aside, synced to disk, and then renamed.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final, Self

import click

from service.commands.errors import BadUsage, CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.heads import Head
from service.gamelog.store.form.places import open_private
from service.signing.deployment import BadDeployment, Deployment

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DEPLOYMENT: Final = "deployment.json"
GAMES: Final = "games"
ARCHIVE: Final = "archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    format: int
    release: str
    """Of the program that has made it."""
    server: str
    """The store's program and version."""
    begun: str
    """Every event that was acknowledged before this time is in it; by the store's clock."""
    finished: str
    """Of the copy of the store: no later event is in it."""
    database: int
    shards: int
    games: int
    events: int
    damaged: list[str]
    """Games whose log was damaged in the store itself."""
    files: dict[str, dict[str, Any]]
    """By path in the folder: `bytes`, `sha256`."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The manifest of a backup. Raises BadUsage."""
        try:
            values = json.loads((folder / MANIFEST).read_bytes())
            if values["format"] != FORMAT:
                raise BadUsage(f"{printable(folder)} is a backup of format {values['format']}, of another release")
            return cls(**values)
        except (OSError, ValueError, LookupError, TypeError):
            raise BadUsage(f"{printable(folder)} isn't a backup: it has no readable {MANIFEST}") from None

    def write(self, folder: Path) -> None:
        write_private(folder / MANIFEST, json.dumps(asdict(self), indent=1).encode())

    def check_files(self, folder: Path) -> None:
        """Raise CommandFailed where a file isn't as it was when the backup was checked."""
        for name, expected in self.files.items():
            try:
                found = describe(folder / name)
            except OSError:
                found = {}
            if found != expected:
                raise CommandFailed(f"the backup is damaged: {printable(folder / name)} is missing or has changed")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder in which to write; it gets the name `path` at the end of the block, or is deleted if that fails.

    Raises BadUsage where there is something at the path already, and CommandFailed for errors of the disk.
    """
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise BadUsage(f"{printable(path)} is there already: name a new folder")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.mkdir(mode=0o700)
            yield draft
            for folder in (*(found for found in draft.iterdir() if found.is_dir()), draft):
                sync_folder(folder)
            draft.rename(path)
            sync_folder(path.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise CommandFailed(f"can't write the backup to {printable(path)}: {error.strerror}") from None


def prune(newest: Path, identity: str, keep: int) -> None:
    """Delete older backups of the same deployment beside the newest one, until `keep` that hold are left.

    A copy that is damaged neither counts nor goes: a line names it. Raises CommandFailed.
    """
    newest = newest.absolute()
    found = []
    for folder in newest.parent.iterdir():
        if folder.is_symlink() or folder.name.startswith("."):  # another name of one; one that is being made
            continue
        with suppress(BadUsage, BadDeployment, OSError):
            manifest = Manifest.read(folder)
            if Deployment.from_json((folder / DEPLOYMENT).read_bytes()).identity == identity:
                found.append((folder == newest, manifest.finished, folder, manifest))
    kept = 0
    for *_, folder, manifest in sorted(found, reverse=True, key=lambda each: each[:2]):
        try:
            manifest.check_files(folder)
            kept += 1
            if kept > keep:
                (folder / MANIFEST).unlink()  # first: what is left of an interrupted deletion isn't a backup
                shutil.rmtree(folder)
                click.echo(f"Deleted the older backup {printable(folder)}.")
        except CommandFailed as error:
            print_error(str(error))
        except OSError as error:
            raise CommandFailed(f"can't delete the older backup {printable(folder)}: {error.strerror}") from None


def write_private(path: Path, content: bytes) -> None:
    """Write a file that its owner alone may read, and sync it to disk. Raises OSError."""
    with open(path, "xb", opener=open_private) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Sync the names in a folder to disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def describe(path: Path) -> dict[str, Any]:
    """Size and SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": file_digest(file, "sha256").hexdigest()}


def write_heads(path: Path, heads: Iterable[Head]) -> None:
    write_private(path, "".join(f"{json.dumps(head)}\n" for head in heads).encode())


def read_heads_of(path: Path) -> list[Head]:
    with path.open("rb") as lines:
        return [Head(*json.loads(line)) for line in lines]

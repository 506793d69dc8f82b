"""The folder of a backup: what is in it, and how it is written, checked and deleted.

    manifest.json     `format`, `release` and `server` that made it; `begun`: every event that was acknowledged before
                      this time is in it, `finished`: no later one, both by the store's clock; `database`, `shards`;
                      `games`, `events`: how many; `damaged`: games whose log was damaged in the store itself;
                      `files`: of each other file by its path `bytes` and `sha256`
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from service.commands.errors import BadUsage, CommandFailed, print_error
from service.commands.source import printable
from service.signing.deployment import BadDeployment, Deployment

FORMAT: Final = 1
MANIFEST, DEPLOYMENT, GAMES, ARCHIVE = "manifest.json", "deployment.json", "games", "archive"
Manifest: TypeAlias = dict[str, Any]


def read_manifest(folder: Path) -> Manifest:
    """Raises BadUsage."""
    try:
        manifest: Manifest = json.loads((folder / MANIFEST).read_bytes())
        if manifest["format"] != FORMAT:
            raise BadUsage(f"{printable(folder)} is a backup of format {manifest['format']}, of another release")
    except (OSError, ValueError, LookupError, TypeError):
        raise BadUsage(f"{printable(folder)} isn't a backup: it has no readable {MANIFEST}") from None
    return manifest


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise CommandFailed where a file isn't as it was when the backup was checked."""
    for name, expected in manifest["files"].items():
        if not (folder / name).is_file() or _describe(folder / name) != expected:
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
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir(mode=0o700)
        try:
            yield draft
            for written in (*draft.rglob("*"), draft):
                sync(written)
            draft.rename(path)
            sync(path.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise CommandFailed(f"can't write the backup to {printable(path)}: {error.strerror}") from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it, with all files that are there, which only their owner may read from now on."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    described = {str(path.relative_to(folder)): _describe(path) for path in files}
    (folder / MANIFEST).write_text(json.dumps(manifest | {"files": described}, indent=1), "utf-8")
    for path in (*files, folder / MANIFEST):
        path.chmod(0o600)


def prune(newest: Path, identity: str, keep: int) -> None:
    """Delete older backups of the same deployment beside the newest one, until `keep` that hold are left.

    A damaged copy neither counts nor goes: a line names it. Raises CommandFailed.
    """
    newest, backups = newest.absolute(), []
    for folder in newest.parent.iterdir():
        if folder.is_symlink() or folder.name.startswith("."):  # another name of a backup; an unfinished one
            continue
        with suppress(BadUsage, BadDeployment, OSError):
            manifest = read_manifest(folder)
            if Deployment.from_json((folder / DEPLOYMENT).read_bytes()).identity == identity:
                backups.append((folder == newest, manifest["finished"], folder, manifest))
    kept = 0
    for *_, folder, manifest in sorted(backups, reverse=True, key=lambda each: each[:2]):
        try:
            check_files(folder, manifest)
            kept += 1
            if kept > keep:
                (folder / MANIFEST).unlink()  # first: what is left of an interrupted deletion isn't a backup
                shutil.rmtree(folder)
                click.echo(f"Deleted the older backup {printable(folder)}.")
        except CommandFailed as error:
            print_error(str(error))
        except OSError as error:
            raise CommandFailed(f"can't delete the older backup {printable(folder)}: {error.strerror}") from None


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _describe(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": file_digest(file, "sha256").hexdigest()}

"""`reibach restore`: a backup becomes a store again, embedded or elsewhere.

Rule: until the restore has ended well, there is nothing that a service could serve. Into a folder the store is built
aside and gets its name at last; another store gets the deployment, without which no process starts, at last.
"""

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from config.settings import Settings
from service.commands.backup.backup import Head, check_games, read_heads
from service.commands.backup.dump import LOG, commands_of, serve_dump
from service.commands.backup.folder import ARCHIVE, DEPLOYMENT, GAMES, check_files, read_manifest, sync
from service.commands.errors import CommandFailed
from service.commands.options import require_store
from service.commands.source import printable
from service.commands.store.forgotten import find_owed
from service.commands.store.opening import translated_errors
from service.commands.terminal import plural
from service.connections.clients import Client, connect
from service.gamelog.store.form.places import ArchiveFilesUnavailable, open_archive_files
from service.gamelog.store.health.heartbeat import POST, WORKER
from service.gamelog.store.streams import Store
from service.runtime.embedded import RESTORING, EmbeddedStore
from service.signing.deployment import Deployment, begin_restore, store_deployment
from service.status import HELD, note

_OURS: Final = re.compile(rb"\{s\d+\}:|\{?reibach\}?:|\{mails\}:|rq:")
"""Keys of the service; a store may hold others', which are left alone."""
_PASSING: Final = re.compile(rb"reibach:|\{reibach\}:workers$|rq:")
"""Of these, keys that live processes write again: heartbeats, assets, jobs. The deployment is written apart."""
_AT_ONCE: Final = 1000
"""Commands of one round trip."""


def restore_backup(settings: Settings, source: Path, *, replace: bool) -> None:
    """Restore the backup in the folder `source` into the store of the settings, which must be empty.

    `replace`: what is there goes; an embedded store's files are kept under another name. Raises BadUsage and
    CommandFailed; then the store can't be served, but with a folder that was replaced, which is as it was.
    """
    manifest = read_manifest(source)
    check_files(source, manifest)
    deployment = Deployment.from_json((source / DEPLOYMENT).read_bytes())
    with translated_errors(), _target(settings, replace=replace) as (url, scratch), connect(url) as client:
        for number, file in enumerate(sorted(source.glob("*.rdb"))):
            with serve_dump(file, scratch, settings.valkey_binary, manifest["database"]) as dump:
                if number == 0:  # nothing is deleted for a copy that can't be read
                    mark = begin_restore(client, settings.keys_file, deployment)
                    for key in _own_keys(client):
                        if key != mark:
                            client.unlink(key)
                _write(client, commands_of(dump, scratch))
        store = Store(client, manifest["shards"], files=open_archive_files(settings.archive_place))
        _put_back_archives(source / ARCHIVE, settings.archive_place)
        _check(store, source / GAMES, manifest["damaged"])
        note(client, HELD, 1)
        store_deployment(client, settings.keys_file, deployment)
        owed = find_owed(settings, store)
    click.echo(f"Restored {plural(manifest['games'], 'game')} with {plural(manifest['events'], 'event')}, as they were")
    click.echo(f"at {manifest['finished']}. Each log was read back. Never let people play on in both.")
    click.echo("As old are revoked tokens, which are valid again (`reibach rotate-tokens`), and addresses and orders;")
    click.echo("games that were deleted since are there again, and words that were forgotten.")
    for command in owed:
        click.echo(f"Run `{command}` again.")
    click.echo("Settings aren't in a backup. The copy sends no mail, push or webhook until you run `reibach resend`.")


@contextmanager
def _target(settings: Settings, *, replace: bool) -> Iterator[tuple[str, Path]]:
    """The URL of the store to fill, and a folder to be made for a while. Raises CommandFailed, StoreError."""
    if not settings.redis_url:
        with _new_embedded(settings, replace=replace) as url:
            yield url, settings.data / RESTORING / "source"
        return
    url = require_store(settings).redis_url
    with connect(url) as client:
        _require_free(client, replace=replace)
    folder = Path(tempfile.mkdtemp(prefix="reibach-restore-"))
    try:
        yield url, folder / "source"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _new_embedded(settings: Settings, *, replace: bool) -> Iterator[str]:
    """The URL of a store that is in the data folder when the block has ended well. Raises CommandFailed, StoreError."""
    data = settings.data.absolute()
    folder = EmbeddedStore(data, settings.valkey_binary)
    folder.claim()
    try:
        present, draft = data / LOG, data / RESTORING
        if present.exists() and not replace:
            raise CommandFailed(f"there is a store in {printable(data)} already: name another folder, or use --replace")
        shutil.rmtree(draft, ignore_errors=True)  # of a restore that was interrupted
        store = EmbeddedStore(draft, settings.valkey_binary)
        store.start()
        try:
            yield store.url
        except BaseException:
            store.stop()
            shutil.rmtree(draft, ignore_errors=True)
            raise
        store.stop()
        try:
            if present.exists():
                present.rename(data / f"replaced-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}")
            (draft / LOG).rename(present)
            sync(data)
        except OSError as error:
            raise CommandFailed(f"can't write to {printable(data)}: {error.strerror}") from None
        shutil.rmtree(draft, ignore_errors=True)
    finally:
        folder.stop()


def _require_free(client: Client, *, replace: bool) -> None:
    """Raise CommandFailed where the store is served, or has keys of the service that aren't to be replaced."""
    if client.exists(WORKER) or client.exists(POST):
        raise CommandFailed("workers or a post process run on the store of REIBACH_REDIS_URL: stop the service first")
    if not replace and any(_own_keys(client)):
        raise CommandFailed("the store of REIBACH_REDIS_URL isn't empty: name another one, or use --replace")


def _own_keys(client: Client) -> Iterator[bytes]:
    return (key for key in client.scan_iter(count=1000) if _OURS.match(key))


def _write(client: Client, commands: Iterator[list[bytes]]) -> None:
    """Send those of the commands that write keys of the service. Raises redis-py's errors."""
    pipeline = client.pipeline(transaction=False)
    for words in commands:
        key = words[2 if words[0] == b"XGROUP" else 1]
        if _OURS.match(key) and not _PASSING.match(key):
            pipeline.execute_command(words[0].decode(), *words[1:])
        if len(pipeline) >= _AT_ONCE:
            pipeline.execute()
    pipeline.execute()


def _put_back_archives(folder: Path, place: str) -> None:
    files = open_archive_files(place)
    try:
        for path in folder.iterdir():
            files.write(path.name, path.read_bytes())
    except ArchiveFilesUnavailable as error:
        raise CommandFailed(str(error)) from None


def _check(store: Store, games: Path, damaged: list[str]) -> None:
    """Raise CommandFailed unless every game is in the store as the file has it."""
    heads = [Head(*json.loads(line)) for line in games.read_bytes().splitlines()]
    if sorted(read_heads(store, store.ids())) != heads:
        raise CommandFailed("the store doesn't have the games of the backup: is another process writing to it?")
    for game, fault in check_games(store, heads, {}).items():
        if game not in damaged:
            raise CommandFailed(f"{printable(game)} wasn't restored: {fault}")

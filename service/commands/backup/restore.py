"""`reibach restore`: a backup becomes a store again, embedded or elsewhere.

Rule: until the restore has ended well, there is nothing that a service could serve. Into a folder the store is built
aside and gets its name at last; another store gets the deployment, without which no process starts, at last.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from redis import Redis

from config.settings import Settings
from service.commands.backup.archives import put_back_archives
from service.commands.backup.check import check_all
from service.commands.backup.copying import copy_keys, own_keys
from service.commands.backup.folder import ARCHIVE, DEPLOYMENT, GAMES, Manifest, read_heads_of, sync_folder
from service.commands.backup.servers import LOG_FOLDER, serve_copy
from service.commands.errors import CommandFailed
from service.commands.options import require_store
from service.commands.source import printable
from service.commands.store.heads import Head
from service.commands.store.opening import connect_to, translated_errors
from service.commands.terminal import plural
from service.connections.clients import Client
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.health.heartbeat import POST, WORKER
from service.gamelog.store.streams import Store
from service.runtime.embedded import RESTORING, EmbeddedStore
from service.signing.deployment import Deployment, begin_restore, store_deployment


def restore_backup(settings: Settings, source: Path, *, replace: bool) -> None:
    """Restore the backup in the folder `source` into the store of the settings, which must be empty.

    `replace`: what is there goes; an embedded store's files are kept under another name. Raises BadUsage and
    CommandFailed; then the store can't be served, but with a folder that was replaced, which is as it was.
    """
    manifest = Manifest.read(source)
    manifest.check_files(source)
    with translated_errors(), _target(settings, replace=replace) as (url, scratch), connect_to(url) as client:
        deployment = Deployment.from_json((source / DEPLOYMENT).read_bytes())
        for number, copy in enumerate(sorted(source.glob("*.rdb"))):
            with serve_copy(copy, scratch, settings, manifest.database) as own, Redis.from_url(own) as copied:
                if number == 0:  # nothing is deleted for a copy that can't be read
                    mark = begin_restore(client, settings.keys_file, deployment)
                    for key in own_keys(client):
                        if key != mark:
                            client.unlink(key)
                copy_keys(copied, client)
        put_back_archives(source / ARCHIVE, settings.archive_place)
        store = Store(client, manifest.shards, files=open_archive_files(settings.archive_place))
        _check(store, read_heads_of(source / GAMES), manifest.damaged)
        store_deployment(client, settings.keys_file, deployment)
    click.echo(f"Restored {plural(manifest.games, 'game')} with {plural(manifest.events, 'event')}, as they were at")
    click.echo(f"{manifest.finished}. Each log was read back. Never serve the store that they come from as well.")


@contextmanager
def _target(settings: Settings, *, replace: bool) -> Iterator[tuple[str, Path]]:
    """The URL of the store to fill, and a folder to be made for a while. Raises CommandFailed, StoreError."""
    if not settings.redis_url:
        with _new_embedded(settings, replace=replace) as url:
            yield url, settings.data / RESTORING / "source"
        return
    url = require_store(settings).redis_url
    with connect_to(url) as client:
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
        present, draft = data / LOG_FOLDER, data / RESTORING
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
            (draft / LOG_FOLDER).rename(present)
            sync_folder(data)
        except OSError as error:
            raise CommandFailed(f"can't write to {printable(data)}: {error.strerror}") from None
        shutil.rmtree(draft, ignore_errors=True)
    finally:
        folder.stop()


def _require_free(client: Client, *, replace: bool) -> None:
    """Raise CommandFailed where the store is served, or has keys of the service that aren't to be replaced."""
    if client.exists(WORKER) or client.exists(POST):
        raise CommandFailed("workers or a post process run on the store of REIBACH_REDIS_URL: stop the service first")
    if not replace and any(own_keys(client)):
        raise CommandFailed("the store of REIBACH_REDIS_URL isn't empty: name another one, or use --replace")


def _check(store: Store, heads: list[Head], damaged: list[str]) -> None:
    """Raise CommandFailed unless every game is in the store as the backup has it."""
    expected = {head.game: head for head in heads}
    checked = check_all(store, expected)
    if {game.head.game: game.head for game in checked} != expected:
        raise CommandFailed("the store doesn't have the games of the backup: is another process writing to it?")
    for game in checked:
        if game.fault and game.head.game not in damaged:
            raise CommandFailed(f"{printable(game.head.game)} wasn't restored: {game.fault}")

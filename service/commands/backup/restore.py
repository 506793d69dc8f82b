"""`reibach restore`: a backup becomes a store again, embedded or elsewhere.

Rule: until the restore has ended well, there is nothing that a service could serve. Into a folder the store is built
aside and gets its name at last; another store gets the deployment, without which no process starts, at last.
"""

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
from redis import Redis
from redis.exceptions import ResponseError

from config.settings import Settings
from service.commands.backup.archives import put_back_archives
from service.commands.backup.check import check_all
from service.commands.backup.folder import ARCHIVE, DEPLOYMENT, GAMES, Manifest, read_heads_of, sync_folder
from service.commands.backup.servers import LOG_FOLDER, serve_copy
from service.commands.errors import CommandFailed
from service.commands.options import require_store
from service.commands.source import printable
from service.commands.store.heads import Head
from service.commands.store.opening import StoreAddress, connect_to, translated_errors
from service.commands.terminal import plural, track
from service.connections.clients import Client
from service.gamelog.archive.places import open_archive_files
from service.gamelog.store.health.heartbeat import POST, WORKER
from service.gamelog.store.streams import Store
from service.runtime.embedded import RESTORING, EmbeddedStore
from service.signing.deployment import Deployment, begin_restore, store_deployment

_OURS: Final = re.compile(rb"\{s\d+\}:|\{?reibach\}?:|\{receivers\}$|\{mails\}:|rq:")
"""Keys of the service, `{receivers}` of earlier releases; a store may hold others', which are left alone."""
_PASSING: Final = re.compile(rb"reibach:|\{reibach\}:workers$|rq:")
"""Of these, keys that live processes write again: heartbeats, assets, jobs. The deployment is written apart."""
_AT_ONCE: Final = 200
"""Keys that are copied in one round trip."""


def restore_backup(settings: Settings, source: Path, *, replace: bool, jobs: int | None) -> None:
    """Restore the backup in the folder `source` into the store of the settings, which must be empty.

    `replace`: what is there goes; an embedded store's files are kept under another name. Raises BadUsage and
    CommandFailed; then the store can't be served, but with a folder that was replaced, which is as it was.
    """
    manifest = Manifest.read(source)
    manifest.check_files(source)
    with translated_errors(), _target(settings, replace=replace) as (url, scratch), connect_to(url) as client:
        deployment = Deployment.from_json((source / DEPLOYMENT).read_bytes())
        begin_restore(client, settings.keys_file, deployment)
        address = StoreAddress(url, manifest.shards, settings.archive_place)
        for copy in sorted(source.glob("*.rdb")):
            with serve_copy(copy, scratch, settings, manifest.database) as own, Redis.from_url(own) as copied:
                _copy_keys(copied, client)
        put_back_archives(source / ARCHIVE, address, jobs)
        store = Store(client, manifest.shards, files=open_archive_files(address.archive_place))
        _check(store, address, read_heads_of(source / GAMES), manifest.damaged, jobs)
        store_deployment(client, settings.keys_file, deployment)
    click.echo(f"Restored {plural(manifest.games, 'game')} with {plural(manifest.events, 'event')}, as they were at")
    click.echo(f"{manifest.finished}. Each log was read back. Never serve the store that they come from as well.")


@contextmanager
def _target(settings: Settings, *, replace: bool) -> Iterator[tuple[str, Path]]:
    """The URL of the store to fill, empty, and a folder to be made for a while. Raises CommandFailed, StoreError."""
    if not settings.redis_url:
        with _new_embedded(settings, replace=replace) as url:
            yield url, settings.data / RESTORING / "source"
        return
    url = require_store(settings).redis_url
    with connect_to(url) as client:
        _empty(client, replace=replace)
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


def _empty(client: Client, *, replace: bool) -> None:
    """Delete the service's keys, where that is wanted. Raises CommandFailed."""
    if client.exists(WORKER) or client.exists(POST):
        raise CommandFailed("workers or a post process run on the store of REIBACH_REDIS_URL: stop the service first")
    for key in client.scan_iter(count=1000):
        if not _OURS.match(key):
            continue
        if not replace:
            raise CommandFailed("the store of REIBACH_REDIS_URL isn't empty: name another one, or use --replace")
        client.unlink(key)


def _copy_keys(source: Redis, target: Client) -> None:
    """Copy the service's keys, with their times of expiry, as they are. Raises CommandFailed and redis-py's errors."""
    keys = [key for key in source.scan_iter(count=1000) if _OURS.match(key) and not _PASSING.match(key)]
    batches = [keys[begin : begin + _AT_ONCE] for begin in range(0, len(keys), _AT_ONCE)]
    for batch in track(iter(batches), "Copying", len(batches)):
        reading = source.pipeline(transaction=False)
        for key in batch:
            reading.dump(key)
            reading.pttl(key)
        values = reading.execute()
        writing = target.pipeline(transaction=False)
        for key, value, left in zip(batch, values[::2], values[1::2], strict=True):
            if value is not None:  # else it has just expired
                writing.restore(key, max(left, 0), value)
        try:
            writing.execute()
        except ResponseError as error:
            if "payload" not in str(error):
                raise
            raise CommandFailed(
                "the store doesn't understand the form of these copies, as it is of another release than the program "
                "that reads them: set REIBACH_VALKEY_BINARY to the store's own server program"
            ) from None


def _check(store: Store, address: StoreAddress, heads: list[Head], damaged: list[str], jobs: int | None) -> None:
    """Raise CommandFailed unless every game is in the store as the backup has it."""
    expected = {head.game: head for head in heads}
    checked = check_all(store, address, expected, jobs, "Checking")
    if {game.head.game: game.head for game in checked} != expected:
        raise CommandFailed("the store doesn't have the games of the backup: is another process writing to it?")
    for game in checked:
        if game.fault and game.head.game not in damaged:
            raise CommandFailed(f"{printable(game.head.game)} wasn't restored: {game.fault}")

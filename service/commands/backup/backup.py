"""`reibach backup`: a whole store in a folder, made while it is served, and read back before it gets its name."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from config.release import release
from config.settings import Settings
from domain.clock.timestamps import timestamp
from service.commands.backup import folder as layout
from service.commands.backup.dump import dump_embedded, dump_server, serve_dump
from service.commands.errors import CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import plural, track
from service.connections.clients import STORE_ERRORS, connect, primaries_of
from service.gamelog.integrity import check_integrity
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.places import ArchiveFilesUnavailable, open_archive_files
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.reader import StoreReader
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from service.status import LAST_BACKUP, note

_AT_ONCE: Final = 500
"""Headers that are read in one round trip."""


class Head(NamedTuple):
    """Where a game is, as its header says."""

    game: str
    version: int
    hash: str
    """Of the last event, in hex; empty where the header has none."""


def read_heads(store: StoreReader, games: Sequence[str]) -> Iterator[Head]:
    """The headers of the games, in their order; version 0 for a game without a header. Raises StoreUnavailable."""
    for begin in range(0, len(games), _AT_ONCE):
        some = games[begin : begin + _AT_ONCE]
        heads = store.call_each(*(("HMGET", store.keys(game).head, "version", "hash") for game in some))
        for game, (version, last_hash) in zip(some, heads, strict=True):
            number = int(version) if version is not None and version.isdigit() else 0
            yield Head(game, number, (last_hash or b"").hex())


def make_backup(settings: Settings, to: Path, *, damaged: bool, keep: int | None) -> None:
    """Write a backup of the store to the folder `to`, which must be new or empty, and print what is in it.

    `damaged`: also where games are damaged in the store itself. `keep`: then delete older ones beside it until so many
    are left. Raises BadUsage, and CommandFailed also where the copy doesn't hold what the store had; then there is no
    backup.
    """
    with open_store(settings) as (store, deployment), ExitStack() as folder:
        draft = folder.enter_context(layout.new_folder(to))
        manifest = _fill(draft, settings, store, deployment, damaged=damaged)
        archives = len(list((draft / layout.ARCHIVE).iterdir()))
        layout.write_manifest(draft, manifest)
        folder.close()  # the backup has its name
        with suppress(*STORE_ERRORS):  # a store that is full can be copied, too
            note(store.client, LAST_BACKUP, StoreClock(store).now_ms() / 1000)
    click.echo(
        f"Backed up {plural(manifest['games'], 'game')} with {plural(manifest['events'], 'event')} to {printable(to)}"
        f"{f', {archives} of them with an archive in a file' if archives else ''}. Each log was read back."
    )
    click.echo(f"Every event that was acknowledged before {manifest['begun']} is in it.")
    if keep:
        layout.prune(to, deployment.identity, keep)


def _fill(draft: Path, settings: Settings, store: Store, deployment: Deployment, *, damaged: bool) -> dict[str, Any]:
    """Write all files but the manifest, whose other values are returned. Raises CommandFailed."""
    clock, begun = StoreClock(store), StoreClock(store).now_ms()
    before = {head.game: head for head in read_heads(store, store.ids()) if head.version}
    servers = primaries_of(store.client)
    files = [draft / f"node-{number:02d}.rdb" for number in range(len(servers))]
    if settings.redis_url:
        with ThreadPoolExecutor(len(servers)) as threads:
            list(threads.map(dump_server, servers, files))
    else:
        dump_embedded(settings.data, settings.valkey_binary, files[0])
    clock.measure()
    finished = clock.now_ms()
    (draft / layout.DEPLOYMENT).write_text(deployment.to_json(), "utf-8")
    archive = draft / layout.ARCHIVE
    archive.mkdir(mode=0o700)
    database = servers[0].connection_pool.connection_kwargs.get("db") or 0
    heads: list[Head] = []
    faults: dict[str, str] = {}
    for file in files:
        with serve_dump(file, draft / "check", settings.valkey_binary, database) as url, connect(url) as client:
            copied = Store(client, deployment.shards, files=open_archive_files(str(archive)))
            _collect_archives(copied, settings.archive_place, archive)
            copied_heads = list(read_heads(copied, copied.ids()))
            faults |= check_games(copied, copied_heads, before)
            heads += copied_heads
    _judge(store, heads, faults, before, damaged=damaged)
    (draft / layout.GAMES).write_text("".join(f"{json.dumps(head)}\n" for head in sorted(heads)), "utf-8")
    info = servers[0].info("server")
    return {
        "format": layout.FORMAT,
        "release": release(),
        "server": f"valkey {info['valkey_version']}" if "valkey_version" in info else f"redis {info['redis_version']}",
        "begun": timestamp(begun),
        "finished": timestamp(finished),
        "database": database,
        "shards": deployment.shards,
        "games": len(heads),
        "events": sum(head.version for head in heads),
        "damaged": sorted(faults),
    }


def check_games(store: Store, heads: list[Head], expected: Mapping[str, Head]) -> dict[str, str]:
    """Read back the log of each game, and compare those in `expected` with the event that is named there.

    What is wrong, by game. Raises StoreUnavailable.
    """
    faults = {}
    for head in track(heads, "Checking", len(heads)):
        report, known = check_integrity(store, head.game), expected.get(head.game, head)
        if report.offence:
            faults[head.game] = f"its log is damaged at version {report.offence.version}"
        elif [event["hash"] for event in report.events[known.version - 1 : known.version]] != [known.hash]:
            faults[head.game] = f"version {known.version} isn't as the store had it"
    return faults


def _judge(
    store: Store, heads: list[Head], faults: dict[str, str], before: Mapping[str, Head], *, damaged: bool
) -> None:
    """Raise CommandFailed where the copy isn't as the store was, or, unless `damaged`, the store is damaged itself."""
    counts = Counter(head.game for head in heads)
    lost = sum(game not in counts and store.client.exists(store.keys(game).head) for game in before)
    doubled = sum(count > 1 for count in counts.values())
    if lost or doubled:
        raise CommandFailed(
            f"the copy has {lost} games too few and {doubled} twice: nodes of the cluster were exchanging them; make "
            "the backup again"
        )
    for game, fault in faults.items():
        if check_integrity(store, game).offence is None:
            raise CommandFailed(f"the copy is wrong: {printable(game)}: {fault}; make the backup again")
        print_error(f"{printable(game)}: {fault}, in the store itself")
    if faults and not damaged:
        raise CommandFailed(
            f"{plural(len(faults), 'game')} can't be read: `reibach doctor --all` tells more; "
            "--damaged makes a backup all the same"
        )


def _collect_archives(copied: Store, place: str, folder: Path) -> None:
    """Copy the archives in files that the games of a copied store name: such files are never changed or deleted.

    A missing one is left out: the check of its game says so. Raises CommandFailed.
    """
    files = open_archive_files(place)
    for game in copied.ids():
        try:
            archive = copied.place(game)
            if archive and archive.kind == "files":
                name = archive.file(game)
                (folder / name).write_bytes(files.read(name))
        except CorruptLog:  # the check of the game says so
            continue
        except ArchiveFilesUnavailable as error:
            raise CommandFailed(str(error)) from None

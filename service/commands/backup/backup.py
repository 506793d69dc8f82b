"""`reibach backup`: a whole store in a folder, made while it is served, and read back before it gets its name."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import click
from redis import Redis

from config.release import release
from config.settings import Settings
from domain.clock.timestamps import timestamp
from service.commands.backup.archives import collect_archives
from service.commands.backup.check import CheckedGame, check_all
from service.commands.backup.folder import (
    ARCHIVE,
    DEPLOYMENT,
    FORMAT,
    GAMES,
    Manifest,
    describe,
    new_folder,
    prune,
    write_heads,
    write_private,
)
from service.commands.backup.servers import serve_copy
from service.commands.backup.snapshot import copy_store, primaries
from service.commands.errors import CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.heads import Head, read_heads
from service.commands.store.opening import connect_to, open_store
from service.commands.terminal import plural
from service.connections.clients import STORE_ERRORS
from service.gamelog.integrity import check_integrity
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from service.status import note_backup


def make_backup(settings: Settings, to: Path, *, damaged: bool, keep: int | None) -> None:
    """Write a backup of the store to the folder `to`, which must be new or empty, and print what is in it.

    `damaged`: also where games are damaged in the store itself. `keep`: then delete older ones beside it until so many
    are left. Raises BadUsage, and CommandFailed also where the copy doesn't hold what the store had; then there is no
    backup.
    """
    with open_store(settings) as (store, deployment), ExitStack() as folder:
        draft = folder.enter_context(new_folder(to))
        clock = StoreClock(store)
        begun = clock.now_ms()
        before = {head.game: head for head in read_heads(store, store.ids()) if head.version}
        copies = copy_store(store.client, draft)
        clock.measure()
        finished = clock.now_ms()
        write_private(draft / DEPLOYMENT, deployment.to_json().encode())
        (draft / ARCHIVE).mkdir(mode=0o700)
        first = primaries(store.client)[0]
        database = first.connection_pool.connection_kwargs.get("db") or 0
        checked: list[CheckedGame] = []
        for copy in copies:
            with serve_copy(copy, draft / "check", settings, database) as url, connect_to(url) as client:
                copied = Store(client, deployment.shards, files=open_archive_files(str(draft / ARCHIVE)))
                collect_archives(copied, settings.archive_place, draft / ARCHIVE)
                checked += check_all(copied, before)
        faulty = _judge(store, checked, before, damaged=damaged)
        write_heads(draft / GAMES, sorted(game.head for game in checked))
        manifest = _describe(draft, first, deployment, checked, faulty, (begun, finished), database)
        manifest.write(draft)
        folder.close()  # the backup has its name
        with suppress(*STORE_ERRORS):  # a store that is full can be copied, too
            note_backup(store.client, clock.now_ms() / 1000)
    archives = sum(name.startswith(f"{ARCHIVE}/") for name in manifest.files)
    click.echo(
        f"Backed up {plural(manifest.games, 'game')} with {plural(manifest.events, 'event')} to {printable(to)}"
        f"{f', {archives} of them with an archive in a file' if archives else ''}. Each log was read back."
    )
    click.echo(f"Every event that was acknowledged before {manifest.begun} is in it.")
    if keep:
        prune(to, deployment.identity, keep)


def _judge(store: Store, checked: Sequence[CheckedGame], before: Mapping[str, Head], *, damaged: bool) -> list[str]:
    """The games that are damaged in the store itself. Raises CommandFailed where the copy isn't as the store was."""
    found = Counter(game.head.game for game in checked)
    lost = [game for game in before if game not in found and store.client.exists(store.keys(game).head)]
    doubled = [game for game, count in found.items() if count > 1]
    if lost or doubled:
        raise CommandFailed(
            f"the copy has {len(lost)} games too few and {len(doubled)} twice: nodes of the cluster were exchanging "
            "them; make the backup again"
        )
    faulty = []
    for game in checked:
        if not game.fault:
            continue
        if check_integrity(store, game.head.game).offence is None:
            raise CommandFailed(f"the copy is wrong: {printable(game.head.game)}: {game.fault}")
        faulty.append(game.head.game)
        print_error(f"{printable(game.head.game)}: {game.fault}, in the store itself")
    if faulty and not damaged:
        raise CommandFailed(
            f"{plural(len(faulty), 'game')} can't be read: `reibach doctor --all` tells more; "
            "--damaged makes a backup all the same"
        )
    return faulty


def _describe(  # noqa: PLR0913 - each is a member of the manifest
    draft: Path,
    server: Redis,
    deployment: Deployment,
    checked: Sequence[CheckedGame],
    faulty: list[str],
    times: tuple[int, int],
    database: int,
) -> Manifest:
    info = server.info("server")
    program = "valkey" if "valkey_version" in info else "redis"
    paths = sorted(path for path in draft.rglob("*") if path.is_file())
    return Manifest(
        format=FORMAT,
        release=release(),
        server=f"{program} {info[f'{program}_version']}",
        begun=timestamp(times[0]),
        finished=timestamp(times[1]),
        database=database,
        shards=deployment.shards,
        games=len(checked),
        events=sum(game.head.version for game in checked),
        damaged=faulty,
        files={str(path.relative_to(draft)): describe(path) for path in paths},
    )

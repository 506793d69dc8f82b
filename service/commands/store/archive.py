"""`reibach archive`: compress finished games at once, without waiting for a worker."""

import math
from functools import partial

import click

from config.settings import Settings
from service.commands.errors import BadUsage, CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.store.parallel import for_each
from service.commands.terminal import plural, track
from service.gamelog.archive.compaction import CompactionResult, compact
from service.gamelog.errors import CorruptLog
from service.gamelog.store.clock import StoreClock
from service.gamelog.store.streams import Store


def archive_games(settings: Settings, *, now: bool, jobs: int | None = None) -> None:
    """Archive the finished games of a store whose last event is old enough; `now`: of any age.

    Archives in another place than the settings name are moved. Raises BadUsage, and CommandFailed also where a game
    can't be archived.
    """
    if settings.quiet_time is None:
        raise BadUsage("the archive is off: set REIBACH_ARCHIVE to store or files")
    quiet_ms = 0 if now else math.ceil(settings.quiet_time * 1000)
    done = failed = before = after = 0
    with open_store(settings) as (store, _, address):
        games = store.ids()
        work = partial(_archive, kind=settings.archive, quiet_since=StoreClock(store).now_ms() - quiet_ms)
        results = track(for_each(address, work, games, jobs), "Archiving", len(games))
        for game, compacted in zip(games, results, strict=True):
            if isinstance(compacted, str):
                failed += 1
                print_error(f"{printable(game)}: {compacted}")
            elif compacted:
                done, before, after = done + 1, before + compacted.before, after + compacted.after
    if failed:
        raise CommandFailed(f"{plural(failed, 'game')} can't be archived; {plural(done, 'game')} archived")
    if done == 0 and not now:
        click.echo("Archived 0 games: no other is finished and old enough (--now: of any age).")
    else:
        click.echo(f"Archived {plural(done, 'game')}: {before} bytes of events are {after} now.")


def _archive(store: Store, game: str, *, kind: str, quiet_since: int) -> CompactionResult | str | None:
    """What became of a game: None if there was nothing to do; why not, where it can't be archived."""
    try:
        return compact(store, game, kind, quiet_since)
    except CorruptLog as error:
        return str(error)

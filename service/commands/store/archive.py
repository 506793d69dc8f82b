"""`reibach archive`: compress finished games at once, without waiting for a worker."""

import math

import click

from config.settings import Settings
from service.commands.errors import BadUsage, CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import plural, track
from service.gamelog.archive.compaction import compact
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.health.clock import StoreClock


def archive_games(settings: Settings, *, now: bool) -> None:
    """Archive the finished games of a store whose last event is old enough; `now`: of any age.

    Archives in another place than the settings name are moved. Raises BadUsage, and CommandFailed also where a game
    can't be archived.
    """
    if settings.quiet_time is None:
        raise BadUsage("the archive is off: set REIBACH_ARCHIVE to store or files")
    quiet_ms = 0 if now else math.ceil(settings.quiet_time * 1000)
    done = failed = before = after = 0
    with open_store(settings) as (store, _):
        games, quiet_since = store.ids(), StoreClock(store).now_ms() - quiet_ms
        for game in track(games, "Archiving", len(games)):
            try:
                compacted = compact(store, game, settings.archive, quiet_since)
            except CorruptLog as error:
                failed += 1
                print_error(f"{printable(game)}: {error}")
                continue
            if compacted:
                done, before, after = done + 1, before + compacted.before, after + compacted.after
    if failed:
        raise CommandFailed(f"{plural(failed, 'game')} can't be archived; {plural(done, 'game')} archived")
    if done == 0 and not now:
        click.echo("Archived 0 games: no other is finished and old enough (--now: of any age).")
    else:
        click.echo(f"Archived {plural(done, 'game')}: {before} bytes of events are {after} now.")

"""The store's upkeep by an operator: `reibach accept-store`, `archive`, `resend` and `rotate-tokens`."""

import math

import click

from config.settings import Settings
from service.commands.errors import BadUsage, CommandFailed, print_error
from service.commands.options import require_store
from service.commands.source import printable
from service.commands.store.opening import address_of, open_store, people_of, translated_errors
from service.commands.terminal import plural, track
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.generations import convert_headers, rotate_token
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.streams import Store
from service.post.notices import EMAIL
from service.post.outbox import Outbox
from service.runtime.clock import now_ms
from service.runtime.embedded import USED, EmbeddedStore
from service.signing.deployment import accept_store
from service.signing.tokens import Tokens
from service.status import HELD, MAIL_DOWN, is_held, note


def accept(settings: Settings) -> None:
    """Let the processes of this deployment use the store of the settings. Raises BadUsage and CommandFailed."""
    if settings.redis_url:
        settings = require_store(settings)
    elif settings.data.is_dir():
        EmbeddedStore(settings.data, settings.valkey_binary).accept_empty()
    with translated_errors(), address_of(settings) as url, connect(url) as client:
        deployment = accept_store(client, settings.shards, settings.keys_file)
        games = plural(len(Store(client, deployment.shards).ids()), "game")
    click.echo(f"The store is the deployment's now, with {games} in it. Restart the processes that refuse it.")


def archive_games(settings: Settings, *, now: bool) -> None:
    """Archive the finished games of a store whose last event is old enough; `now`: of any age.

    Archives in another place than the settings name are moved. Raises BadUsage, and CommandFailed also where a game
    can't be archived.
    """
    if settings.archive == "off":
        raise BadUsage("the archive is off: set REIBACH_ARCHIVE to store or files")
    quiet_ms = 0 if now else math.ceil(settings.archive_after * 1000)
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


def resend(settings: Settings, game: str | None) -> None:
    """Send what waits or was given up, of a game, or all: so a restored copy, too. Raises BadUsage, CommandFailed."""
    with open_store(settings) as (store, _):
        if game is not None and not store.with_retries(lambda: store.client.exists(store.keys(game).head)):
            raise CommandFailed(f"the store has no game {printable(game)}")
        count = Outbox(store, now_ms).resend(game)
        if game is None and is_held(store.client):
            note(store.client, HELD, 0)
            click.echo("This restored copy sends from now on. Don't serve the store that it comes from any more.")
    nothing = "There is nothing to send again: every notification was delivered, or is being tried right now."
    click.echo(f"{plural(count, 'notification')} will be sent again, where still due." if count else nothing)


def let_mails_go(settings: Settings) -> None:
    """Send the mails that wait in the store at once, if there is one, and print their number. Raises CommandFailed."""
    if settings.redis_url or (settings.data / USED).exists():
        with open_store(settings) as (store, _):
            note(store.client, MAIL_DOWN, 0)
            count = Outbox(store, now_ms).let_go(EMAIL)
            when = "when the copy may send: `reibach resend`" if is_held(store.client) else "at once"
        click.echo(f"{plural(count, 'mail')} waited for another attempt; what is still due is sent {when}.")


def rotate_tokens(settings: Settings, game: str, seat: int | None) -> None:
    """Revoke the token of a seat, or of all seats of people, and print the new ones. Raises BadUsage, CommandFailed."""
    with open_store(settings) as (store, deployment):
        people = people_of(store, game)
        chosen = list(people) if seat is None else [seat]
        if not people.keys() >= {*chosen} or not chosen:
            raise CommandFailed(f"no person has taken this seat of game {printable(game)}: there is no token to revoke")
        tokens, page = Tokens(deployment.token_secrets), f"{settings.public_base}/g/{game}"
        convert_headers(store)
        for number in chosen:
            # Where this can't be written, all stays.
            click.echo(f"{game} seat {number} ({people[number]}): {page}#token=", nl=False)
            click.echo(tokens.issue(game, number, rotate_token(store, game, number).generation))
    click.echo("The old tokens are revoked.", err=True)

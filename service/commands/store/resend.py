"""`reibach resend`: dead letters become notices that wait."""

import click

from config.settings import Settings
from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import plural
from service.post.outbox import Outbox
from service.runtime.clock import now_ms


def resend(settings: Settings, game: str | None) -> None:
    """Queue the dead letters of a game, or all. Raises BadUsage and CommandFailed."""
    with open_store(settings) as (store, _):
        if game is not None and not store.with_retries(lambda: store.client.exists(store.keys(game).head)):
            raise CommandFailed(f"the store has no game {printable(game)}")
        count = Outbox(store, now_ms).resend(game)
    nothing = "There is nothing to send again: every notification was delivered, or is still being tried."
    click.echo(f"{plural(count, 'notification')} will be sent again, where still due." if count else nothing)

"""`reibach accept-store`: a store that was emptied or exchanged becomes the deployment's."""

import click

from config.settings import Settings
from service.commands.options import require_store
from service.commands.store.opening import address_of, translated_errors
from service.commands.terminal import plural
from service.connections.clients import connect
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import accept_store


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

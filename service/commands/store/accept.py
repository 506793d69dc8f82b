"""`reibach accept-store`: a store that was emptied or exchanged becomes the deployment's."""

from config.settings import Settings
from service.commands.options import require_store
from service.commands.store.opening import connect_or_start
from service.commands.terminal import plural
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import accept_store


def accept(settings: Settings) -> str:
    """Let the processes of this deployment use the store of the settings; says how many games it has.

    Raises BadDeployment, StoreError and redis-py's errors, BadUsage and CommandFailed.
    """
    if settings.redis_url:
        settings = require_store(settings)
    elif settings.data.is_dir():
        EmbeddedStore(settings.data, settings.valkey_binary).accept_empty()
    with connect_or_start(settings) as client:
        deployment = accept_store(client, settings.shards, settings.keys_file)
        return plural(len(Store(client, deployment.shards).ids()), "game")

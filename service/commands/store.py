"""The store that a command works on, and how the command fails where the store does: with one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import RedisError

from config.settings import Settings
from service.commands.errors import OneLine
from service.commands.options import with_store
from service.gamelog.archive.places import open_archive_files
from service.gamelog.at_hand import store_at_hand
from service.gamelog.store.streams import Store, StoreUnavailable
from service.runtime.embedded import StoreError
from service.signing.deployment import BadDeployment, Deployment, known_deployment, open_deployment


@contextmanager
def store_at_command(settings: Settings, *, new: bool = False) -> Iterator[tuple[Store, Deployment]]:
    """The games of the store that `settings` name, served or not, and its deployment; `new`: made if there is none.

    Raises BadUse and OneLine, also for what goes wrong with the store while it is used.
    """
    try:
        with store_at_hand(with_store(settings) if settings.redis_url else settings, new=new) as client:
            if new:
                deployment = open_deployment(client, settings.shards, settings.keys_file)
            else:
                deployment = known_deployment(client, settings.keys_file)
            yield Store(client, deployment.shards, files=open_archive_files(settings.archive_place)), deployment
    except (BadDeployment, StoreError, StoreUnavailable) as error:
        raise OneLine(str(error)) from None
    except RedisError as error:
        raise OneLine(f"the store doesn't answer ({type(error).__name__})") from None

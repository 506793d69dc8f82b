"""Opens the log of a deployment: what every process that works on games begins with."""

from dataclasses import dataclass

import redis
import structlog

from config.settings import Settings
from service.gamelog.archive.places import open_archive_files
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.shared_cache import SharedCache
from service.gamelog.store.streams import Store, StoreUnavailable, connect
from service.jobs import QUEUE_NAME, connect_queue, enqueue, queue
from service.runtime.shared import shared_folder
from service.signing.deployment import Deployment, open_deployment

logger = structlog.get_logger("service.gamelog")


@dataclass(frozen=True, slots=True)
class OpenLog:
    """A deployment and its games."""

    deployment: Deployment
    store: Store
    games: GameLog
    reactions: Reactions


def open_log(settings: Settings) -> OpenLog:
    """Connect to the store of `settings`. Raises StoreUnavailable and BadDeployment."""
    client = connect(settings.redis_url)
    # The number of shards is only known once the deployment is; until then one is as good as another.
    waiting = Store(client, settings.shards, patience=30.0)
    deployment = waiting.with_retries(lambda: open_deployment(client, settings.shards, settings.keys_file))
    store = Store(client, deployment.shards, files=open_archive_files(settings.archive_place))
    jobs = queue(QUEUE_NAME, connect_queue(settings.queue_url or settings.redis_url))

    def call_worker(function: str, job: str, arguments: list[str | int]) -> None:
        try:
            enqueue(jobs, function, arguments, job)
        except (redis.exceptions.RedisError, OSError) as error:
            # Nothing is lost: the reconciler finds the game in the due list.
            logger.warning("job not enqueued", job=job, reason=type(error).__name__)

    reactions = Reactions(call_worker, settings.bot_delay, settings.quiet_time)
    folder = shared_folder()
    games = GameLog(store, reactions, shared_cache=SharedCache(folder / "board" if folder else None))
    return OpenLog(deployment, store, games, reactions)


__all__ = ["OpenLog", "StoreUnavailable", "open_log"]

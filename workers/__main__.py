"""A worker process: jobs in the main thread, reconciler and archiver beside it."""

from config.settings import Settings
from service.gamelog.open import open_log
from service.jobs import QUEUE_NAME, connect_queue
from service.runtime import logs
from workers.archiver import Archiver
from workers.context import set_opened
from workers.periodic import PeriodicTask
from workers.reconciler import Reconciler
from workers.rq_worker import LeaseWorker

MODULES = ("workers.scoring", "workers.bots")
"""Whose functions jobs may name."""


def run(settings: Settings) -> int:
    """Work until a signal comes; the exit code. Raises StoreUnavailable and BadDeployment."""
    logs.configure(settings.log)
    opened = open_log(settings)
    set_opened(opened)
    beside: list[PeriodicTask] = [Reconciler(opened)]
    if settings.quiet_time is not None:
        beside.append(Archiver(opened, settings.archive, settings.quiet_time))
    worker = LeaseWorker(QUEUE_NAME, connect_queue(settings.queue_url or settings.redis_url), MODULES)
    for one in beside:
        one.start()
    try:
        return worker.run()
    finally:
        for one in beside:
            one.stop()


if __name__ == "__main__":
    raise SystemExit(run(Settings.read()))

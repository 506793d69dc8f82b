"""A worker process: jobs in the main thread; reconciler, bot player, archiver and reporter in others."""

import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import NoReturn

from config.settings import Settings
from service.bootstrap import Services, open_services, retention_of
from service.connections.clients import connect_queue
from service.jobs import JUDGE_TURNS, PLAY_ORDERS, SCORE_ROUND, TIME_OUT
from service.runtime import logs
from service.runtime.guards.threads import end_with_threads
from workers.analysis import TurnJudge
from workers.clock import time_out
from workers.counts import counted_job
from workers.orders import play_orders
from workers.rq_worker import JobWorker
from workers.scoring import score_round
from workers.threads.archiver import Archiver
from workers.threads.bot_player import BotPlayer
from workers.threads.periodic import PeriodicTask
from workers.threads.reconciler import Reconciler
from workers.threads.reporter import Reporter


def bind_jobs(services: Services) -> dict[str, Callable[..., None]]:
    """The jobs by name. They take the arguments that a sender enqueues."""
    jobs: dict[str, Callable[..., None]] = {
        SCORE_ROUND: partial(score_round, services),
        TIME_OUT: partial(time_out, services),
        PLAY_ORDERS: partial(play_orders, services),
        JUDGE_TURNS: TurnJudge(services).judge,
    }
    return {name: counted_job(name, job) for name, job in jobs.items()}


def _exit(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def run(settings: Settings) -> int:
    """Work until a signal arrives; returns the exit code. Raises StoreUnavailable and BadDeployment."""
    # RQ installs handlers of its own, but only after the first heartbeat has said that this worker is ready.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _exit)
    logs.configure(settings.log)
    end_with_threads()
    services = open_services(replace(settings, memory_watermark=0))  # a worker opens no games
    reconciler = Reconciler(services)
    tasks: list[PeriodicTask] = [reconciler, BotPlayer(services, reconciler), Reporter(services)]
    retention = retention_of(settings)
    if retention.ever:
        tasks.append(Archiver(services, settings.archive, retention))
    queue = connect_queue(settings.queue_url or settings.redis_url)
    worker = JobWorker(queue, bind_jobs(services))
    for task in tasks:
        task.start()
    try:
        worker.run()
    finally:
        for task in tasks:
            task.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(run(Settings.read()))

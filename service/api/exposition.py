"""The answer to `/metrics`: what the web processes of this machine count, and how the whole deployment is."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from config.release import commit
from service.gamelog.store.health.clock import StoreClock
from service.runtime.shared import shared_folder
from service.status import BUCKETS, LAST_BACKUP, MAIL_DOWN, Backlog, DeploymentStatus

_RELEASE: Final = {"version": version("reibach"), "commit": commit()}
_COUNTERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "reibach_jobs": ("Jobs that ended", ("function", "outcome")),
    "reibach_bot_turns": ("Turns of bots that a worker has played", ()),
    "reibach_games_over": ("Games that have come to their end", ()),
    "reibach_games_expired": ("Games that the archiver has archived or deleted", ("outcome",)),
    "reibach_task_faults": ("Faults of the threads of workers and post, which survived them", ("task",)),
    "reibach_notices": ("Notices to players, by what became of an attempt", ("outcome",)),
    "reibach_worker_events_appended": ("Events appended by workers", ()),
}
_HISTOGRAMS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "reibach_job_seconds": ("Time that a job took", ("function",)),
    "reibach_store_write_seconds": ("Time of a write that a worker makes each second, until it is on disk", ()),
}
"""What workers count: name -> help, labels. A count of any other name, of another release perhaps, is passed over."""


def render_metrics(status: DeploymentStatus | None, clock: StoreClock | None = None) -> bytes:
    """All metrics in Prometheus' text form. `status`: of the deployment; None where its store can't be reached.

    `clock`: the store's, as this process has measured it; None: nothing is known of it.
    """
    return generate_latest(_web_registry()) + generate_latest(_DeploymentMetrics(status, clock))


def _web_registry() -> CollectorRegistry:
    """What the web processes of this machine have counted; in a test just this one."""
    folder = shared_folder()
    if folder is None:
        return REGISTRY
    _forget_ended_processes(folder)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no types
    return registry


def _forget_ended_processes(folder: Path) -> None:
    """Drop the gauges of web processes that have ended: a killed one can't close its polls and streams itself."""
    for file in folder.glob("gauge_live*_*.db"):
        process = file.stem.rpartition("_")[2]
        try:
            os.kill(int(process), 0)
        except OSError:  # it has ended, or another user's process has its number
            multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]  # it has no types


@dataclass
class _DeploymentMetrics(Collector):
    """The deployment's metrics: the same on each machine, but for how exactly it knows the time."""

    status: DeploymentStatus | None
    clock: StoreClock | None

    def collect(self) -> Iterator[Metric]:
        """All families; without one only that the store is down."""
        yield InfoMetricFamily("reibach_build", "The release", _RELEASE)
        status = self.status
        yield GaugeMetricFamily("reibach_store_up", "Whether the store answers", status is not None)
        if status is None:
            return
        yield GaugeMetricFamily("reibach_workers_alive", "Workers that have reported in the last 5 s", status.workers)
        post = "Whether a post process has sent a heartbeat in the last 5 s"
        yield GaugeMetricFamily("reibach_post_alive", post, status.has_post)
        yield GaugeMetricFamily("reibach_games_live", "Games that are neither archived nor deleted", status.live)
        yield GaugeMetricFamily("reibach_games_of_bots", "Running games that only bots play", status.of_bots)
        yield from _backlog("reibach_games_due", "reibach_games_due", "Games that wait to get a job", status.due)
        yield from _backlog("reibach_notices_due", "reibach_notices_due", "Notices whose time has come", status.notices)
        if status.jobs is not None:
            yield from _backlog("reibach_queue_jobs", "reibach_queue", "Jobs in the queue", status.jobs)
        yield from _nodes(status)
        if self.clock is not None:
            yield from _clock(self.clock)
        last_backup = "When `reibach backup` last succeeded, in seconds since 1970; 0: never"
        yield GaugeMetricFamily(LAST_BACKUP, last_backup, status.counts.get(LAST_BACKUP, 0))
        mail_up = "Whether the mail server has taken the last mail, or was never asked"
        yield GaugeMetricFamily("reibach_mail_up", mail_up, 1 - status.counts.get(MAIL_DOWN, 0))
        for name in _COUNTERS:
            yield _counter(name, status.counts)
        for name in _HISTOGRAMS:
            yield _histogram(name, status.counts)


def _backlog(name: str, prefix: str, meaning: str, backlog: Backlog) -> Iterator[Metric]:
    yield GaugeMetricFamily(name, meaning, backlog.count)
    yield GaugeMetricFamily(f"{prefix}_oldest_seconds", f"{meaning}: how long the oldest has waited", backlog.oldest_s)


def _nodes(status: DeploymentStatus) -> Iterator[Metric]:
    used = GaugeMetricFamily("reibach_store_memory_used_bytes", "Memory that the store uses", labels=["node"])
    limit = GaugeMetricFamily("reibach_store_memory_limit_bytes", "Memory that it may use", labels=["node"])
    writing = GaugeMetricFamily("reibach_store_writing", "Whether its last write to disk succeeded", labels=["node"])
    replicas = GaugeMetricFamily("reibach_store_replicas", "Replicas that follow it", labels=["node"])
    for number, node in enumerate(status.nodes):  # a number, as no address leaves the service
        used.add_metric([str(number)], node.memory_used)
        limit.add_metric([str(number)], node.memory_limit)
        writing.add_metric([str(number)], node.is_writing)
        replicas.add_metric([str(number)], node.replicas)
    yield from (used, limit, writing, replicas)


def _clock(clock: StoreClock) -> Iterator[Metric]:
    steady = "0 for ten minutes after the store's clock has jumped, an hour after an outage: no turn times out"
    yield GaugeMetricFamily("reibach_clock_steady", steady, clock.is_steady())
    error = "How exactly this machine knows the store's time: a round trip to the store"
    yield GaugeMetricFamily("reibach_clock_error_seconds", error, clock.error_ms / 1000)


def _counter(name: str, counts: Mapping[str, float]) -> Metric:
    meaning, labels = _COUNTERS[name]
    family = CounterMetricFamily(name, meaning, labels=labels)
    start: dict[tuple[str, ...], float] = {} if labels else {(): 0.0}  # a rate needs a first value
    for values, amount in (start | _found(name, len(labels), counts)).items():
        family.add_metric(values, amount)
    return family


def _histogram(name: str, counts: Mapping[str, float]) -> Metric:
    meaning, labels = _HISTOGRAMS[name]
    family = HistogramMetricFamily(name, meaning, labels=labels)
    buckets = _found(f"{name}_bucket", len(labels) + 1, counts)
    bounds = [*map(str, BUCKETS), "+Inf"]
    for values, total in _found(f"{name}_sum", len(labels), counts).items():
        cumulative = accumulate(buckets.get((*values, bound), 0.0) for bound in bounds)
        family.add_metric(values, list(zip(bounds, cumulative, strict=True)), total)
    return family


def _found(name: str, labels: int, counts: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    """The counts of a name that have so many labels, by these."""
    split = ((*key.split(" "),) for key in counts)
    return {words[1:]: counts[" ".join(words)] for words in split if words[0] == name and len(words) == labels + 1}

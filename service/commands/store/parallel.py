"""Work on many games of a store, shared out to processes, each with a connection of its own.

Rule: results come in the order of the items, whatever process made them, so that a command prints the same lines with
any number of processes.
"""

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Final, TypeVar

from service.commands.errors import CommandFailed
from service.commands.store.opening import StoreAddress
from service.gamelog.store.streams import Store
from service.runtime.lifeline import die_with_parent

_CHUNK: Final = 16
"""Items that a process gets at once. Fewer than two chunks are worked on in this process: a fork costs as much."""
_AHEAD: Final = 3
"""Chunks for each process that are handed out, or done and not taken: their results are in memory."""

Item = TypeVar("Item")
Result = TypeVar("Result")

_store: Store | None = None
"""In a process of the pool: its store."""


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def for_each(
    address: StoreAddress, work: Callable[[Store, Item], Result], items: Sequence[Item], jobs: int | None
) -> Iterator[Result]:
    """The results of `work`, item by item, by `jobs` processes at most (None: one for each core).

    `work` is a function of a module, or a partial of one; items and results are pickled. What it raises is raised here.
    Raises CommandFailed where a process of the pool is killed.
    """
    jobs = min(jobs or cores(), -(-len(items) // _CHUNK))
    if jobs <= 1:
        store = address.open()
        try:
            for item in items:
                yield work(store, item)
        finally:
            store.client.close()
        return
    # The start method "fork" costs milliseconds, but is safe on Linux only.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(jobs, context, _prepare, (address, os.getpid())) as pool:
        try:
            yield from _in_order(pool, work, items, jobs * _AHEAD)
        except BrokenProcessPool:
            raise CommandFailed("a process of the command was killed (out of memory?): try fewer --jobs") from None
        finally:
            pool.shutdown(cancel_futures=True)  # chunks under way are finished: seconds at most


def _in_order(
    pool: ProcessPoolExecutor, work: Callable[[Store, Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """The results of the items, with so many chunks handed out at most."""
    rest = iter(items)
    handed_out: deque[Future[list[Result]]] = deque()
    while True:
        while len(handed_out) < ahead and (chunk := list(islice(rest, _CHUNK))):
            handed_out.append(pool.submit(_work_through, work, chunk))
        if not handed_out:
            return
        yield from handed_out.popleft().result()


def _prepare(address: StoreAddress, parent: int) -> None:
    """Open the store in a process of the pool, which ends with the command, and by nothing but it."""
    global _store  # noqa: PLW0603 - the pool's way to give a process something
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the command ends the pool
    _store = address.open()


def _work_through(work: Callable[[Store, Item], Result], chunk: list[Item]) -> list[Result]:
    assert _store is not None, "the pool has called _prepare"
    return [work(_store, item) for item in chunk]

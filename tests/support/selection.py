"""A pytest plugin: what each test needs, as markers by which tests are chosen, and which tests share a worker.

A test's folder and fixtures say what it needs; no marker but `nightly` is written by hand.
"""

import os
from typing import Final

import pytest

SERVICE: Final = {"service", "served", "fragile", "serving"}
"""Fixtures of a running `reibach serve`."""
STORE: Final = {"valkey", "server", "address", "cluster", "store"}
"""Fixtures of a running store."""
PROCESS: Final = {"start", "step", "jobs", "run_alone", "run_without_reader", "proxy"}
"""Fixtures that start processes for one test."""
PROCESS_ROOMS: Final = {"faults", "runtime"}
"""Folders of such tests."""


def pytest_xdist_auto_num_workers() -> int:
    """Half as many test processes again as cores, for `-n auto`: tests of services often wait for other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test, and give each file, or all files of the rooms of processes, to one worker.

    The tests of processes come first: they take longest, and wait most, so that others fill the cores meanwhile.
    """
    items.sort(key=lambda item: group_of(item) != "processes")
    for item in items:
        for marker in sorted(markers_of(item)):
            item.add_marker(marker)
        item.add_marker(pytest.mark.xdist_group(group_of(item)))


def group_of(item: pytest.Item) -> str:
    """The tests that run on the same worker, as they share an expensive fixture, or would overload a core."""
    room = item.path.parent.name
    if room in {*PROCESS_ROOMS, "workers"}:
        return "processes"
    return room if room == "games" else f"{room}/{item.path.name}"


def markers_of(item: pytest.Item) -> set[str]:
    """Of `store`, `service` and `process` those that the test needs; none: it is pure."""
    fixtures = set(getattr(item, "fixturenames", ()))
    parameters = getattr(item, "callspec", None)
    on_fakeredis = parameters is not None and parameters.params.get("client") == "fakeredis"
    needed = set()
    if fixtures & SERVICE:
        needed.add("service")
    if fixtures & STORE and not on_fakeredis:
        needed.add("store")
    if fixtures & PROCESS or item.path.parent.name in PROCESS_ROOMS:
        needed.add("process")
    return needed

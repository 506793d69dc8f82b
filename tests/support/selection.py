"""A pytest plugin: what each test needs, as markers by which tests are chosen, and which tests share a test process.

A test's folder and fixtures say what it needs; no marker but `slow` and `nightly` is written by hand.
"""

import os
import re
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling

SERVICE: Final = {"service", "served", "fragile", "serving"}
"""Fixtures of a running `reibach serve`."""
STORE: Final = {"valkey", "server", "address", "cluster", "store", "pair"}
"""Fixtures of a running store."""
PROCESS: Final = {"start", "step", "jobs", "run_alone", "run_without_reader", "proxy"}
"""Fixtures that start processes for one test."""
BROWSER: Final = {"browser", "engine"}
"""Fixtures of a browser."""
PROCESS_ROOMS: Final = {"faults", "runtime"}
"""Folders of such tests."""
ALONE_ROOMS: Final = {*PROCESS_ROOMS, "workers"}
"""Folders whose tests run one after the other, and first."""
_SHARE_NOTHING: Final = {"test_forgeries.py"}
"""Files whose tests take minutes, and share nothing."""
LONGEST: Final = {
    *("test_analysis.py", "test_release.py", "test_schemathesis.py", "test_shark.py"),
    *("test_documents.py", "test_report.py"),
}
"""Files of few tests that take many seconds each: whichever began last would be waited for."""
WAITING: Final = ("browser", "process", "service", "store")
"""The markers, those of tests that take longest, and wait most for other processes, first."""
_NAMES_SLOW: Final = re.compile(r"slow|\bbrowser\b")
"""What stands in each file that has a slow test."""


def pytest_xdist_auto_num_workers() -> int:
    """Half as many test processes again as cores, for `-n auto`: tests of services often wait for other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


class GroupScheduling(LoadScopeScheduling):
    """Gives each group of tests to one test process, in the order of the groups."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> GroupScheduling:
    """Groups by the path of a test.

    xdist's own groups are a suffix of a test's id, which pytest 9.2 ignores: each test was a group of its own then.
    """
    return GroupScheduling(config, log)


class RotatedFolder(pytest.Dir):
    """A folder whose files each test process imports from another one on.

    In a fresh checkout each file is compiled by the first that comes to it, and read by the others.
    """

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        nodes = [*super().collect()]
        first = share_of(self.config, len(nodes))
        return nodes[first:] + nodes[:first]


def share_of(config: pytest.Config, count: int) -> int:
    """Where in a list of so many this test process begins, so that all of them begin apart."""
    process = getattr(config, "workerinput", {"workerid": "gw0", "workercount": 1})
    return count * int(process["workerid"].removeprefix("gw")) // int(process["workercount"])


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir:
    return RotatedFolder.from_parent(parent, path=path)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m "slow and ..."` files without slow tests are not imported, which takes longer than to read them."""
    is_other = config.option.markexpr.startswith("slow and ") and collection_path.match("test_*.py")
    return True if is_other and not may_be_slow(collection_path) else None


def may_be_slow(path: Path) -> bool:
    """Whether a file of tests can have a slow one."""
    return _NAMES_SLOW.search(path.read_text("utf-8")) is not None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test, and sort the files: first those that wait most, so that others fill the cores meanwhile.

    But before them what takes longest; of two that wait for the same, the longer file, which tends to take longer: so
    all test processes end together.
    Raises UsageError where a slow test's file would be passed over by `-m "slow and ..."`.
    """
    ranks: dict[Path, int] = {}
    for item in items:
        markers = markers_of(item)
        for marker in sorted(markers):
            item.add_marker(marker)
        if item.get_closest_marker("slow") and not may_be_slow(item.path):
            raise pytest.UsageError(f"{item.nodeid} is slow: its file must say so, in a comment at least")
        rank = min((WAITING.index(marker) for marker in markers & {*WAITING}), default=len(WAITING))
        ranks[item.path] = min(ranks.get(item.path, rank), rank)
    orders = {
        path: (path.parent.name not in ALONE_ROOMS, path.name not in LONGEST, rank, -path.stat().st_size, path)
        for path, rank in ranks.items()
    }
    items.sort(key=lambda item: orders[item.path])


def group_of(nodeid: str) -> str:
    """The tests that run in the same process, as they share an expensive fixture, or would overload a core."""
    path = PurePosixPath(nodeid.partition("::")[0])
    room = path.parent.name
    if path.name in _SHARE_NOTHING:
        return nodeid
    if room in ALONE_ROOMS:
        return "processes"
    return room if room == "games" else str(path)


def markers_of(item: pytest.Item) -> set[str]:
    """Of `store`, `service`, `process` and `browser` those that the test needs; none: it is pure.

    A test in a browser is `slow`: it needs a tool of its own.
    """
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
    if fixtures & BROWSER:
        needed |= {"browser", "slow"}
    return needed

"""`reibach serve` on a full disk: games are read, writes are refused, the store lives, and it heals by itself."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import httpx
import pytest

from service.runtime.guards.disk import ENOUGH, LEAST, RESERVE
from tests.faults.parts import part
from tests.faults.served import served
from tests.support.client import Api, Table
from tests.support.waiting import patience, wait_until

SIZE: Final = 24 * 1024 * 1024
SERVE: Final = [sys.executable, "-m", "service.cli", "serve"]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of the test's own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def free(disk: Path) -> int:
    """Bytes."""
    state = os.statvfs(disk)
    return state.f_bavail * state.f_frsize


def fill(disk: Path, left: int) -> Path:
    """A file that leaves so much free; the store may write meanwhile."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while (room := free(disk) - left) > 0:
            file.write(bytes(min(room, 1024 * 1024)))
    return path


def say(api: Api, table: Table) -> int:
    return api.post(f"{table.path}/messages", table.tokens[0], json={"text": "still there?"}).status_code


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("left", [LEAST // 2, 0], ids=["nearly full", "full"])
def test_a_full_disk(disk: Path, left: int) -> None:
    """Nothing acknowledged is lost; where some space is left, the store isn't even restarted."""
    with served(SERVE, disk / "games") as service, httpx.Client(base_url=service.url, timeout=patience(20)) as http:
        api = Api(http)
        table = api.create(2, seed=None)
        reserve = disk / "games" / "reserve"
        wait_until(lambda: reserve.exists() and reserve.stat().st_size == RESERVE)
        store = part(service, "store")
        filler = fill(disk, left)
        said = 0

        def is_refused() -> bool:
            nonlocal said
            status = say(api, table)
            said += status == 201
            return status == 503

        wait_until(is_refused, 30)
        if left == 0:  # the store has ended with that write, and has been started again, without the reserve
            wait_until(lambda: not reserve.exists() and api.get(table.path).status_code == 200, 30)
            store = part(service, "store")
        for _ in range(50):
            assert api.get(table.path).status_code == 200
            assert say(api, table) == 503
        assert part(service, "store") == store
        filler.unlink()
        assert free(disk) > ENOUGH
        wait_until(lambda: say(api, table) == 201, 30)
        wait_until(lambda: api.get("/readyz").status_code == 200, 30)
        texts = [event["type"] for event in api.events(table)]
        assert texts.count("MessagePosted") == said + 1

"""When the supervisor reports the service as ready, and how it guards the disk of its store."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from config.settings import Settings
from service.runtime import supervisor
from service.runtime.embedded import EmbeddedStore, StoreError
from service.runtime.guards.disk import ENOUGH, LEAST, NOTHING, RESERVE, DiskGuard
from service.runtime.supervisor import _Children, _Signals, _wait_until_ready

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("statuses", "is_full"), [((0, 503, 200), False), ((0, 0, 503), True)])
def test_the_service_is_ready_when_it_says_so(
    monkeypatch: pytest.MonkeyPatch, statuses: tuple[int, ...], is_full: bool
) -> None:
    """By `/readyz`, which on a full disk needs only answer."""
    asked = iter(statuses)
    monkeypatch.setattr(supervisor, "_ask_readyz", lambda _settings: next(asked))
    monkeypatch.setattr(supervisor, "READY_POLL", 0.0)
    guard = SimpleNamespace(is_full=is_full)
    with _Signals() as signals:
        assert _wait_until_ready(Settings(), _Children(signals), signals, guard)  # type: ignore[arg-type]
    assert list(asked) == []


class Server:
    """An embedded store, as far as the guard of its disk uses it."""

    def __init__(self, data: Path, rewritten: int = 0) -> None:
        self.data = data
        self.rewritten_size = lambda: rewritten
        self.calls: list[str] = []
        self.is_up = True
        self.noted = 0

    def has_files(self) -> bool:
        return (self.data / "appendonlydir").exists()

    def note_start(self) -> None:
        self.noted += 1

    def launch(self, more: dict[str, str]) -> None:
        self.calls.append(f"launch {more}")

    def configure(self, name: str, value: str) -> bool:
        if self.is_up:
            self.calls.append(f"{name} {value}")
        return self.is_up


def test_the_guard_of_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new store needs room. Writes are refused below a limit, allowed above a higher one; the reserve goes last."""
    room = SimpleNamespace(free=LEAST - 1)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: room)
    server = Server(tmp_path)
    guard = DiskGuard(server)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="a new store needs 4 MiB"):
        guard.launch()
    (tmp_path / "appendonlydir").mkdir()
    room.free = ENOUGH + RESERVE + 1
    guard.launch()
    guard.look()
    assert server.noted == 1
    assert (tmp_path / "reserve").stat().st_size == RESERVE
    room.free = LEAST - 1
    server.is_up = False
    guard.look()
    server.is_up = True
    for free in (LEAST - 1, LEAST + 1, ENOUGH, NOTHING - 1):
        room.free = free
        guard.look()
    guard.launch()
    assert not (tmp_path / "reserve").exists()
    room.free = ENOUGH
    guard.look()
    guard.look()
    setting, rewrites = "min-replicas-to-write", "auto-aof-rewrite-percentage"
    assert server.calls == [
        "launch {}",
        f"{setting} 1",
        f"{rewrites} 0",
        f"{setting} 0",
        f"{rewrites} 100",
        f"{setting} 1",
        f"{rewrites} 0",
        f"launch {{'{setting}': '1'}}",
        f"{setting} 0",
    ]
    assert not (tmp_path / "reserve").exists(), "there is no room for it yet"


def test_no_log_is_rewritten_without_room_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rewrite writes the log's base again, and a part of what came since; writes are allowed meanwhile."""
    store = EmbeddedStore(tmp_path)
    (tmp_path / "appendonlydir").mkdir()
    for name, size in (("appendonly.aof.2.base.rdb", 3_000_000), ("appendonly.aof.2.incr.aof", 4_000_000)):
        (tmp_path / "appendonlydir" / name).write_bytes(bytes(size))
    need = store.rewritten_size()
    assert need == 5_000_000
    server, room = Server(tmp_path, need), SimpleNamespace(free=need + LEAST)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: room)
    guard = DiskGuard(server)  # type: ignore[arg-type]
    guard.launch()
    for left in (LEAST, LEAST - 1, LEAST - 1, ENOUGH - 1, ENOUGH):
        room.free = need + left
        guard.look()
    guard.launch()
    guard.look()
    setting = "auto-aof-rewrite-percentage"
    assert server.calls == ["launch {}", f"{setting} 0", f"{setting} 100", "launch {}"]
    assert not guard.is_full

"""The embedded store: started, stopped, killed, refused, damaged."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as StoreGone
from redis.retry import Retry

from service.runtime.durability import check_store
from service.runtime.embedded import EmbeddedStore, StoreError, StoreInUse
from tests.support.cases import cases
from tests.support.waiting import is_running, patience, wait_until

ROOT = Path(__file__).parents[2]
DEBIAN = shutil.which("redis-server")
BINARIES = [
    pytest.param("", id="bundled"),
    pytest.param(
        DEBIAN,
        id="redis",
        marks=[pytest.mark.skipif(DEBIAN is None, reason="redis-server isn't installed"), pytest.mark.nightly],
    ),
]
PARENT = cases(__file__, "parent")


@pytest.fixture(params=BINARIES)
def binary(request: pytest.FixtureRequest) -> str:
    """Each server that the tests run with; "" is the bundled one."""
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path, binary: str) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore(tmp_path / "games", binary)
    store.start()
    yield store
    store.stop()


def client_of(store: EmbeddedStore) -> Redis:
    """A client that tries once."""
    return Redis.from_url(store.url, retry=Retry(NoBackoff(), 0), decode_responses=True)


def pid_of(store: EmbeddedStore) -> int:
    assert store.process is not None
    return store.process.pid


def test_keeps_every_acknowledged_event_over_kill_9(store: EmbeddedStore) -> None:
    """A server killed amid appends has each one that it acknowledged, and at most one more, when launched again."""
    acknowledged: list[int] = []

    def append_until_killed() -> None:
        with client_of(store) as client:
            for number in range(1, 1_000_000):
                try:
                    client.xadd("game", {"e": "x"}, id=f"{number}-1")
                except StoreGone:
                    return
                acknowledged.append(number)

    writer = threading.Thread(target=append_until_killed)
    writer.start()
    wait_until(lambda: len(acknowledged) >= 200)
    url = store.url
    os.kill(pid_of(store), signal.SIGKILL)
    writer.join(patience(10))
    assert store.process is not None
    store.process.wait()
    store.launch()
    wait_until(store.is_ready)
    assert store.url == url
    with client_of(store) as client:
        stored = [int(entry.partition("-")[0]) for entry, _ in client.xrange("game")]
    assert stored[: len(acknowledged)] == acknowledged
    assert len(stored) - len(acknowledged) in {0, 1}


def test_folder_and_socket_are_private(store: EmbeddedStore) -> None:
    """Other users can't read the folder, its files or the socket; there is no TCP port."""
    assert [path for path in [store.data, *store.data.rglob("*")] if path.stat().st_mode & 0o077] == []
    with client_of(store) as client:
        assert client.config_get("port") == {"port": "0"}


def test_is_durable_and_evicts_nothing(store: EmbeddedStore) -> None:
    """The server has every setting that durability and memory depend on."""
    expected = cases(__file__, "settings")
    with client_of(store) as client:
        assert client.config_get(*expected) == expected
        assert check_store(client) is None


def test_refuses_a_folder_in_use(store: EmbeddedStore) -> None:
    with pytest.raises(StoreInUse, match=r"in use") as refusal:
        EmbeddedStore(store.data).start()
    assert "\n" not in str(refusal.value)
    with client_of(store) as client:
        assert client.ping()
    store.stop()
    other = EmbeddedStore(store.data)
    other.start()
    other.stop()


@pytest.mark.parametrize("name", ['it\'s "two" Spielplätze 100%?#', "x" * 200])
def test_takes_any_folder_name(tmp_path: Path, binary: str, name: str) -> None:
    """Spaces, quotes, letters beyond ASCII and more length than a socket's path may have all work."""
    store = EmbeddedStore(tmp_path / name, binary)
    store.start()
    with client_of(store) as client:
        assert client.config_get("dir") == {"dir": str(tmp_path / name)}
    command = EmbeddedStore(tmp_path / name, binary)
    with pytest.raises(StoreInUse):
        command.start()
    with client_of(command) as client:  # another process finds the socket, wherever it is
        assert client.ping()
    store.stop()
    store.start()
    store.stop()


def test_leaves_no_runtime_folder(tmp_path: Path) -> None:
    """The private short folder that a long path needs is deleted by a stop."""
    store = EmbeddedStore(tmp_path / ("x" * 200))
    store.start()
    with client_of(store) as client:
        path = Path(client.config_get("unixsocket")["unixsocket"])
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.stop()
    assert not path.parent.exists()


@pytest.fixture
def parent(tmp_path: Path, binary: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process with a store of its own over `tmp_path`, and the server's process id."""
    argv = [sys.executable, "-c", PARENT, str(tmp_path), binary]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        server = int(process.stdout.readline())
        yield process, server
        process.kill()
    if is_running(server):
        os.kill(server, signal.SIGKILL)


def test_ends_with_its_parent(tmp_path: Path, parent: tuple[subprocess.Popen[str], int]) -> None:
    """When the parent is killed the server ends by itself, cleanly, and the folder is free."""
    process, server = parent
    process.kill()
    process.wait()
    wait_until(lambda: not is_running(server))
    assert "bye bye" in (tmp_path / "store.log").read_text()
    store = EmbeddedStore(tmp_path)
    store.claim()
    store.stop()


def test_server_holds_the_lock_itself(tmp_path: Path, parent: tuple[subprocess.Popen[str], int]) -> None:
    """While an orphaned server still exists, its folder is in use, although its parent has ended."""
    process, server = parent
    os.kill(server, signal.SIGSTOP)
    process.kill()
    process.wait()
    store = EmbeddedStore(tmp_path)
    with pytest.raises(StoreInUse):
        store.claim()
    os.kill(server, signal.SIGCONT)
    wait_until(lambda: not is_running(server))
    store.claim()
    store.stop()


def test_damaged_log_fails_the_start_with_a_reason(store: EmbeddedStore) -> None:
    """Garbage within the log: the start fails with the server's reason in one line, and unlocks the folder."""
    with client_of(store) as client:
        for number in range(1, 50):
            client.xadd("game", {"e": "x"}, id=f"{number}-1")
    store.stop()
    (log,) = store.data.glob("appendonlydir/*.incr.aof")
    content = log.read_bytes()
    log.write_bytes(content[:500] + b"garbage" + content[507:])
    for _ in range(2):
        with pytest.raises(StoreError, match="Bad file format reading the append only file") as failure:
            store.start()
        assert "\n" not in str(failure.value)
        assert store.process is None


def test_loses_no_more_than_a_torn_tail(store: EmbeddedStore, caplog: pytest.LogCaptureFixture) -> None:
    """A log that ends amid an entry, as after a power cut, starts without that entry; one warning names the file."""
    with client_of(store) as client:
        for number in range(1, 51):
            client.xadd("game", {"e": "x"}, id=f"{number}-1")
    store.stop()
    (log,) = store.data.glob("appendonlydir/*.incr.aof")
    log.write_bytes(log.read_bytes()[:-7])
    assert caplog.messages == []
    store.start()
    with client_of(store) as client:
        assert client.xlen("game") == 49
    store.note_start()
    (warning,) = caplog.messages
    assert f"cut an incomplete entry off the end of {log}, at byte {log.stat().st_size}" in warning
    store.stop()
    store.start()
    assert caplog.messages == [warning]


@pytest.mark.parametrize(
    ("binary", "reason"),
    [("/nowhere/server", "/nowhere/server is no program"), ("/bin/false", "left no reason"), ("/bin/echo", "--port")],
)
def test_wrong_server_program_fails_the_start_with_a_reason(tmp_path: Path, binary: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason):
        EmbeddedStore(tmp_path, binary).start()


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
@pytest.mark.parametrize("protocol", [2, 3])
def test_check_refuses_eviction(store: EmbeddedStore, policy: str, protocol: int) -> None:
    with Redis.from_url(store.url, protocol=protocol) as client:
        client.config_set("maxmemory-policy", policy)
        with pytest.raises(StoreError, match=policy):
            check_store(client)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [("appendonly", "no", "appendonly is no"), ("appendfsync", "everysec", "appendfsync is everysec")],
)
def test_check_refuses_a_store_that_is_not_durable(store: EmbeddedStore, name: str, value: str, sentence: str) -> None:
    """A store that acknowledges before the disk has it is named as such."""
    with client_of(store) as client:
        client.config_set(name, value)
        assert sentence in (check_store(client) or "")


@pytest.mark.nightly
def test_check_believes_a_store_that_reads_its_files(store: EmbeddedStore) -> None:
    with client_of(store) as client:
        pipe = client.pipeline()
        for number in range(20_000):
            pipe.set("key", number)
        pipe.execute()
    store.stop()
    store.launch({"key-load-delay": "500"})  # microseconds for each; it answers after each thousand or so
    with client_of(store) as client:

        def is_loading() -> bool:
            with suppress(StoreGone):
                return bool(client.info("persistence")["loading"])
            return False

        wait_until(is_loading)
        assert check_store(client) is None
        assert is_loading()
        client.config_set("key-load-delay", 0)
    wait_until(store.is_ready)


@pytest.mark.parametrize("forbidden", ["-config", "-info"])
def test_check_warns_when_settings_cannot_be_read(store: EmbeddedStore, forbidden: str) -> None:
    with client_of(store) as client:
        client.acl_setuser("default", enabled=True, nopass=True, keys=["*"], commands=["+@all", forbidden])
        assert "doesn't tell its settings" in (check_store(client) or "")


def test_a_stale_socket_does_not_prevent_a_start(tmp_path: Path, binary: str) -> None:
    """A socket file left by a killed server doesn't keep the next one from starting."""
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(tmp_path / "store.sock"))
    store = EmbeddedStore(tmp_path, binary)
    store.start()
    store.stop()

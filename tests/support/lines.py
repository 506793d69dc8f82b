"""A line to a store, over TCP, that goes dead without either end being told, as a firewall forgets it, or is cut."""

import socket
import threading
from collections import deque
from contextlib import suppress


class Line:
    """A port in front of a store's unix socket. Each coming script takes a word of `plan`: "" lets it through.

    "before" cuts the connection before the store has read the script, "after" when it has answered.
    """

    def __init__(self, path: str) -> None:
        """`path`: the store's socket."""
        self._path = path
        self.plan: deque[str] = deque()
        self.cuts = 0
        self._dead = threading.Event()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def die(self) -> None:
        """All connections of now carry nothing more, and stay open; new ones work."""
        self._dead.set()
        self._dead = threading.Event()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for one in [self._listener, *self._sockets]:
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._path)
                self._sockets += (near, far)
                cut = threading.Event()
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(*pair, self._dead, cut), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, dead: threading.Event, cut: threading.Event) -> None:
        with suppress(OSError):
            while part := source.recv(1 << 20):
                fate = self.plan.popleft() if self.plan and b"EVALSHA" in part else ""
                if fate == "before" or cut.is_set():
                    self.cuts += 1
                    for one in (source, target):
                        one.shutdown(socket.SHUT_RDWR)
                    return
                if fate == "after":
                    cut.set()
                if not dead.is_set():
                    target.sendall(part)
            if not dead.is_set():
                target.shutdown(socket.SHUT_WR)

"""A line to a store, over TCP, that can go dead without either end being told: as a firewall that forgets it."""

import socket
import threading
from contextlib import suppress


class Line:
    """A port in front of a store's unix socket."""

    def __init__(self, path: str) -> None:
        """`path`: the store's socket."""
        self._path = path
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
        """Close everything."""
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
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=(*pair, self._dead), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket, dead: threading.Event) -> None:
    with suppress(OSError):
        while part := source.recv(1 << 16):
            if not dead.is_set():
                target.sendall(part)
        if not dead.is_set():
            target.shutdown(socket.SHUT_WR)

"""Ports for programs that must be told their port before they start."""

import socket
from collections.abc import Iterator
from random import Random
from typing import Final

from aiosmtpd.controller import Controller

_HOST: Final = "127.0.0.1"
_RANGE: Final = range(10_000, 22_000)
"""Below those that systems give to outgoing connections, which could take a free port before the program does; with
10,000 more, where a node of a cluster has its bus, still below them."""
_BUS: Final = 10_000


def free_port() -> int:
    """A port of which neither it nor that of a bus is taken."""
    return next(port for port in _candidates() if _is_free(port) and _is_free(port + _BUS))


def _candidates() -> Iterator[int]:
    chance = Random()  # not seeded: test runs side by side must not ask for the same ports
    while True:
        yield chance.choice(_RANGE)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            return False
        return True


class FreePort(Controller):
    """A mail server on any port: aiosmtpd's own controller connects to the port that it was given."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()

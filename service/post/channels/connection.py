"""A connection to an address that was checked: neither a slow nor an endless answer lasts longer than its deadline."""

import io
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from http.client import HTTPException
from typing import Final

from service.post.channels.address import CheckedAddress

MAX_ANSWER: Final = 65_536
"""Bytes of an answer that are read at most."""
_TRIES: Final = 3
"""Addresses of a host that one attempt calls at most, so that each has a fair share of the time."""


class Fault(StrEnum):
    """Why an attempt failed; the player sees the value."""

    ADDRESS = "address-refused"
    TIMEOUT = "timeout"
    CONNECTION = "connection-failed"
    TLS = "tls-failed"
    ANSWER = "answer-invalid"
    REDIRECT = "redirect-not-followed"


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of this process's monotonic clock."""

    at: float

    def remaining(self) -> float:
        """Seconds that are left; more than none, or TimeoutError."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def connect(addresses: Sequence[CheckedAddress], deadline: Deadline) -> socket.socket:
    """A connection to the first of the addresses that accepts one. Raises OSError."""
    chosen = addresses[:_TRIES]
    error: OSError = ConnectionError()
    for tried, address in enumerate(chosen):
        connection = socket.socket(address.family, socket.SOCK_STREAM)
        try:
            connection.settimeout(deadline.remaining() / (len(chosen) - tried))
            connection.connect(address.sockaddr)
        except OSError as failed:
            connection.close()
            error = failed
        else:
            return connection
    raise error


class Stream(io.RawIOBase):
    """What http.client and smtplib need of a socket, with a deadline for all of it and a limit for what is read."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline
        self._left = MAX_ANSWER

    def encrypt(self, context: ssl.SSLContext, host: str) -> "Stream":
        """TLS over the connection; the certificate must be the host's. The handshake as a whole keeps the timeout."""
        self._connection.settimeout(self._deadline.remaining())
        return Stream(context.wrap_socket(self._connection, server_hostname=host), self._deadline)

    def close(self) -> None:
        self._connection.close()
        super().close()

    def sendall(self, data: bytes) -> None:
        """Send all bytes before the deadline: `socket.sendall` over TLS would start its timeout again and again."""
        rest = memoryview(data)
        while rest:
            self._connection.settimeout(self._deadline.remaining())
            rest = rest[self._connection.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        if not self._left:
            raise HTTPException
        self._connection.settimeout(self._deadline.remaining())
        count = self._connection.recv_into(buffer[: self._left])
        if not count:
            # http.client would take the end of the connection for the end of the headers.
            raise ConnectionResetError
        self._left -= count
        return count

"""One request over a connection of its own, to an address that was checked.

Rules: the name is never resolved again, no redirect is followed, no proxy of the environment is used, and neither a
slow nor an endless answer lasts longer than the deadline. Only the head of an answer is read.
"""

import io
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Final, cast

from service.post.channels.address import CheckedAddress, Target

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


def send_request(
    target: Target,
    body: bytes,
    write_headers: Callable[[], dict[str, str]],
    context: ssl.SSLContext,
    deadline: Deadline,
) -> tuple[int, str | None]:
    """Send `body` to the first of its addresses that accepts a connection; `Host` and SNI are those of the target.

    Returns the answer's status, and its header `Retry-After`.

    `write_headers` is called when the connection is open, right before the request leaves; if it raises, nothing does.
    Raises OSError, EOFError, HTTPException, and what it raises; ValueError for a header that HTTP doesn't allow.
    """
    with (
        Stream(connect(target.addresses, deadline), deadline) as plain,
        plain.encrypt(context, target.host) if target.scheme == "https" else plain as stream,
    ):
        headers = write_headers()
        connection = HTTPConnection(target.host, target.port)
        connection.sock = cast("socket.socket", stream)
        connection.putrequest("POST", target.path, skip_host=True, skip_accept_encoding=True)
        required = {"Host": target.authority, "Content-Length": str(len(body)), "Connection": "close"}
        for name, value in (required | headers).items():
            connection.putheader(name, value)
        connection.endheaders(body)
        with HTTPResponse(connection.sock, method="POST") as response:
            response.begin()
            return response.status, response.headers.get("Retry-After")


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

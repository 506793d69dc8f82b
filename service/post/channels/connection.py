"""One request over a connection of its own, to an address that was checked.

Rules: the name is never resolved again, no redirect is followed, no proxy of the environment is used, and neither a
slow nor an endless answer lasts longer than the deadline. Only the head of an answer is read.
"""

import io
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Final, cast

from service.post.channels.address import CheckedAddress, Destination, Target

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


class PostFailed(Exception):
    """No answer that counts. `fault` says why; nothing of what the receiver sent is kept."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault: Final = fault


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    retry_after: str | None
    """The header, as it was sent."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of this process's monotonic clock."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds that are left; more than none, or TimeoutError."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def send_request(
    destination: Destination,
    body: bytes,
    write_headers: Callable[[], dict[str, str]],
    context: ssl.SSLContext,
    deadline: Deadline,
) -> HttpAnswer:
    """Send `body` to the first of its addresses that accepts a connection; `Host` and SNI are those of the target.

    `write_headers` is called when the connection is open, right before the request leaves; if it raises, nothing does.
    Raises PostFailed, and what it raises; ValueError for a header that HTTP doesn't allow.
    """
    target = destination.target
    with _faults(), connect(destination.addresses, deadline) as plain:
        channel = _encrypt(plain, target, context, deadline) if target.scheme == "https" else plain
        with channel:
            headers = write_headers()
            connection = HTTPConnection(target.host, target.port)
            connection.sock = cast("socket.socket", _Stream(channel, deadline))
            connection.putrequest("POST", target.path, skip_host=True, skip_accept_encoding=True)
            required = {"Host": target.authority, "Content-Length": str(len(body)), "Connection": "close"}
            for name, value in (required | headers).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            with HTTPResponse(connection.sock, method="POST") as response:
                response.begin()
                return HttpAnswer(response.status, response.headers.get("Retry-After"))


@contextmanager
def _faults() -> Iterator[None]:
    """Exceptions of the network as PostFailed."""
    try:
        yield
    except TimeoutError:
        raise PostFailed(Fault.TIMEOUT) from None
    except ssl.SSLError:
        raise PostFailed(Fault.TLS) from None
    except (ConnectionError, EOFError):
        raise PostFailed(Fault.CONNECTION) from None
    except HTTPException:
        raise PostFailed(Fault.ANSWER) from None
    except OSError:
        raise PostFailed(Fault.CONNECTION) from None


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


def _encrypt(plain: socket.socket, target: Target, context: ssl.SSLContext, deadline: Deadline) -> socket.socket:
    """TLS over the connection; the certificate must be the host's. The handshake as a whole keeps the timeout."""
    plain.settimeout(deadline.remaining())
    return context.wrap_socket(plain, server_hostname=target.host)


class _Stream:
    """What http.client needs of a socket, with a deadline for all of it and a limit for what is read."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        """Send all bytes before the deadline: `socket.sendall` over TLS would start its timeout again and again."""
        rest = memoryview(data)
        while rest:
            self._connection.settimeout(self._deadline.remaining())
            rest = rest[self._connection.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Answer(self._connection, self._deadline))

    def close(self) -> None:
        """Nothing: `send_request` closes the connection."""


class _Answer(io.RawIOBase):
    """The bytes of the answer, up to the limit and the deadline."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline
        self._left = MAX_ANSWER

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        if not self._left:
            raise HTTPException
        self._connection.settimeout(self._deadline.remaining())
        count = self._connection.recv_into(buffer[: self._left])
        if not count:
            # http.client takes the end of the connection for the end of the headers.
            raise ConnectionResetError
        self._left -= count
        return count

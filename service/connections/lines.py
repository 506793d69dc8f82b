"""What a raw connection sends and reads by: the socket itself, or redis-py where that isn't a plain one.

Python lets other threads run whenever it asks the system for something, and each of these changes costs a request as
much as a twentieth of an action. So a packet goes out with Python's lock held, and the system ends a wait for a reply:
Python would ask it for news before each read and each write. TLS has waits of its own, and stays as redis-py has it.
"""

import ctypes
import socket
import struct
from typing import Any, Final, Protocol

import hiredis
import redis
from redis._parsers.hiredis import NOT_ENOUGH_DATA, _HiredisParser
from redis.exceptions import ResponseError

_MOST_READ: Final = 1 << 16
"""Bytes of a read."""
_SEND: Final = ctypes.PyDLL(None).send
"""The system's own `send`, called with Python's lock held: with MSG_DONTWAIT it takes microseconds at most."""
_SEND.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int)
_SEND.restype = ctypes.c_ssize_t


class Line(Protocol):
    """The two directions of a connection. They raise redis-py's errors, after which the connection is of no use."""

    def send(self, packet: bytes) -> None:
        """Send all of it."""
        ...

    def read(self) -> Any:
        """The next reply; that to a command that was refused is a ResponseError, which isn't raised."""
        ...


def open_line(connection: Any) -> Line:
    """The line of a connection of redis-py that is connected."""
    line, parser = connection._sock, connection._parser  # noqa: SLF001 - redis-py hands them out nowhere
    if type(line) is socket.socket and connection.socket_timeout and type(parser) is _HiredisParser:
        return _SystemLine(line, parser, connection.socket_timeout)
    return _ClientLine(connection)


class _SystemLine:
    """A plain socket."""

    def __init__(self, line: socket.socket, parser: _HiredisParser, seconds: float) -> None:
        """`seconds`: for which each read and each write may wait."""
        line.settimeout(None)
        wait = struct.pack("@ll", int(seconds), int(seconds % 1 * 1_000_000))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            line.setsockopt(socket.SOL_SOCKET, option, wait)
        self._socket = line
        self._parser = parser
        self._reader = parser._reader  # noqa: SLF001 - what it has read of another reply at the beginning stays in it

    def send(self, packet: bytes) -> None:
        """Send all of it."""
        sent = _SEND(self._socket.fileno(), packet, len(packet), socket.MSG_DONTWAIT)
        if sent != len(packet):  # there is no room at the moment, or an error, which shows again
            try:
                self._socket.sendall(packet[max(0, sent) :])
            except OSError as error:
                raise _failure(error) from None

    def read(self) -> Any:
        """The next reply."""
        reader = self._reader
        while True:
            while (reply := reader.gets()) is NOT_ENOUGH_DATA:
                try:
                    data = self._socket.recv(_MOST_READ)
                except OSError as error:
                    raise _failure(error) from None
                if not data:
                    raise redis.ConnectionError("the server has closed the connection")
                reader.feed(data)
            if type(reply) is not hiredis.PushNotification:
                break
            self._parser.handle_push_response(reply)  # type: ignore[no-untyped-call]
        first = reply[0] if type(reply) is list and reply else reply
        if isinstance(first, redis.ConnectionError):  # it is loading its data, say
            raise first
        return reply


class _ClientLine:
    """redis-py's own ways: of TLS, or without a time-out."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def send(self, packet: bytes) -> None:
        """Send all of it."""
        self._connection.send_packed_command([packet])

    def read(self) -> Any:
        """The next reply."""
        try:
            return self._connection.read_response()
        except ResponseError as error:
            return error


def _failure(error: OSError) -> redis.RedisError:
    if isinstance(error, BlockingIOError):  # how the system says that the time is over
        return redis.TimeoutError("the server's answer takes too long")
    return redis.ConnectionError(f"the connection to the server has broken: {error.strerror}")

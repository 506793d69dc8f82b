"""The lines of a mail as it comes in, without what is never read of it: so its size is that of its texts."""

import re
from collections import deque
from typing import Any, Final

from service.post.inbox.message import LARGEST

LARGEST_MAIL: Final = 10_000_000
"""Bytes of a mail with all its parts."""
_LEAST: Final = 64
_LEAST_READ: Final = 16
_END: Final = b".\r\n"
_BOUNDARY: Final = re.compile(rb'boundary="?([^"\s;]{1,70})', re.IGNORECASE)
_UNREAD: Final = re.compile(rb"content-type: *(?!text/|multipart/)[a-z]", re.IGNORECASE)


class Sieve:
    """A stream's reader, for one mail: it drops bodies that hold no text, and those over what is left of LARGEST."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self.size = 0
        """Bytes that have come. Lines take time: each counts as _LEAST at least, and as _LEAST_READ if it is read."""
        self._ready, self._held, self._boundaries = deque[bytes](), list[bytes](), set[bytes]()
        self._kept, self._in_head, self._drops = 0, True, False

    async def read(self, size: int) -> bytes:
        return bytes(await self._reader.read(size))

    async def readuntil(self, separator: bytes) -> bytes:
        while not self._ready:
            self._take(await self._reader.readuntil(separator))
        return self._ready.popleft()

    def _take(self, line: bytes) -> None:
        self.size += max(len(line), _LEAST)
        if self._drops and not self._in_head and not line.startswith((b"--", b".")):
            return  # most lines of a large mail are such ones
        self._kept += max(len(line), _LEAST_READ) if self._in_head or not self._drops else 0
        mark = line.rstrip()[2:] if self._boundaries and line.startswith(b"--") else b""
        if line == _END or (mark and not self._boundaries.isdisjoint((mark, mark.removesuffix(b"--")))):
            self._ready += [*self._held, *([line] if line == _END or self._kept <= LARGEST else [])]
            self._held, self._in_head, self._drops = [], True, False
        elif self._in_head:
            self._in_head = line != b"\r\n"
            self._boundaries |= set(_BOUNDARY.findall(line))
            self._drops |= _UNREAD.match(line) is not None
            self._ready += [line] if self._kept <= LARGEST else []
        elif not self._drops:
            self._held.append(line)
            if self._kept > LARGEST:
                self._kept -= sum(max(len(held), _LEAST_READ) for held in self._held)
                self._held, self._drops = [], True

"""How the processes of `serve` tell their supervisor that they are ready: each writes its id to one pipe."""

import os
from contextlib import suppress
from typing import Final

VARIABLE: Final = "SERVE_READY"
"""Names the pipe's descriptor to the processes that inherit it."""


def tell_ready() -> None:
    """Tell the supervisor, if there is one, that this process is ready. Never raises."""
    with suppress(KeyError, ValueError, OSError):
        os.write(int(os.environ[VARIABLE]), b"%d\n" % os.getpid())


class ReadyPipe:
    """The supervisor's side."""

    def __init__(self) -> None:
        self._out, self._in = os.pipe()
        for descriptor in (self._out, self._in):
            os.set_blocking(descriptor, False)
        self._rest = b""
        self._told: set[int] = set()

    @property
    def inherited(self) -> tuple[int]:
        """The descriptors that the processes need."""
        return (self._in,)

    @property
    def environment(self) -> dict[str, str]:
        return {VARIABLE: str(self._in)}

    def count(self) -> int:
        """How many processes have reported, and still run."""
        with suppress(BlockingIOError):
            while read := os.read(self._out, 4096):
                *lines, self._rest = (self._rest + read).split(b"\n")
                self._told.update(map(int, lines))
        self._told = {pid for pid in self._told if _runs(pid)}
        return len(self._told)

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True

"""What the plugin in connections.py closes at the end of the test, or of the test module, that opens it."""

from typing import Final, Protocol
from weakref import WeakSet


class Closable(Protocol):
    """What may be closed more than once."""

    def close(self) -> object: ...


OPEN: Final[WeakSet[Closable]] = WeakSet()

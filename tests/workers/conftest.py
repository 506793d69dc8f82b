"""What tests of workers share."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def own_signals() -> Iterator[None]:
    """RQ's worker takes over the signals of its process: here of the tests', which gets its own back."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)

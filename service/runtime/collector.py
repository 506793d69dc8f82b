"""The garbage collector of processes that run for long: what a start loads stays, so it is never walked."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def permanent_objects() -> Iterator[None]:
    """No collection in this block; what exists at its end is never walked or freed by the collector.

    For modules and services that live as long as their process, in blocks that leave no garbage. Memory pages of what
    a parent has loaded stay shared with its forks, as collections don't write to them.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

"""How full the store's memory is, asked once a second (`poller.py`), so that no request has to."""

import math
from collections.abc import Mapping
from typing import Any

import structlog

from service.connections.clients import Client, server_states

logger = structlog.get_logger("service.gamelog")


def memory_limit(state: Mapping[str, Any]) -> int:
    """Bytes that a server may use: its `maxmemory`, or the memory of its machine; 0 where that isn't known."""
    return int(state.get("maxmemory") or state.get("total_system_memory", 0))


class MemoryGauge:
    """Knows whether the store's memory is above a watermark. Safe for threads."""

    def __init__(self, client: Client, watermark: float) -> None:
        """`watermark`: up to 1 a fraction of the store's limit (as `memory_limit` says), above 1 bytes; 0: none.

        Not above it before the first reading, nor where the limit isn't known.
        """
        self._client = client
        self._watermark = watermark
        self.is_full = False

    def read(self) -> None:
        """Ask the store; on a cluster every primary: one that is full counts for all. Raises redis-py's errors."""
        is_full = any(state["used_memory"] > self._most(state) for state in server_states(self._client, "memory"))
        if is_full != self.is_full:
            logger.warning("the store's memory is above its watermark" if is_full else "the store has room again")
        self.is_full = is_full

    def _most(self, state: Mapping[str, Any]) -> float:
        return (self._watermark if self._watermark > 1 else self._watermark * memory_limit(state)) or math.inf

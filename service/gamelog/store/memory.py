"""How full the store's memory is, asked once a second, so that no request has to."""

import threading
from typing import Final

import structlog

from service.gamelog.store.scripts import STORE_ERRORS, Client

_PAUSE_S: Final = 1.0

logger = structlog.get_logger("service.gamelog")


class MemoryGauge:
    """Knows whether the store's memory is above a watermark. Safe for threads."""

    def __init__(self, client: Client, watermark: float) -> None:
        """`watermark`: up to 1 a fraction of the store's limit (`maxmemory`, else its machine's memory), above 1 bytes.

        0: none. Unknown, and so not above, before the first reading.
        """
        self._client = client
        self._watermark = watermark
        self.is_full = False

    def start(self) -> None:
        """Read once a second from now on, in a thread that ends with the process."""
        if self._watermark:
            threading.Thread(target=self._run, name="memory", daemon=True).start()

    def read(self) -> None:
        """Ask the store; on a cluster every primary: one that is full stands for all. Raises redis-py's errors."""
        nodes = getattr(self._client, "get_primaries", None)
        replies = (
            [self._client.info("memory", target_nodes=node) for node in nodes()]
            if nodes
            else [self._client.info("memory")]
        )
        is_full = any(reply["used_memory"] > self._limit(reply) for reply in replies)
        if is_full != self.is_full:
            logger.warning("the store's memory is above its watermark" if is_full else "the store has room again")
        self.is_full = is_full

    def _limit(self, reply: dict[str, int]) -> float:
        if not self._watermark:
            return float("inf")
        if self._watermark > 1:
            return self._watermark
        return self._watermark * (reply["maxmemory"] or reply["total_system_memory"])

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            try:
                self.read()
            except (*STORE_ERRORS, LookupError) as error:  # the requests say so themselves
                logger.debug("the store's memory is unknown", reason=type(error).__name__)
            pause.wait(_PAUSE_S)

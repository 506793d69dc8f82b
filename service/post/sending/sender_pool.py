"""The threads that send notices: two lanes, so that failing receivers don't delay the others.

Rule: first attempts to receivers that have answered have all threads; to those that haven't answered yet, half of them;
retries and receivers that have failed lately share a third. A notice is claimed only when a thread is free for it.
"""

from collections.abc import Callable
from threading import Condition, Thread
from typing import Final

import structlog

from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import NoSuchGame, NoSuchVersion, StoreUnavailable
from service.post.claim import AGAIN, FIRST, Claim
from service.post.outbox import Outbox

THREADS: Final = 64

logger = structlog.get_logger("service.post.sending.sender_pool")


class SenderPool:
    def __init__(self, outbox: Outbox, attempt: Callable[[Claim, str], None], threads: int = THREADS) -> None:
        self._outbox = outbox
        self._attempt = attempt
        self._most = {FIRST: threads, AGAIN: max(1, threads // 3)}
        self._threads = threads
        self._changed = Condition()
        self._running = dict.fromkeys(self._most, 0)

    def send_due(self) -> int:
        """Claim what is due, as far as threads are free; returns the number of notices. Raises StoreUnavailable."""
        count = 0
        for lane in (FIRST, AGAIN):
            with self._changed:
                room = min(self._most[lane] - self._running[lane], self._threads - sum(self._running.values()))
            for claim in self._outbox.claim(lane, room):
                with self._changed:
                    self._running[lane] += 1
                # A daemon: a process that is stopped doesn't wait for a receiver that hangs.
                Thread(target=self._run, args=(claim, lane), name="sender", daemon=True).start()
                count += 1
        return count

    def wait(self, seconds: float) -> bool:
        """Wait until no attempt runs, `seconds` at most; whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(self._running.values()), seconds)

    def _run(self, claim: Claim, lane: str) -> None:
        try:
            self._attempt(claim, lane)
        except (NoSuchGame, NoSuchVersion, StoreUnavailable, *STORE_ERRORS):
            pass  # the notice is claimed again when its lease has ended
        except Exception as error:  # noqa: BLE001 - likewise; its text may hold what a player wrote
            logger.error("an attempt has failed", game=claim.notice.game, reason=type(error).__name__)
        finally:
            with self._changed:
                self._running[lane] -= 1
                self._changed.notify_all()

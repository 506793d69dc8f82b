"""What a process asks its store once a second, so that no request has to: one thread for all of it."""

import threading
from collections.abc import Callable
from typing import Final

import structlog

from service.connections.clients import STORE_ERRORS
from service.gamelog.errors import StoreUnavailable
from service.runtime.guards.threads import FaultLog

_PAUSE_S: Final = 1.0

_faults = FaultLog("store-poller")
logger = structlog.get_logger("service.gamelog")


def poll(*questions: Callable[[], None]) -> None:
    """Ask all of them once. One that fails doesn't keep the others from being asked."""
    for ask in questions:
        try:
            ask()
        except (*STORE_ERRORS, StoreUnavailable, LookupError) as error:  # the requests say so themselves
            logger.debug("the store can't be asked", reason=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the clock would stand still for good
            _faults.note(error)


def start_polling(*questions: Callable[[], None]) -> Callable[[], None]:
    """Ask once a second from now on, in a thread that ends with the process, or by the function that is returned."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            poll(*questions)
            stop.wait(_PAUSE_S)

    def end() -> None:
        stop.set()
        thread.join()

    thread = threading.Thread(target=run, name="store-poller", daemon=True)
    thread.start()
    return end

"""What a process asks its store once a second, so that no request has to: one thread for all of it."""

from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import StoreUnavailable
from service.runtime.guards.threads import FaultLog
from service.runtime.periodic import Periodic

_PAUSE_S: Final = 1.0

_faults = FaultLog("store-poller")
logger = structlog.get_logger("service.gamelog")


def poll(*checks: Callable[[], None]) -> None:
    """Make all checks once. One that fails doesn't keep the others from being made."""
    for check in checks:
        try:
            check()
        except (*STORE_ERRORS, StoreUnavailable, LookupError) as error:  # the requests say so themselves
            logger.debug("the store can't be asked", reason=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - the clock would stop for good
            _faults.note(error)


def start_polling(*checks: Callable[[], None]) -> Callable[[], None]:
    """Check once a second from now on, in a thread that ends with the process, or by the function that is returned."""
    poller = Periodic("store-poller", partial(poll, *checks), _PAUSE_S)
    poller.start()
    return poller.stop

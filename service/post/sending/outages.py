"""Whether the mail server and the hosts of webhooks answer: the operator is told once an outage, and of its end."""

from collections.abc import Callable
from threading import Lock
from typing import Final

import structlog

from service.post.channel_table import CHANNELS
from service.post.channels.results import SendResult

_MOST: Final = 100
"""Hosts that fail at the same time and are known to; players name them, and the oldest is forgotten for one more."""

logger = structlog.get_logger("service.post.sending.outages")


class Outages:
    """Of one process; threads share it."""

    def __init__(self, note_mail: Callable[[bool], object]) -> None:
        """`note_mail` is told whether mails leave, where that has changed, and of the first mail."""
        self._note_mail = note_mail
        self._failing: dict[str, None] = {}
        self._known_mail: bool | None = None
        self._lock = Lock()

    def record(self, channel: str, host: str, result: SendResult) -> None:
        """Take the result of an attempt; nothing in it names a player."""
        with self._lock:
            changed = result.is_outage != (host in self._failing)
            self._failing.pop(host, None)
            if result.is_outage:
                self._failing[host] = None
                if len(self._failing) > _MOST:
                    del self._failing[next(iter(self._failing))]
            is_news = CHANNELS[channel].has_gauge and self._known_mail is not (not result.is_outage)
            if is_news:
                self._known_mail = not result.is_outage
        if changed and result.is_outage:
            logger.warning("notices can't be sent", channel=channel, host=host, reason=result.error, said=result.said)
        elif changed:
            logger.info("notices can be sent again", channel=channel, host=host)
        if is_news:
            self._note_mail(not result.is_outage)

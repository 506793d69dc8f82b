"""What has become of an attempt to send a notice, and when the next one is made."""

import re
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from random import Random
from typing import Final

RETRY_DELAYS_S: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 86_400, 86_400)
"""Seconds from one attempt to the next, the last one again: nine attempts in 66 hours, where none is made early."""
RETRY_PERIOD_S: Final = 3 * 86_400
"""No attempt begins later than so many seconds after the first."""
JITTER: Final = 0.1
"""The share by which a delay is longer or shorter, so that receivers that fail together aren't called together."""
MAX_RETRY_AFTER_S: Final = 86_400
"""A receiver can ask for no longer pause than the longest of ours."""
_SECONDS: Final = re.compile(r"[0-9]+")
_MOST_DIGITS: Final = 18
"""That are read: they are more than MAX_RETRY_AFTER_S."""


@dataclass(frozen=True, slots=True)
class SendResult:
    error: str | None = None
    """Why it was not delivered, in fixed words and a status; None: it was."""
    is_refused: bool = False
    """Whether the receiver has unsubscribed, or is gone."""
    is_unanswered: bool = False
    """Whether it has failed without an answer, as attempts do that take long."""
    is_failing: bool = False
    """Whether it has answered that it doesn't work, whatever it is sent."""
    retry_after: str | None = None
    """The header of that name, as the receiver sent it."""
    said: str | None = field(default=None, compare=False)
    """What the mail server said to this service, without addresses; None where it was about a mailbox."""
    answer: str = field(default="", compare=False)
    """What it said when it took the mail or refused its mailbox, without addresses."""

    @property
    def is_outage(self) -> bool:
        """Whether others that are sent there fail, too."""
        return self.is_unanswered or self.is_failing or self.said is not None


UNSENT: Final = SendResult()
"""It may leave in PUT_OFF_MS: another mail asks its receiver now. Of that nothing is known then."""
PUT_OFF_MS: Final = 86_400_000


def next_attempt(attempt: int, first_at: int, now: int, retry_after: str | None, chance: Random) -> int | None:
    """When to try again after attempt number `attempt` failed at `now`; None if it was the last one.

    All times in milliseconds since 1970. The receiver's `Retry-After` can put an attempt off, never bring it forward.
    """
    step = min(attempt, len(RETRY_DELAYS_S)) - 1  # more attempts are made where mails are let go early
    delay = RETRY_DELAYS_S[step] * chance.uniform(1 - JITTER, 1 + JITTER)
    asked = min(_seconds(retry_after, now), MAX_RETRY_AFTER_S)
    at = now + round(1000 * max(delay, asked))
    return at if at - first_at <= 1000 * RETRY_PERIOD_S else None


def _seconds(retry_after: str | None, now: int) -> float:
    """The pause that the header asks for, in seconds; 0 if there is none or it can't be read."""
    text = (retry_after or "").strip()
    if _SECONDS.fullmatch(text):
        return int(text[:_MOST_DIGITS])
    try:
        return parsedate_to_datetime(text).timestamp() - now / 1000
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0

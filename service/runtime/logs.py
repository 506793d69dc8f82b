"""Log output of all processes: a line for each message, as text or JSON. Rule: no token, hidden card or seed in it."""

import logging
import re
import sys
from typing import Final

import structlog

_WEB_EXIT: Final = re.compile(r"Unexpected exit from worker-(\d+)")
"""Granian's words for a web process that ended, which it restarts."""


class WebExitFilter(logging.Filter):
    """Makes a warning of the end of a web process, in the service's words: it is restarted, so nothing is lost."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True: every message is logged."""
        if match := _WEB_EXIT.fullmatch(str(record.msg)):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg = f"web process {match[1]} ended and is restarted"
        return True


def configure(form: str) -> None:
    """Set up structlog and the standard library's loggers alike. `form`: `text` or `json`."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    if form == "json":
        render: structlog.typing.Processor = structlog.processors.JSONRenderer(sort_keys=True)
    else:
        render = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render]
    )
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("service").setLevel(logging.INFO)
    logging.getLogger("workers").setLevel(logging.INFO)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )

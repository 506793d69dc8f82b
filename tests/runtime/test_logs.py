"""Which messages of other libraries are lowered to warnings."""

import logging

import pytest

from service.runtime.logs import WebExitFilter


@pytest.mark.parametrize(
    ("message", "logged"),
    [
        ("Unexpected exit from worker-1", ("WARNING", "web process 1 ended and is restarted")),
        ("Worker crash loop detected, exiting", ("ERROR", "Worker crash loop detected, exiting")),
    ],
)
def test_the_end_of_a_web_process_is_a_warning(message: str, logged: tuple[str, str]) -> None:
    """The end of one process, which is restarted, is a warning in plain words; a crash loop stays an error."""
    record = logging.LogRecord("_granian", logging.ERROR, "", 0, message, None, None)
    assert WebExitFilter().filter(record)
    assert (record.levelname, record.getMessage()) == logged
    assert record.levelno == getattr(logging, record.levelname)

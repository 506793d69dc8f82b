"""The job queue's address: a worker needs its server at the start, web and post begin without it."""

import pytest

from config.settings import Settings
from service.cli import _require_queue
from service.commands.errors import BadUsage, CommandFailed
from tests.support.ports import free_port


def test_a_queue_that_is_away(capsys: pytest.CaptureFixture[str]) -> None:
    """One line says so; games are played, and jobs wait for the reconciler."""
    settings = Settings(queue_url=f"redis://127.0.0.1:{free_port()}")
    with pytest.raises(CommandFailed, match="check REIBACH_QUEUE_URL"):
        _require_queue(settings)
    assert _require_queue(settings, warn=True) is settings
    assert capsys.readouterr().err.startswith("reibach: the job queue can't be reached")


@pytest.mark.parametrize("url", ["redis://one:1,redis://two:2", "redis+sentinel://host", "host:1"])
def test_an_address_that_names_no_queue(url: str) -> None:
    """A cluster's nodes, among others."""
    with pytest.raises(BadUsage, match="REIBACH_QUEUE_URL: "):
        _require_queue(Settings(queue_url=url), warn=True)

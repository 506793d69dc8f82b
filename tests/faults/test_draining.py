"""The end of a service that drains: it says so first, and answers until then."""

import signal
from pathlib import Path

import httpx
import pytest

from tests.faults.served import Served, served
from tests.support.client import Api
from tests.support.shell import COMMAND
from tests.support.waiting import patience, wait_until

LONG = "150"
"""Seconds: no test waits for the end of this time, but one that fails."""


def status(running: Served) -> str:
    said: str = httpx.get(f"{running.url}/readyz", timeout=patience(10)).json()["status"]
    return said


def test_a_draining_service_plays_on(tmp_path: Path) -> None:
    """After SIGTERM it isn't ready, but takes actions and plays bots; a second one ends it.

    Connections end with their next answer. A stream that was open continues, and ends with its last chunk.
    """
    with (
        served([*COMMAND, "serve"], tmp_path / "games", REIBACH_DRAIN_SECONDS=LONG) as running,
        httpx.Client(base_url=running.url, timeout=patience(30)) as http,
    ):
        api = Api(http)
        table = api.create([{"name": "Anna"}, {"name": "Bert"}], None)
        with http.stream("GET", f"{table.path}/events", headers={"Accept": "text/event-stream"}) as stream:
            lines = stream.iter_lines()
            running.process.send_signal(signal.SIGTERM)
            wait_until(lambda: status(running) == "draining")
            answer = api.post(f"{table.path}/messages", table.tokens[0], json={"text": "still here"})
            assert (answer.status_code, answer.headers["Connection"]) == (201, "close")
            assert any("still here" in line for line in lines)
            api.await_end(api.create([{"bot": "greedy"}, {"bot": "greedy"}], None))
            assert status(running) == "draining"
            running.process.send_signal(signal.SIGTERM)
            list(lines)  # a stream that breaks off raises
        assert running.process.wait(patience(20)) == 0


@pytest.mark.nightly
def test_the_time_ends(tmp_path: Path) -> None:
    """A service ends by itself when it has drained; Ctrl-C's second signal isn't needed."""
    with served([*COMMAND, "serve"], tmp_path / "games", REIBACH_DRAIN_SECONDS="0.5") as running:
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(patience(20)) == 0

"""The service that the demonstration plays on: `reibach serve` as a process of its own, on a folder of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Final

from service.commands.errors import CommandFailed

_STOP_S: Final = 30.0


class DemoService:
    """Starts, stops and kills the service. The games stay in its folder."""

    def __init__(self, folder: Path, log: IO[bytes], settings: dict[str, str]) -> None:
        """`log`: where its log lines go; `settings`: variables besides those that the caller's environment has."""
        self._environment = os.environ | settings
        self._folder = folder
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Start the service and wait for its address. Raises CommandFailed."""
        command = [sys.executable, "-m", "service.cli", "serve", "--data", str(self._folder / "games")]
        self._process = subprocess.Popen(
            command, env=self._environment, stdout=subprocess.PIPE, stderr=self._log, text=True, start_new_session=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CommandFailed("the service of the demonstration didn't start")
        self.url = line.split()[-1]

    def stop(self) -> None:
        """End it as an operator does."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End all of its processes at once, as a power cut does."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.wait(_STOP_S)
        if process.stdout is not None:
            process.stdout.close()

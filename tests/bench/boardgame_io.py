"""boardgame.io's own server with its matches in memory, and clients that play on it over websockets.

`REIBACH_BENCH_NODE` names a folder in which `npm install boardgame.io socket.io-client` was run, with node 20 or later.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.common import accepts, process
from tests.support.ports import free_port

SCRIPTS = Path(__file__).with_name("node")


@dataclass(frozen=True, slots=True)
class BoardgameIo:
    """The running server."""

    port: int
    environment: dict[str, str]

    def play(self, clients: int, seconds: float) -> dict[str, float]:
        """Let so many clients play whole matches; what they saw."""
        command = ["node", str(SCRIPTS / "clients.js"), str(self.port), str(clients), str(seconds)]
        output = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, check=True).stdout
        found = json.loads(output)
        return {"actions/s": found["moves_per_s"], "p50 ms": found["p50"], "p99 ms": found["p99"]}


def node_modules() -> Path | None:
    """Where boardgame.io and its client are, if they and node are here."""
    modules = Path(os.environ.get("REIBACH_BENCH_NODE", "."), "node_modules")
    there = all((modules / name / "package.json").is_file() for name in ("boardgame.io", "socket.io-client"))
    return modules.absolute() if there and shutil.which("node") else None


@contextmanager
def boardgame_io(modules: Path) -> Iterator[BoardgameIo]:
    """Run the server until the block ends."""
    environment = os.environ | {"NODE_PATH": str(modules), "NODE_ENV": "production"}
    port = free_port()
    command = ["node", str(SCRIPTS / "server.js"), str(port)]
    with process(command, lambda: accepts(port), environment):
        yield BoardgameIo(port, environment)

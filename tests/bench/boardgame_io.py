"""boardgame.io's own server with one of its stores, and clients that play on it over websockets.

`REIBACH_BENCH_NODE` names a folder in which `npm install boardgame.io socket.io-client` was run, with node 20 or later;
also `node-persist@3` for FlatFile, and `bgio-postgres`, if PostgreSQL's programs are here.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.common import HOST, accepts, process
from tests.bench.services import processor_seconds
from tests.support.ports import free_port

SCRIPTS = Path(__file__).with_name("node")
MEMORY, FILES, POSTGRES = "memory", "FlatFile", "PostgreSQL"
PACKAGES = {MEMORY: "socket.io-client", FILES: "node-persist", POSTGRES: "bgio-postgres"}
"""What each store needs, besides boardgame.io and its client."""
OWNER = "postgres"
"""Who runs PostgreSQL, which refuses root."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where matches are kept."""

    kind: str
    address: str = ""
    """A folder, or a URL."""
    process: int = 0
    """Of the database; 0: there is none."""


@dataclass(frozen=True, slots=True)
class BoardgameIo:
    """The running server."""

    port: int
    process: int
    database: int
    environment: dict[str, str]

    def play(self, clients: int, seconds: float) -> dict[str, float]:
        """Let so many clients play whole matches: what they saw, and processor time of the server and its database."""
        with self.clients("play", str(clients), str(seconds)) as program:
            assert program.stdout is not None
            program.stdout.readline()
            before = self._used()
            seen = json.loads(program.stdout.readline() or "{}")
            after = self._used()
        if not seen["moves"]:  # a busy machine
            return self.play(clients, 2 * seconds)
        used = {f"{name} us": 1e6 * (after[name] - before[name]) / seen["moves"] for name in before}
        rates = {"actions/s": seen["moves"] / seen["seconds"], "p50 ms": seen["p50"], "p99 ms": seen["p99"]}
        return {**rates, **used, "all us": sum(used.values())}

    def clients(self, *words: str) -> "subprocess.Popen[str]":
        """Start the program of the clients."""
        command = ["node", str(SCRIPTS / "clients.js"), str(self.port), *words]
        errors = subprocess.DEVNULL if words[0] == "check" else None
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=errors, text=True)

    def _used(self) -> dict[str, float]:
        stored = {"store": processor_seconds(self.database)} if self.database else {}
        return {"web": processor_seconds(self.process)} | stored


def node_modules() -> Path | None:
    """Where boardgame.io and its client are, if they and node are here."""
    modules = Path(os.environ.get("REIBACH_BENCH_NODE", "."), "node_modules")
    there = all((modules / name / "package.json").is_file() for name in ("boardgame.io", "socket.io-client"))
    return modules.absolute() if there and shutil.which("node") else None


def stores(modules: Path | None) -> list[str]:
    """The kinds of stores that can be measured here."""
    kinds = [kind for kind, package in PACKAGES.items() if modules and (modules / package).is_dir()]
    return [kind for kind in kinds if kind != POSTGRES or postgres_programs()]


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's programs."""
    places = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/pg_isready")]  # Debian's are in no PATH
    return places[-1] if places else None


@contextmanager
def target(kind: str) -> Iterator[Target]:
    """An empty store of that kind."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if kind != POSTGRES:
            yield Target(kind, folder)
            return
        programs, port, data = postgres_programs(), free_port(), Path(folder, "data")
        assert programs is not None
        other_user = ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups"] if os.geteuid() == 0 else []
        if other_user:
            shutil.chown(folder, OWNER)
        make = [*other_user, str(programs / "initdb"), "-D", str(data), "-U", OWNER, "--auth=trust"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd="/")
        server = [*other_user, str(programs / "postgres"), "-D", str(data), "-p", str(port), "-h", HOST, "-k", folder]
        ask = [str(programs / "pg_isready"), "-q", "-h", HOST, "-p", str(port)]
        with process(server, lambda: not subprocess.call(ask), os.environ, quiet=True) as number:
            yield Target(kind, f"postgres://{OWNER}@{HOST}:{port}/postgres", number)


@contextmanager
def boardgame_io(modules: Path, at: Target) -> Iterator[BoardgameIo]:
    """Run the server until the block ends."""
    environment = os.environ | {"NODE_PATH": str(modules), "NODE_ENV": "production"}
    port = free_port()
    command = ["node", str(SCRIPTS / "server.js"), str(port), at.kind, at.address]
    with process(command, lambda: accepts(port), environment, quiet=True) as number:
        yield BoardgameIo(port, number, at.process, environment)

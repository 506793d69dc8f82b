"""Accepted actions a second of our service and moves a second of boardgame.io's server, 20 connections each.

Run: `REIBACH_BENCH_NODE=FOLDER python -m tests.benchmarks.boardgame_io`, with a folder in which
`npm install boardgame.io socket.io-client` was run. Needs node and wrk.

boardgame.io keeps its matches in memory, in one process, and sends moves over websockets; our service syncs each action
to disk, and is measured as in `actions`. A third turn has our store in the machine's memory too. All are up throughout
and take turns; figures are medians.
"""

import json
import os
import secrets
import shutil
import statistics
import subprocess
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from random import Random

from tests.benchmarks.actions import plan_games, play
from tests.benchmarks.common import accepts, disk_sync_ms, durable_store, process, show, show_aim, web
from tests.support.ports import free_port

CLIENTS = 20
SECONDS = 3
ROUNDS = 3
GAMES = 300
"""Enough for one turn of ours."""
SCRIPTS = Path(__file__).with_name("node")
THEIRS, ON_DISK, IN_MEMORY = "boardgame.io, in memory", "ours, on disk", "ours, store in memory"
Runs = dict[str, list[tuple[float, float]]]
"""Per second, and p50 in milliseconds."""


def node_modules() -> Path | None:
    """Where boardgame.io and its client are, if they and node are here."""
    modules = Path(os.environ.get("REIBACH_BENCH_NODE", "."), "node_modules")
    there = all((modules / name / "package.json").is_file() for name in ("boardgame.io", "socket.io-client"))
    return modules.absolute() if there and shutil.which("node") else None


def measure(modules: Path, chance: Random) -> Runs:
    """All of them in turns."""
    environment = os.environ | {"NODE_PATH": str(modules), "NODE_ENV": "production"}
    runs: Runs = defaultdict(list)
    with ExitStack() as stack:
        port = free_port()
        command = ["node", str(SCRIPTS / "server.js"), str(port)]
        stack.enter_context(process(command, lambda: accepts(port), environment))
        stores = {
            ON_DISK: stack.enter_context(durable_store()),
            IN_MEMORY: stack.enter_context(durable_store(in_memory=True)),
        }
        services = {name: stack.enter_context(web(url)) for name, url in stores.items()}
        for number in range(ROUNDS + 1):
            seen = {THEIRS: play_theirs(port, environment)}
            for name, service in services.items():
                load = play(service, plan_games(service, GAMES, chance), CLIENTS, SECONDS)
                assert not load.errors
                seen[name] = load.rps, load.p50
            if number:  # the first round warms up
                for name, figures in seen.items():
                    runs[name].append(figures)
    return runs


def play_theirs(port: int, environment: dict[str, str]) -> tuple[float, float]:
    """Moves a second and p50 of one turn of boardgame.io."""
    command = ["node", str(SCRIPTS / "clients.js"), str(port), str(CLIENTS), str(SECONDS)]
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    found = json.loads(output)
    return found["moves_per_s"], found["p50"]


def main() -> None:
    """Print the medians and the ratios, or what is missing."""
    modules = node_modules()
    if modules is None:
        print("boardgame.io isn't here: npm install boardgame.io socket.io-client, with node 20 or later,")
        print("and name the folder in REIBACH_BENCH_NODE")
        return
    if not shutil.which("wrk"):
        raise SystemExit("this benchmark needs wrk")
    seed = secrets.randbits(32)
    print(f"seed {seed}; the disk syncs in {disk_sync_ms():.2f} ms")
    rates = {}
    for name, seen in measure(modules, Random(seed)).items():
        rates[name], p50 = (statistics.median(figures) for figures in zip(*seen, strict=True))
        show(name, per_s=rates[name], p50=p50)
    show_aim(f"{ON_DISK} / theirs", rates[ON_DISK] / rates[THEIRS], ">", 1)
    show_aim(f"{IN_MEMORY} / theirs", rates[IN_MEMORY] / rates[THEIRS], ">", 1)


if __name__ == "__main__":
    main()

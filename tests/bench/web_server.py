"""What the web server costs: POSTs of a bare Flask route, with and without 200 open long polls.

    python -m tests.bench.web_server [--rounds 5]

The route is `get_json` and one EVALSHA (check and two XADDs) in the embedded store, durable as in service. granian as
`serve_web` runs it, and gunicorn's gthread where it can be imported, two processes each: one server of a kind holds the
polls, another none. All are up throughout and take turns by the second, every second round in the other order. A poll
holds a thread until the end. "busy" is 16 connections, "calm" is one; p50 and p99 are in milliseconds; figures are
medians over the rounds, and the ratios are theirs.
"""

import argparse
import importlib.util
import itertools
import os
import statistics
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import redis
from flask import Flask, request

from config.settings import Settings
from service.runtime.webserver import serve_web
from tests.bench import common
from tests.bench.players import Players, Step
from tests.bench.tables import post
from tests.support.ports import free_port

MODULE = "tests.bench.web_server"
POLLS = 200
MOST_TIMES_SLOWER = 1.5
"""What a POST's p50 may be with the polls, as a multiple of what it is without."""
BODY = {"action": "take", "seat": 2, "card": "K07", "expected_version": 41}
PAYLOAD = '["taken",2,"K07",41]'
LOADS = {"busy": 16, "calm": 1}
Case = tuple[str, int, str]
"""Server, open polls, load."""
APPEND = """
local version = redis.call('XLEN', KEYS[1])
if version ~= tonumber(ARGV[1]) then return redis.error_reply('CONFLICT') end
for i = 2, #ARGV do
  version = version + 1
  redis.call('XADD', KEYS[1], '0-' .. version, 'e', ARGV[i])
end
return version
"""


def create(_stop: object = None) -> Flask:
    """Build the application: one bare route, and polls that nothing ends, the web server's signal included."""
    app = Flask(__name__)
    store = redis.Redis.from_url(os.environ["BENCHMARK_STORE"], protocol=2, socket_timeout=None)
    digest = store.script_load(APPEND)
    requests = itertools.count()
    never = threading.Event()

    @app.post("/append")
    def append() -> dict[str, object]:
        move = request.get_json()
        version = store.evalsha(digest, 1, f"{{{os.getpid()}}}:{next(requests)}", "0", PAYLOAD, PAYLOAD)
        return {"version": version, "seat": move["seat"]}

    @app.get("/poll")
    def poll() -> dict[str, object]:
        return {"woken": never.wait(600)}

    return app


@contextmanager
def served(kind: str, store_url: str, polls: int) -> Iterator[int]:
    """Run the server of that kind, warmed up and with `polls` open long polls; its port."""
    port = free_port()
    if kind == "granian":
        command = [sys.executable, "-m", MODULE, "--serve", str(port)]
    else:
        options = "--workers 2 --worker-class gthread --threads 512 --worker-connections 2000 --graceful-timeout 1"
        quiet = "--no-control-socket --log-level error"
        command = [sys.executable, "-m", "gunicorn", *options.split(), *quiet.split()]
        command += ["--bind", f"{common.HOST}:{port}", f"{MODULE}:create()"]
    environment = os.environ | {"BENCHMARK_STORE": store_url}
    with common.process(command, lambda: common.accepts(port), environment):
        clients(port, LOADS["busy"]).play(1)
        with common.open_requests(port, "/poll?wait=600", polls):
            yield port


def clients(port: int, connections: int) -> Players:
    """Connections that send the same POST again and again."""
    steps = [Step(post("/append", "", BODY))] * 1000
    return Players(port, connections, lambda: steps)


def measure(kinds: list[str], rounds: int) -> dict[Case, dict[str, float]]:
    """Let all servers take turns; the median of each."""
    runs: dict[Case, list[dict[str, float]]] = defaultdict(list)
    with ExitStack() as stack:
        url = stack.enter_context(common.durable_store())
        sides = list(itertools.product(kinds, (0, POLLS)))
        ports = {(kind, polls): stack.enter_context(served(kind, url, polls)) for kind, polls in sides}
        for number in range(rounds):
            for load, connections in LOADS.items():
                for kind, polls in sides[:: -1 if number % 2 else 1]:
                    runs[kind, polls, load].append(clients(ports[kind, polls], connections).play(1).figures())
    return {
        case: {name: statistics.median(run[name] for run in seen) for name in ("actions/s", "p50 ms", "p99 ms")}
        for case, seen in runs.items()
    }


def main(rounds: int) -> None:
    """Measure and print."""
    kinds = ["granian", *(["gunicorn"] if importlib.util.find_spec("gunicorn") else [])]
    figures = measure(kinds, rounds)
    for load, polls, kind in itertools.product(LOADS, (0, POLLS), kinds):
        common.show(f"{load}, {polls} polls, {kind}", **figures[kind, polls, load])
    print_ratios(figures, kinds)
    worst = max(slowdown(figures, "granian", load) for load in LOADS)
    common.show_aim("granian: worst p50 with / without", worst, "<=", MOST_TIMES_SLOWER)


def slowdown(figures: dict[Case, dict[str, float]], kind: str, load: str) -> float:
    """Divide the p50 with polls by the p50 without."""
    return figures[kind, POLLS, load]["p50 ms"] / figures[kind, 0, load]["p50 ms"]


def print_ratios(figures: dict[Case, dict[str, float]], kinds: list[str]) -> None:
    """Print how the polls slow each server down, and how the servers compare."""
    for load in LOADS:
        common.show(f"{load}: p50 with / without polls", **{kind: slowdown(figures, kind, load) for kind in kinds})
    if "gunicorn" not in kinds:
        print("gunicorn can't be imported here: no comparison")
        return
    for polls in (0, POLLS):
        rates = {load: [figures[kind, polls, load]["actions/s"] for kind in ("granian", "gunicorn")] for load in LOADS}
        ratios = {load: ours / theirs for load, (ours, theirs) in rates.items()}
        common.show(f"posts a second granian / gunicorn, {polls} polls", **ratios)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve_web(Settings(port=arguments.serve), target=f"{MODULE}:create")
    else:
        main(arguments.rounds)

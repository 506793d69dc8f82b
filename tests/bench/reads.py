"""Processor time of reads in process, without a web server: the service, and another checkout of it.

Run: `python -m tests.bench.reads [--beside CHECKOUT] [--rounds 20]`.

Each checkout has a process of its own over one store in memory, and they take turns by 50 requests; the figures are
microseconds of processor time a request, as the 20th percentile of the turns, the least disturbed; the ratios are those
of the pairs of turns.
A `first` read is one with empty caches. Versions and viewers are chosen at random where nothing else is said.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHUNK, FIRST = 50, 10
"""Requests of a turn, and of a turn of first reads."""
GAMES = ("finished", "running", "archived", "in-a-file", "with-messages")
NDJSON = {"HTTP_ACCEPT": "application/x-ndjson"}
GZIP = {"HTTP_ACCEPT_ENCODING": "gzip"}
Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
KINDS: dict[str, tuple[str, float]] = {
    "view": ("finished", 1),
    "?at=60": ("finished", 5),
    "?at=": ("finished", 5),
    "page of 50": ("finished", 5),
    "page of 200": ("finished", 5),
    "export": ("finished", 3),
    "export, gzip": ("finished", 3),
    "?at=, running": ("running", 5),
    "page of 50, running": ("running", 5),
    "export, running": ("running", 3),
    "?at=, archived": ("archived", 5),
    "export, archived": ("archived", 3),
    "?at=, in a file": ("in-a-file", 5),
    "?at=, with messages": ("with-messages", 5),
    "page of 50, with messages": ("with-messages", 5),
    "export, with messages": ("with-messages", 3),
    "replay of 50": ("finished", 0),
    "replay of 50, with messages": ("with-messages", 0),
    "first ?at=": ("finished", 0),
    "first page of 50": ("finished", 0),
    "first export": ("finished", 0),
    "first ?at=, archived": ("archived", 0),
    "first replay of 50": ("finished", 0),
    "first ?at=, with messages": ("with-messages", 0),
    "first page of 50, with messages": ("with-messages", 0),
    "first replay of 50, with messages": ("with-messages", 0),
}
"""By name: the game that is read, and how many times as fast as before the read should be."""


class Reader:
    """The requests that a process is asked to answer, as granian hands them over."""

    def __init__(self, app: Wsgi, games: Any, tokens: Any, plan: dict[str, list[int]]) -> None:
        """`plan`: by game the numbers of its events and seats."""
        self.app, self.games, self.tokens, self.plan = app, games, tokens, plan
        self.chance = Random(1)
        self.status = ""

    def environ(self, game: str, query: str, path: str = "", **more: str) -> Environ:
        """The WSGI environment of a read by a random viewer."""
        seat = self.chance.randrange(-1, self.plan[game][1])
        if seat >= 0:
            more["HTTP_AUTHORIZATION"] = f"Bearer {self.tokens.issue(game, seat)}"
        return {
            "SCRIPT_NAME": "",
            "SERVER_SOFTWARE": "Granian",
            "wsgi.version": (1, 0),
            "wsgi.errors": sys.stderr,
            "wsgi.input": sys.stdin.buffer,
            "wsgi.input_terminated": True,
            "wsgi.multiprocess": False,
            "wsgi.multithread": True,
            "wsgi.run_once": False,
            "wsgi.url_scheme": "http",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "REMOTE_ADDR": "127.0.0.1",
            "REQUEST_METHOD": "GET",
            "PATH_INFO": f"/v1/games/{game}{path}",
            "QUERY_STRING": query,
            "HTTP_HOST": "127.0.0.1:8000",
        } | more

    def request(self, kind: str) -> Environ:
        """A read of this kind."""
        game, what = KINDS[kind][0], kind.removeprefix("first ").partition(",")[0]
        events = self.plan[game][0]
        more = GZIP if "gzip" in kind else {}
        if what == "export":
            return self.environ(game, "", "/events", **NDJSON, **more)
        if what.startswith("page of "):
            limit = int(what.removeprefix("page of "))
            return self.environ(game, f"after={self.chance.randrange(events - limit)}&limit={limit}", "/events")
        if what == "replay of 50":
            return self.environ(game, f"after={self.chance.randrange(events - 50)}&limit=50", "/replay")
        version = self.chance.randint(1, events) if what == "?at=" else 60
        return self.environ(game, "" if what == "view" else f"at={version}")

    def forget(self) -> None:
        """Empty the caches of games."""
        from service.gamelog.cache import GameCache

        self.games._cache = GameCache()
        for name in ("_histories", "_pasts"):  # of older checkouts
            if hasattr(self.games, name):
                setattr(self.games, name, type(getattr(self.games, name))())

    def measure(self, kind: str, number: int) -> float:
        """Microseconds of processor time of each of so many reads, all made once before, but for first ones."""
        requests = [self.request(kind) for _ in range(number)]
        for environ in requests if not kind.startswith("first") else []:
            self.send(environ)
        took = 0.0
        for environ in requests:
            if kind.startswith("first"):
                self.forget()
            begun = time.process_time()
            self.send(environ)
            took += time.process_time() - begun
            assert self.status.startswith("200"), (self.status, environ, self.send(environ))
        return 1e6 * took / number

    def send(self, environ: Environ) -> bytes:
        """Answer a request as granian has it answered."""
        answer = self.app(environ, self._start)
        if isinstance(answer, list):
            return b"".join(answer)
        try:
            return b"".join(answer)
        finally:
            answer.close()  # type: ignore[attr-defined]  # werkzeug's have it

    def _start(self, status: str, _headers: list[tuple[str, str]], _info: Any = None) -> None:
        self.status = status

    def memory(self) -> dict[str, float]:
        """KB that a game takes in the caches when all that is read of it was read, by game, as the allocator counts."""
        found = {}
        for game in GAMES:
            self.forget()
            self.send(self.environ(game, ""))
            tracemalloc.start()
            for version in range(1, self.plan[game][0] + 1, 7):
                self.send(self.environ(game, f"at={version}"))
            for _ in range(20):
                self.send(self.environ(game, "", "/events", **NDJSON))
                self.send(self.environ(game, "limit=1000", "/events"))
            found[game] = tracemalloc.get_traced_memory()[0] / 1000
            tracemalloc.stop()
        return found


def fill(url: str, files: Path) -> dict[str, list[int]]:
    """Write the games into the store; by game the numbers of its events and seats."""
    from dataclasses import replace

    from service.connections.clients import connect
    from service.gamelog.archive.compaction import compact
    from service.gamelog.store.form.places import open_archive_files
    from service.gamelog.store.streams import Store
    from tests.bench.games import filling, random_plans
    from tests.gamelog.test_long_games import PLAN
    from tests.gamelog.test_long_games import fill as fill_with_messages

    plan = next(random_plans(Random("reads"), lambda plan: 270 < len(plan.events) < 295))
    seats = len(plan.create.seats)
    found: dict[str, list[int]] = {}
    with filling(url) as log:
        for game in GAMES[:4]:
            log.create(replace(plan.create, game=game))
            for command in plan.commands[: -40 if game == "running" else None]:
                log.handle(game, command)
    fill_with_messages(url, GAMES[4], 1000)
    store = Store(connect(url), 16, files=open_archive_files(str(files)))
    for game in GAMES:
        found[game] = [store.read(game).entries[-1].version, seats if game in GAMES[:4] else len(PLAN.create.seats)]
    for game, kind in (("archived", "store"), ("in-a-file", "files")):
        assert compact(store, game, kind, 2**62)
    return found


def answer(plan: dict[str, list[int]]) -> None:
    """Answer lines of a kind and a number of requests with the microseconds that each request took."""
    sys.path.insert(0, str(Path.cwd()))
    from config.settings import Settings
    from service.app import create_app, open_web
    from service.bootstrap import open_services

    services = open_services(Settings.read())
    reader = Reader(create_app(open_web(services)), services.games, services.tokens, plan)
    for line in sys.stdin:
        kind, number = json.loads(line)
        print(json.dumps(reader.measure(kind, number) if kind else reader.memory()), flush=True)


def in_turns(ask: dict[str, Callable[[str, int], Any]], rounds: int) -> dict[str, dict[str, list[float]]]:
    """What a read of each kind costs in each checkout, by turns."""
    figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in range(rounds + 1):
        for kind in KINDS:
            for name in list(ask)[:: 1 if number % 2 else -1]:
                took = ask[name](kind, FIRST if kind.startswith("first") else CHUNK)
                if number:  # the first round warms up
                    figures[kind][name].append(took)
    return figures


def report(figures: dict[str, dict[str, list[float]]]) -> None:
    """Print what each read costs here and in the other checkout, and the ratios of both."""
    from tests.bench.common import show, show_goal, show_ratio
    from tests.bench.goals import EARLIER_VIEW, Limit

    for kind in KINDS:
        show(f"us, {kind}", **{name: _least(took) for name, took in figures[kind].items()})
    for kind, (_, bound) in KINDS.items():
        if "before" not in figures[kind]:
            continue
        ratios = [old / new for old, new in zip(figures[kind]["before"], figures[kind]["service"], strict=True)]
        if kind == "?at=":
            show_goal(EARLIER_VIEW, ratios, [1])
        else:
            limit = Limit(relation=">=" if bound else "", bound=bound)
            show_ratio(f"{kind}: processor time, before / after", ratios, limit)


def _least(figures: list[float]) -> float:
    """Their 20th percentile: what the least disturbed turns took."""
    return statistics.quantiles(figures, n=5)[0]


def main() -> None:
    """Let the processes take turns, and print what reads cost in each."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.reads", description="Measure reads.")
    parser.add_argument("--beside", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=20)
    chosen = parser.parse_args()
    from tempfile import TemporaryDirectory

    from tests.bench.common import durable_store, show

    with ExitStack() as stack:
        url = stack.enter_context(durable_store(in_memory=True))
        files = Path(stack.enter_context(TemporaryDirectory()))
        plan = fill(url, files)
        ask: dict[str, Callable[[str, int], Any]] = {}
        places = {"before": chosen.beside.resolve()} if chosen.beside else {}
        for name, place in (places | {"service": ROOT}).items():
            settings = {"REIBACH_REDIS_URL": url, "REIBACH_RATE_LIMIT": "0", "REIBACH_ARCHIVE_FILES": str(files)}
            process = subprocess.Popen(
                [sys.executable, "-P", __file__, "--answer", json.dumps(plan)],
                cwd=place,
                env=os.environ | settings | {"PYTHONPATH": str(place)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.terminate)
            ask[name] = _asker(process)
        figures = in_turns(ask, chosen.rounds)
        memory = {name: ask[name]("", 0) for name in ask}
    report(figures)
    for name, found in memory.items():
        show(f"KB of a game in the caches, {name}", **found)


def _asker(process: subprocess.Popen[str]) -> Callable[[str, int], Any]:
    def ask(kind: str, number: int) -> Any:
        print(json.dumps([kind, number]), file=process.stdin, flush=True)
        assert process.stdout is not None
        return json.loads(process.stdout.readline())

    return ask


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer(json.loads(sys.argv[2]))
    else:
        main()

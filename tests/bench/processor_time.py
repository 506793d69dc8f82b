"""Processor time of one request in process, without a web server: the service, another checkout of it, a bare route.

Run: `python -m tests.bench.processor_time [--beside CHECKOUT] [--rounds 40]`.

Each checkout and the bare route have a process of their own over one store in memory, and take turns by 100 requests;
the figures are microseconds of processor time a request, as the 20th percentile of the turns, the least disturbed, and
as their median; the ratios are those of the pairs of turns. A whole turn is a list of up to three actions; a refused
action is one of a seat that isn't on turn.
"""

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 100
NAMES = {"action": "an action", "turn": "a whole turn", "refused": "a refused action", "view": "a view"}
KINDS = tuple(NAMES)
BARE, AFTER, BEFORE = "bare route", "service", "before"
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Requests:
    """The requests that a process is asked to answer, as granian hands them over."""

    def __init__(self, app: Wsgi) -> None:
        self.app = app
        self.status = ""
        self.chance = Random(1)
        self.games = 0

    def environ(self, method: str, path: str, token: str = "", body: bytes = b"") -> dict[str, Any]:
        """One request's WSGI environment."""
        environ = {
            "GATEWAY_INTERFACE": "CGI/1.1",
            "SCRIPT_NAME": "",
            "SERVER_SOFTWARE": "Granian",
            "wsgi.version": (1, 0),
            "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True,
            "wsgi.multiprocess": False,
            "wsgi.multithread": True,
            "wsgi.run_once": False,
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "REMOTE_ADDR": "127.0.0.1",
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "HTTP_HOST": "127.0.0.1:8000",
        }
        if body:
            environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))}
        return environ | ({"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {})

    def send(self, environ: dict[str, Any]) -> bytes:
        """Answer one request as granian has it answered."""
        answer = self.app(environ, self._start)
        if isinstance(answer, list):
            return b"".join(answer)
        try:
            return b"".join(answer)
        finally:
            answer.close()  # type: ignore[attr-defined]  # werkzeug's have it

    def _start(self, status: str, _headers: list[tuple[str, str]], _info: Any = None) -> None:
        self.status = status

    def game(self) -> tuple[str, list[str], list[tuple[int, dict[str, Any]]]]:
        """A new game: its path, the tokens of its seats, and (seat, action) up to its first scoring round."""
        from domain.commands import Act, CreateGame, SeatPlan
        from domain.decide import decide
        from domain.legality import legal_actions
        from domain.orders.wishes import json_of
        from domain.state import Game

        chance, seats = self.chance, self.chance.randint(2, 5)
        seed, names = chance.randbytes(32), [{"name": f"Player {seat}"} for seat in range(seats)]
        body = json.dumps({"seats": names, "server_seed": seed.hex()}).encode()
        made = json.loads(self.send(self.environ("POST", "/v1/games", body=body)))
        plans = tuple(SeatPlan(name=f"Player {seat}") for seat in range(seats))
        game = decide(CreateGame(game="planned", server_seed=seed, seats=plans), Game()).game
        planned = []
        while True:
            action = chance.choice(list(legal_actions(game, game.turn_seat)))
            after = decide(Act(seat=game.turn_seat, actions=(action,)), game).game
            if after.scoring is not None:
                return f"/v1/games/{made['game']['id']}", [one["token"] for one in made["seats"]], planned
            planned.append((game.turn_seat, json_of(action)))
            game = after

    def endless(self, kind: str) -> Iterator[dict[str, Any]]:
        """Requests of a kind, each of which may be sent once."""
        while kind == "bare":
            yield self.environ("POST", "/append", body=b'{"type": "take", "slot": 1}')
        while True:
            path, tokens, planned = self.game()
            if kind == "view":
                yield from (self.environ("GET", path, tokens[0]) for _ in range(40))
                continue
            if kind == "refused":
                body = json.dumps(planned[0][1]).encode()
                yield from (self.environ("POST", f"{path}/actions", tokens[planned[0][0] - 1], body) for _ in range(40))
                continue
            bodies: list[tuple[int, list[Any]]] = []
            for seat, action in planned:
                if kind == "turn" and bodies and bodies[-1][0] == seat and len(bodies[-1][1]) < 3:
                    bodies[-1][1].append(action)
                else:
                    bodies.append((seat, [action]))
            for seat, actions in bodies:
                content = {"actions": actions} if kind == "turn" else actions[0]
                yield self.environ("POST", f"{path}/actions", tokens[seat], json.dumps(content).encode())


def answer_for(target: str) -> None:
    """Answer lines of a kind and a number of requests with the microseconds that each request took."""
    sys.path.insert(0, str(Path.cwd()))
    if target == BARE:
        from tests.bench.bare_app import create

        app: Wsgi = create()
    else:
        from config.settings import Settings
        from service.app import create_app, open_web
        from service.bootstrap import open_services

        app = create_app(open_web(open_services(Settings.read())))
    requests = Requests(app)
    kinds = {kind: requests.endless(kind) for kind in (*KINDS, "bare")}
    for line in sys.stdin:
        kind, number = line.split()
        ready = [next(kinds[kind]) for _ in range(int(number))]
        expected = {"view": "200", "refused": "409"}.get(kind, "201")
        begun = time.process_time()
        for environ in ready:
            requests.send(environ)
            if not requests.status.startswith(expected):
                raise RuntimeError(f"a request was answered {requests.status}")
        print(1e6 * (time.process_time() - begun) / len(ready), flush=True)


def main() -> None:
    """Let the processes take turns, and print what a request costs in each."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.processor_time", description="Measure requests.")
    parser.add_argument("--beside", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    chosen = parser.parse_args()
    from tests.bench.common import durable_store

    with ExitStack() as stack:
        store = stack.enter_context(durable_store(in_memory=True))
        processes = {}
        places = [(BARE, ROOT), *((BEFORE, place.resolve()) for place in [chosen.beside] if place), (AFTER, ROOT)]
        for name, place in places:
            environment = os.environ | {"REIBACH_REDIS_URL": store, "REIBACH_RATE_LIMIT": "0", "PYTHONPATH": str(place)}
            environment["REIBACH_ALLOW_FIXED_SEED"] = "1"
            command = [sys.executable, "-P", __file__, "--answer", name]
            processes[name] = subprocess.Popen(
                command, cwd=place, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            stack.enter_context(processes[name])
            stack.callback(processes[name].terminate)
        figures: dict[tuple[str, str], list[float]] = defaultdict(list)
        for number in range(chosen.rounds + 1):
            for kind in chosen.kinds:
                for name in list(processes)[:: 1 if number % 2 else -1]:
                    if name == BARE and kind != "action":
                        continue
                    process = processes[name]
                    print("bare" if name == BARE else kind, CHUNK, file=process.stdin, flush=True)
                    took = float(process.stdout.readline())
                    if number:  # the first round warms up
                        figures[kind, name].append(took)
    report(figures)


def report(figures: dict[tuple[str, str], list[float]]) -> None:
    """Print what each kind of request costs on each side, and the ratios of the pairs of turns."""
    from tests.bench.common import show, show_ratio

    for (kind, name), took in sorted(figures.items()):
        show(f"us, {NAMES[kind]}: {name}", p20=statistics.quantiles(took, n=5)[0], median=statistics.median(took))

    def ratios(kind: str, one: str, two: str) -> list[float]:
        """Of two sides' requests of a kind; a side that wasn't measured has none."""
        both = figures.get((kind, one), []), figures.get((kind, two), [])
        return [first / second for first, second in zip(*both, strict=all(both))]

    for kind in dict.fromkeys(kind for kind, _ in figures):
        if kind == "action":
            name = f"{NAMES[kind]}, in process: processor time, bare route / service"
            show_ratio(name, ratios(kind, BARE, AFTER))
        if pairs := ratios(kind, BEFORE, AFTER):
            show_ratio(f"{NAMES[kind]}, in process: processor time, before / after", pairs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer_for(sys.argv[2])
    else:
        main()

"""What 800 open event streams cost a POST, and how soon they deliver: `reibach serve` as it is by default.

Run: `python -m tests.bench.streams [--games 3]`. Three services run side by side: without streams; with ten on the
game that is played and the rest on other games; with all on the game that is played. A player plays the same games on
each of them in turns: calmly, with a pause after each answer, and hastily, ten actions without any. A process of its
own reads the streams. A delivery is the time from a POST's answer until a listener has read its last event.
Milliseconds; figures are medians over the games.
"""

import argparse
import http.client
import itertools
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any

import httpx

from domain.commands import Act, Action
from domain.orders.wishes import json_of
from tests.bench.common import HOST, accepts, percentile, process, show
from tests.support.play import steps
from tests.support.ports import free_port
from tests.support.waiting import wait_until

STREAMS = 800
OTHER_GAMES = 80
CALM_SECONDS = 0.1
HASTY_ACTIONS = 10
HASTY_SECONDS = 0.5
"""After each ten hasty actions: until all clients have received the last of them."""
HERE = {"none": 0, "ten": 10, "all": STREAMS}
"""Services, by the streams on the game that is played."""
MOST_TIMES_SLOWER = 1.5
MOST_TIMES_LATER = 50
CALM, HASTY = "calm", "hasty"
Case = tuple[str, str]
"""Service and pace."""
_CONTEXT: SpawnContext = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was measured of one game on one service at one pace."""

    posts: list[float] = field(default_factory=list)
    answered: dict[int, float] = field(default_factory=dict)
    """When each version was answered, on the system's monotonic clock."""
    deliveries: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Player:
    """Plays games by their plan over one connection."""

    port: int
    connection: http.client.HTTPConnection

    def ask(self, path: str, body: object, token: str = "") -> dict[str, Any]:
        """POST; raises AssertionError where it is refused."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self.connection.request("POST", path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        content: dict[str, Any] = json.loads(answer.read())
        assert answer.status == 201, content
        return content

    def open(self, seed: str) -> tuple[str, list[str]]:
        """A new game of two, dealt by the seed: its path and tokens."""
        seats = [{"name": f"player {seat}", "entropy": f"share {seat}"} for seat in range(2)]
        made = self.ask("/v1/games", {"seats": seats, "server_seed": sha256(seed.encode()).hexdigest()})
        return f"/v1/games/{made['game']['id']}", [seat["token"] for seat in made["seats"]]

    def act(self, path: str, token: str, action: Action) -> tuple[float, float]:
        """POST the action; when it was sent and answered."""
        begun = time.monotonic()
        self.ask(f"{path}/actions", json_of(action), token)
        return begun, time.monotonic()


def planned(seed: str) -> Iterator[tuple[int, Action, int]]:
    """Seat and action, up to the first scoring round, and the version that each leads to."""
    for command, decision in steps(2, seed):
        if decision.game.scoring is not None:
            return
        if isinstance(command, Act):
            yield command.seat, command.actions[0], decision.game.version


def listen(port: int, paths: list[str], pipe: Connection) -> None:
    """Hold a stream for each path; reports when all are open; on request sends [(stream, version, when read), …]."""
    selector = selectors.DefaultSelector()
    for number, path in enumerate(paths):
        client = socket.create_connection((HOST, port))
        client.sendall(f"GET {path}/events HTTP/1.1\r\nHost: {HOST}\r\nAccept: text/event-stream\r\n\r\n".encode())
        selector.register(client, selectors.EVENT_READ, number)
    selector.register(pipe, selectors.EVENT_READ)
    waiting = set(range(len(paths)))
    read: list[tuple[int, int, float]] = []
    while True:
        for key, _ in selector.select():
            if key.fileobj is pipe:
                pipe.send(read)
                return
            got = key.fileobj.recv(1 << 20)  # type: ignore[union-attr]
            now = time.monotonic()
            if key.data in waiting:
                assert got.startswith(b"HTTP/1.1 200"), got
                waiting.remove(key.data)
                if not waiting:
                    pipe.send("all open")
            if (at := got.rfind(b"id: ")) >= 0:
                read.append((key.data, int(got[at + 4 :].partition(b"\n")[0]), now))


@contextmanager
def listening(port: int, paths: list[str]) -> Iterator[Connection]:
    """The listeners, all of them open, in a process of their own; ends when the service has closed its streams."""
    ours, theirs = _CONTEXT.Pipe()
    listener = _CONTEXT.Process(target=listen, args=(port, paths, theirs), daemon=True)
    listener.start()
    try:
        if not ours.poll(30):
            raise SystemExit("not all streams could be opened")
        ours.recv()
        yield ours
    finally:
        listener.join(5)
        listener.kill()
        wait_until(lambda: "\nreibach_streams_open 0.0\n" in httpx.get(f"http://{HOST}:{port}/metrics").text, 30)


def deliveries(read: list[tuple[int, int, float]], answered: dict[int, float], here: int) -> Iterator[float]:
    """How long after its POST's answer each listener of the game had read each version, in ms; all must have come."""
    got: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for stream, version, when in read:
        if stream < here:
            got[stream].append((version, when))
    for stream in range(here):
        for version, when in answered.items():
            yield 1000 * (next(at for last, at in got[stream] if last >= version) - when)


def play(services: dict[str, Player], seed: str) -> dict[Case, Seen]:
    """Play one game on each service, in turns: its first half calmly, the other hastily."""
    seen: defaultdict[Case, Seen] = defaultdict(Seen)
    with ExitStack() as stack:
        tables, pipes = {}, {}
        for name, player in services.items():
            tables[name] = player.open(seed)
            paths = [tables[name][0]] * HERE[name]
            if paths:
                others = [player.open(f"{seed} {number}")[0] for number in range(OTHER_GAMES)]
                paths += [others[number % OTHER_GAMES] for number in range(STREAMS - len(paths))]
                pipes[name] = stack.enter_context(listening(player.port, paths))
        plan = list(planned(seed))
        half = len(plan) // 2
        parts = [(CALM, [step]) for step in plan[:half]]
        parts += [(HASTY, plan[at : at + HASTY_ACTIONS]) for at in range(half, len(plan), HASTY_ACTIONS)]
        for (pace, some), (name, player) in itertools.product(parts, services.items()):
            path, tokens = tables[name]
            for seat, action, version in some:
                begun, ended = player.act(path, tokens[seat], action)
                seen[name, pace].posts.append(1000 * (ended - begun))
                seen[name, pace].answered[version] = ended
            time.sleep(HASTY_SECONDS if pace == HASTY else CALM_SECONDS)
        for name, pipe in pipes.items():
            pipe.send("enough")
            read = pipe.recv()
            for pace in (CALM, HASTY):
                one = seen[name, pace]
                one.deliveries.extend(deliveries(read, one.answered, HERE[name]))
    return seen


@contextmanager
def service() -> Iterator[Player]:
    """`reibach serve` with its defaults, but that seeds may be given and a client may ask as often as it likes."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "service.cli",
            "serve",
            "--port",
            str(port),
            "--data",
            str(Path(folder, "games")),
        ]
        environment = os.environ | {"REIBACH_ALLOW_FIXED_SEED": "1", "REIBACH_RATE_LIMIT": "0"}
        with process(command, lambda: accepts(port), environment):
            wait_until(lambda: httpx.get(f"http://{HOST}:{port}/readyz").status_code == 200)
            yield Player(port, http.client.HTTPConnection(HOST, port))


def report(posts: dict[Case, list[float]], late: dict[Case, list[float]]) -> bool:
    """Print the medians and ratios; whether all are within their limits."""
    slower, later = [], []
    for pace, name in itertools.product((CALM, HASTY), HERE):
        p50, without = statistics.median(posts[name, pace]), statistics.median(posts["none", pace])
        figures = {"POST p50": p50}
        if name != "none":
            p99 = statistics.median(late[name, pace])
            figures |= {"/ without": p50 / without, "delivery p99": p99, "/ POST": p99 / p50}
            slower.append(p50 / without)
            later.append(p99 / p50)
        show(f"{pace}, {HERE[name]} of {STREAMS if HERE[name] else 0} streams here", **figures)
    print(f"a POST takes at most {max(slower):.2f} times as long with streams; allowed: {MOST_TIMES_SLOWER}")
    print(f"a delivery takes at most {max(later):.1f} times as long as a POST; allowed: {MOST_TIMES_LATER}")
    return max(slower) <= MOST_TIMES_SLOWER and max(later) <= MOST_TIMES_LATER


def main(games: int) -> None:
    """Exit status 1 where a ratio is above its limit."""
    posts: defaultdict[Case, list[float]] = defaultdict(list)
    late: defaultdict[Case, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        services = {name: stack.enter_context(service()) for name in HERE}
        for number in range(games + 1):
            for case, seen in play(services, f"game {number}").items():
                if number:  # the first game warms up
                    posts[case].append(statistics.median(seen.posts))
                    late[case] += [percentile(seen.deliveries, 99)] if seen.deliveries else []
    sys.exit(not report(posts, late))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=3)
    main(parser.parse_args().games)

"""What 800 open event streams cost, and how soon they tell: `reibach serve` as it is by default.

Run: `python -m tests.benchmarks.streams [--rounds 3]`. Each round plays a game up to its first scoring round four times:
without streams; with all streams on other games; with ten on the game and the rest on others; with all on the game. One
player POSTs, calmly (a pause after each answer) or hastily (none), while a process of its own reads the streams. A delivery
is the time from the POST's answer to a listener's having read its last event. Milliseconds; medians over the rounds.
"""

import argparse
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from pathlib import Path
import http.client
import sys

from domain.commands import Act
from service.api.schemas import json_of
from tests.benchmarks.common import HOST, ROOT, accepts, free_port, percentile, process, show
from tests.play import steps
from tests.waiting import wait_until

STREAMS = 800
OTHER_GAMES = 80
CALM_SECONDS = 0.1
PLACES = {"none": 0, "elsewhere": 0, "ten": 10, "all": STREAMS}
"""Streams on the game that is played, by case; `none` has no others either."""
Case = tuple[str, bool]
"""A name of PLACES, and whether the player pauses."""
_CONTEXT: SpawnContext = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Seen:
    """One game of one case, in milliseconds."""

    posts: list[float]
    deliveries: list[float]


@dataclass(frozen=True, slots=True)
class Player:
    """Plays a game by its plan over one connection."""

    connection: http.client.HTTPConnection

    def ask(self, path: str, body: object, token: str = "") -> dict[str, object]:
        """POST; raises AssertionError where it is refused."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self.connection.request("POST", path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        content: dict[str, object] = json.loads(answer.read())
        assert answer.status == 201, content
        return content

    def open(self, seed: str) -> tuple[str, list[str]]:
        """A new game of two, dealt by the seed: its path and tokens."""
        seats = [{"name": f"player {seat}", "entropy": f"share {seat}"} for seat in range(2)]
        made = self.ask("/v1/games", {"seats": seats, "server_seed": sha256(seed.encode()).hexdigest()})
        game: dict[str, str] = made["game"]  # type: ignore[assignment]
        tokens: list[dict[str, str]] = made["seats"]  # type: ignore[assignment]
        return f"/v1/games/{game['id']}", [seat["token"] for seat in tokens]

    def play(self, path: str, tokens: Sequence[str], seed: str, pause: float) -> tuple[list[float], dict[int, float]]:
        """Play up to the first scoring round; the time of each POST, and when each version was answered."""
        times, answered = [], {}
        for command, decision in steps(2, seed):
            if decision.game.scoring is not None:
                break
            if not isinstance(command, Act):
                continue
            begun = time.monotonic()
            self.ask(f"{path}/actions", json_of(command.actions[0]), tokens[command.seat])
            ended = time.monotonic()
            times.append(1000 * (ended - begun))
            answered[decision.game.version] = ended
            time.sleep(pause)
        return times, answered


def listen(port: int, paths: list[str], pipe: Connection) -> None:
    """Hold a stream for each path; says when all are open; when told, sends [(stream, version, when read), …]."""
    selector = selectors.DefaultSelector()
    open_streams = 0
    for number, path in enumerate(paths):
        client = socket.create_connection((HOST, port))
        client.sendall(f"GET {path}/events HTTP/1.1\r\nHost: {HOST}\r\nAccept: text/event-stream\r\n\r\n".encode())
        selector.register(client, selectors.EVENT_READ, number)
    answered = set()
    read: list[tuple[int, int, float]] = []
    selector.register(pipe, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is pipe:
                pipe.send(read)
                return
            got = key.fileobj.recv(1 << 20)  # type: ignore[union-attr]
            now = time.monotonic()
            if key.data not in answered:
                answered.add(key.data)
                assert got.startswith(b"HTTP/1.1 200"), got
                open_streams += 1
                if open_streams == len(paths):
                    pipe.send(open_streams)
            at = got.rfind(b"\nid: ")
            at = 0 if at < 0 and got.startswith(b"id: ") else at
            last = got[got.rfind(b"id: ") :].partition(b"\n")[0] if b"id: " in got else b""
            if last:
                read.append((key.data, int(last[4:]), now))


@contextmanager
def listening(port: int, paths: list[str]) -> Iterator[Connection]:
    """The listeners, all of them open, in a process of their own."""
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
        wait_until(lambda: none_open(port), 30)


def none_open(port: int) -> bool:
    """Whether the service has noticed that the streams of the case before are gone, as it does at a heartbeat."""
    connection = http.client.HTTPConnection(HOST, port)
    connection.request("GET", "/metrics")
    return b"\nreibach_streams_open 0.0\n" in connection.getresponse().read()


def measure(port: int, case: Case, seed: str) -> Seen:
    """Play one game of a case."""
    place, calm = case
    player = Player(http.client.HTTPConnection(HOST, port))
    path, tokens = player.open(seed)
    if place == "none":
        times, _ = player.play(path, tokens, seed, CALM_SECONDS * calm)
        return Seen(times, [])
    here = PLACES[place]
    others = [player.open(f"{seed} {number}")[0] for number in range(OTHER_GAMES)]
    paths = [path] * here + [others[number % OTHER_GAMES] for number in range(STREAMS - here)]
    with listening(port, paths) as pipe:
        times, answered = player.play(path, tokens, seed, CALM_SECONDS * calm)
        time.sleep(1)
        pipe.send("enough")
        read = pipe.recv()
    return Seen(times, [*deliveries(read, answered, here)])


def deliveries(read: list[tuple[int, int, float]], answered: dict[int, float], here: int) -> Iterator[float]:
    """How long after its POST's answer each listener of the game had read each version, in ms; all must have come."""
    got: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for stream, version, when in read:
        if stream < here:
            got[stream].append((version, when))
    for stream in range(here):
        assert got[stream][-1][0] == max(answered), "a stream isn't complete"
        for version, when in answered.items():
            yield 1000 * (next(at for last, at in got[stream] if last >= version) - when)


def main(rounds: int) -> None:
    """Interleaved rounds, medians and ratios; exit status 1 where one is above its limit."""
    posts: defaultdict[Case, list[float]] = defaultdict(list)
    late: defaultdict[Case, list[float]] = defaultdict(list)
    port = free_port()
    cases = [(place, calm) for calm in (True, False) for place in PLACES]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "service.cli", "serve", "--port", str(port), "--data", str(Path(folder, "games"))]
        environment = os.environ | {"REIBACH_ALLOW_FIXED_SEED": "1", "REIBACH_RATE_LIMIT": "0"}
        with process(command, lambda: accepts(port), environment):
            time.sleep(2)
            for number in range(rounds + 1):
                for case in cases[:: -1 if number % 2 else 1]:
                    seen = measure(port, case, f"{number} {case}")
                    if number:  # the first round warms up
                        posts[case].append(statistics.median(seen.posts))
                        late[case] += [percentile(seen.deliveries, 99)] if seen.deliveries else []
    for case in cases:
        place, calm = case
        base = statistics.median(posts["none", calm])
        p50 = statistics.median(posts[case])
        p99 = {"delivery p99": statistics.median(late[case]), "/ POST": statistics.median(late[case]) / p50} if late[case] else {}
        show(f"{'calm' if calm else 'hasty'}, streams: {place}", **{"POST p50": p50, "/ none": p50 / base}, **p99)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    main(parser.parse_args().rounds)

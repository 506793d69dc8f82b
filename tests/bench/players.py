"""The load client: connections that play prepared games, each sending its next request at the answer of the last.

One thread serves all connections, and reads every answer whole. The requests are made before the clock starts, and a
client treats the service and the bare route alike, so that its own cost, which shares the machine, is equal for both.
"""

import gc
import os
import selectors
import socket
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.bench.common import HOST, percentile
from tests.support.waiting import patience

DRAIN: Final = 30.0
"""Seconds in which the last answers must come, on a quiet machine."""
Meter = Callable[[], Mapping[str, float]]
"""Reads the processor seconds that processes have used so far, by their names."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a game."""

    request: bytes
    """As it goes over the wire."""
    actions: int = 1
    """How many it holds."""
    poll: bytes = b""
    """Of a request that begins a scoring round: the head of a long poll up to the version, sent until it has ended."""


@dataclass(frozen=True, slots=True)
class Played:
    """What was measured. Times in ms, of the steps' requests; polls are not among them."""

    seconds: float
    actions: int
    times: list[float]
    pauses: list[float]
    """From the answer that began a scoring round until the poll was answered."""
    used: dict[str, float]
    """Processor seconds of the meter's processes and of this client, `client`."""
    machine: float
    """Processor seconds of everything on this machine, idling excepted; 0 where it doesn't say."""

    def figures(self) -> dict[str, float]:
        """What to print; `us` are microseconds of processor time for each accepted action, `all us` without client."""
        used = {f"{name} us": 1e6 * seconds / self.actions for name, seconds in self.used.items()}
        times = {"p50 ms": statistics.median(self.times), "p99 ms": percentile(self.times, 99)}
        pauses = {"pause ms": statistics.median(self.pauses)} if self.pauses else {}
        others = (self.machine - sum(self.used.values())) / self.seconds / (os.cpu_count() or 1)
        noise = {"others %": 100 * others} if self.machine else {}
        rate = {"actions/s": self.actions / self.seconds}
        return {**rate, **used, "all us": sum(used.values()) - used["client us"], **times, **pauses, **noise}


@dataclass(slots=True, eq=False)
class _Player:
    """One connection, and how far its game is."""

    steps: Iterator[Step] = field(default_factory=lambda: iter(()))
    step: Step | None = None
    """The one whose request is on its way, or whose scoring round is waited for."""
    link: socket.socket = field(init=False)
    sent: float = 0.0
    received: bytes = b""
    version: bytes = b""
    """While the player waits for a scoring round: the ETag that it has seen."""


class Players:
    """Connections that play one game after the other; each continues its game when `play` is called again."""

    lead = 0.3
    """Seconds of play before the clock starts: connections are made, and cold games are loaded."""

    def __init__(self, port: int, connections: int, games: Callable[[], Sequence[Step]]) -> None:
        """`games` gives the steps of the next game. Of its first, each player plays another part, from the beginning.

        So that scoring rounds and ends of games come at different times from the first measurement on.
        """
        self._port = port
        self._games = games
        self._players = deque[_Player]()
        for number in range(connections):
            steps = games()
            self._players.append(_Player(iter(steps[: max(1, len(steps) * (number + 1) // connections)])))

    def play(self, seconds: float, meter: Meter = dict) -> Played:
        """Play for so long, after `lead`. Raises RuntimeError at an answer that isn't a 2xx."""
        run = Run()
        with selectors.DefaultSelector() as selector:
            for player in self._players:
                player.link = socket.create_connection((HOST, self._port))
                player.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(player.link, selectors.EVENT_READ, player)
            gc.disable()
            try:
                for player in self._players:
                    self._next_step(player)
                self._serve(selector, run, time.perf_counter() + self.lead)
                run = Run()
                machine, before, used, began = _busy_seconds(), meter(), time.thread_time(), time.perf_counter()
                self._serve(selector, run, began + seconds)
                took, client, after = time.perf_counter() - began, time.thread_time() - used, meter()
                machine = _busy_seconds() - machine
                self._drain(selector)
            finally:
                gc.enable()
                for player in self._players:
                    player.link.close()
        growth = {name: after[name] - value for name, value in before.items()} | {"client": client}
        return Played(took, run.actions, run.times, run.pauses, growth, machine)

    def _serve(self, selector: selectors.BaseSelector, run: "Run", end: float) -> None:
        """Answer each answer with the next request until the time has come."""
        while (left := end - time.perf_counter()) > 0:
            for key, _ in selector.select(left):
                if self._advance(key.data, run):
                    self._next_step(key.data)

    def _drain(self, selector: selectors.BaseSelector) -> None:
        """Read the last answer of every connection, so that each game can go on later."""
        run, end = Run(), time.perf_counter() + patience(DRAIN)
        while any(player.step for player in self._players):
            if time.perf_counter() > end:
                raise RuntimeError("the last answers didn't come")
            for key, _ in selector.select(1):
                self._advance(key.data, run)

    def _next_step(self, player: _Player) -> None:
        step = next(player.steps, None)
        while step is None:
            player.steps = iter(self._games())
            step = next(player.steps, None)
        player.step = step
        player.sent = time.perf_counter()
        player.link.sendall(step.request)

    def _advance(self, player: _Player, run: "Run") -> bool:
        """Read what has come; whether the player's step is done with it."""
        answer = player.received + player.link.recv(1 << 16)
        head_end = answer.find(b"\r\n\r\n")
        if head_end < 0 or len(answer) < head_end + 4 + _length(answer, head_end):
            if answer == player.received:
                raise RuntimeError("the server hung up")
            player.received = answer
            return False
        player.received = b""
        step = player.step
        assert step is not None
        if player.version:
            return self._poll_again(player, step, answer, run)
        if answer[9:10] != b"2":
            raise RuntimeError(answer.decode())
        now = time.perf_counter()
        run.times.append(1000 * (now - player.sent))
        run.actions += step.actions
        if not step.poll:
            player.step = None
            return True
        player.sent, player.version = now, _header(answer, head_end, b"etag: ")
        player.link.sendall(step.poll + player.version + b"\r\n\r\n")
        return False

    def _poll_again(self, player: _Player, step: Step, answer: bytes, run: "Run") -> bool:
        """Take the answer of a long poll; whether the round has been scored."""
        if answer[9:12] == b"304":
            player.link.sendall(step.poll + player.version + b"\r\n\r\n")
            return False
        if answer[9:12] != b"200":
            raise RuntimeError(answer.decode())
        if b'"status":"scoring"' in answer:  # what the round had interrupted has led to the next one
            player.version = _header(answer, answer.find(b"\r\n\r\n"), b"etag: ")
            player.link.sendall(step.poll + player.version + b"\r\n\r\n")
            return False
        run.pauses.append(1000 * (time.perf_counter() - player.sent))
        player.version, player.step = b"", None
        return True


class Run:
    """What is counted between two moments."""

    def __init__(self) -> None:
        self.actions = 0
        self.times: list[float] = []
        self.pauses: list[float] = []


def _busy_seconds() -> float:
    """Processor seconds of the whole machine since its start; 0 where it doesn't say."""
    if not (path := Path("/proc/stat")).is_file():
        return 0.0
    times = [int(ticks) for ticks in path.read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]]
    return float(sum(times) - times[3] - times[4]) / os.sysconf("SC_CLK_TCK")


def _length(answer: bytes, head_end: int) -> int:
    """Of the body; 0 where no header says it."""
    at = answer.find(b"ontent-", 0, head_end)
    while at >= 0:
        if answer[at + 7 : at + 14].lower() == b"length:":
            return int(answer[at + 14 : answer.find(b"\r", at)])
        at = answer.find(b"ontent-", at + 7, head_end)
    return 0


def _header(answer: bytes, head_end: int, name: bytes) -> bytes:
    """The value of a header; `name` in small letters, with its colon and a space."""
    at = answer[:head_end].lower().index(b"\r\n" + name) + 2 + len(name)
    return answer[at : answer.find(b"\r", at)]

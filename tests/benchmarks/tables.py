"""Planned games over HTTP: opened, and played request by request with a minimal client."""

import json
import socket
import time
from dataclasses import dataclass
from typing import Self

import httpx

from domain.orders.wishes import json_of
from tests.benchmarks.common import HOST
from tests.benchmarks.games import Plan


@dataclass(frozen=True, slots=True)
class Table:
    """A planned game that was opened over HTTP."""

    plan: Plan
    game: str
    tokens: list[str]

    def request(self, number: int) -> bytes:
        """The POST of the action of that number, as it goes over the wire."""
        act = self.plan.action(number)
        body = json.dumps(json_of(act.actions[0]))
        lines = [
            f"POST /v1/games/{self.game}/actions HTTP/1.1",
            f"Host: {HOST}",
            f"Authorization: Bearer {self.tokens[act.seat]}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        return "\r\n".join([*lines, "", body]).encode()

    def look(self) -> bytes:
        """The GET of the first seat's view, as it goes over the wire."""
        head = f"GET /v1/games/{self.game} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {self.tokens[0]}"
        return f"{head}\r\n\r\n".encode()


def open_table(http: httpx.Client, plan: Plan) -> Table:
    """Open the planned game through the service behind `http`, which must allow fixed seeds."""
    seats = [{"name": seat.name, "entropy": seat.entropy} for seat in plan.create.seats]
    answer = http.post("/v1/games", json={"seats": seats, "server_seed": plan.create.server_seed.hex()})
    content = answer.raise_for_status().json()
    return Table(plan, content["game"]["id"], [seat["token"] for seat in content["seats"]])


class Connection:
    """One kept-alive connection, which one web process answers; a minimal client, so that the server is measured."""

    def __init__(self, port: int) -> None:
        """Connect to the port of this machine."""
        self._socket = socket.create_connection((HOST, port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        """Nothing more to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, request: bytes) -> tuple[float, bytes]:
        """Milliseconds until the whole answer was there, and its body. Raises RuntimeError unless it is a 2xx."""
        begun = time.perf_counter()
        self.send(request)
        body = self.receive()
        return 1000 * (time.perf_counter() - begun), body

    def send(self, request: bytes) -> None:
        """Send a request whose answer is still to be received."""
        self._socket.sendall(request)

    def receive(self) -> bytes:
        """The body of the next answer. Raises RuntimeError unless it is a 2xx."""
        answer = b""
        while (head_end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._more()
        head = answer[:head_end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        while len(answer) < head_end + 4 + length:
            answer += self._more()
        if not head.startswith(b"http/1.1 2"):
            raise RuntimeError(answer.decode())
        return answer[head_end + 4 :]

    def _more(self) -> bytes:
        data = self._socket.recv(1 << 16)
        if not data:
            raise RuntimeError("the server hung up")
        return data

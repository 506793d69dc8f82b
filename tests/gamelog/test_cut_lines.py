"""Real connections that are cut in the middle of an append, before the store has read it or after it has answered."""

import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from service.connections.clients import Client, connect
from tests.gamelog.ledger import ack_of, any_act, check_log, new_game, open_games


class Line:
    """A proxy port in front of the store; it cuts connections as `plan` says for each script."""

    def __init__(self, path: str) -> None:
        """`path`: the store's socket."""
        self.plan: deque[str] = deque()
        self.cuts = 0
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        """Requests there and answers back, one at a time, until either end is closed or the line is cut."""
        with near, socket.socket(socket.AF_UNIX) as far:
            far.connect(self._path)
            while request := near.recv(1 << 20):
                fate = self.plan.popleft() if b"EVALSHA" in request and self.plan else ""
                if fate == "before":
                    break
                far.sendall(request)
                answer = far.recv(1 << 20)
                if fate == "after" or not answer:
                    break
                near.sendall(answer)
            else:
                return
            self.cuts += 1


@pytest.fixture
def line(real_client: Client) -> Iterator[Line]:
    """A line to each real store."""
    line = Line(real_client.connection_pool.connection_kwargs["path"])
    yield line
    line.close()


@pytest.mark.parametrize("fates", [["before"], ["after"], ["after", "before", "after"]], ids="-".join)
def test_a_cut_connection_has_no_second_effect(line: Line, real_client: Client, fates: list[str]) -> None:
    """Without a key, an append whose connection is cut happens exactly once, and its answer is right."""
    with connect(line.url) as client:
        games = open_games(client)
        acks = [ack_of(games.create(new_game("g")))]
        for number in range(8):
            line.plan.extend(fates)
            acks.append(ack_of(games.handle("g", any_act(games.load_cached("g").game, Random(number)))))
            assert not line.plan
    assert line.cuts == 8 * len(fates)
    assert check_log(games.store, "g", acks).version == sum(ack.last - ack.first + 1 for ack in acks)
    assert len(real_client.xrange(games.store.stream("g"))) == 9


@pytest.mark.slow
def test_any_number_of_connections_may_be_cut(real_client: Client) -> None:
    """A process keeps working after it has lost more connections than redis-py's pool may open."""
    limit: int = real_client.connection_pool.max_connections
    games = open_games(real_client)
    games.create(new_game("g"))
    with connect(f"unix://{real_client.connection_pool.connection_kwargs['path']}") as other:
        for _ in range(limit + 20):
            other.client_kill_filter(_type="normal", skipme=True)
            assert games.load("g").game.version == 5

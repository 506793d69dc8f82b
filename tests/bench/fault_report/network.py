"""Servers and connections that a row can take away: a relay between two programs, stores on ports, a cluster of six."""

import selectors
import socket
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.runtime.embedded import _find_binary
from tests.support.ports import free_port
from tests.support.waiting import wait_until

_HOST: Final = "127.0.0.1"
_SLOTS: Final = 16384
_BUS: Final = 10_000
"""By so much the port of a cluster's bus is above that of its node."""
_DURABLE: Final = (
    *("--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"),
    *("--repl-diskless-sync-delay", "0"),  # as docs/operating.md advises: a replica would be synced 5 s later
)


class Relay:
    """A port that passes everything on to another one, which can change, or be a black hole for a while."""

    def __init__(self, target: int) -> None:
        """Listens at once."""
        self.target = target
        self.is_hole = False
        self._refused: Collection[str] = ()
        self._server = socket.create_server((_HOST, 0))
        self.port: int = self._server.getsockname()[1]
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._server, selectors.EVENT_READ)
        self._is_running = True
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def move(self, target: int) -> None:
        """From now on to that port; open connections are cut."""
        self.target = target
        for one in list(self._pairs):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def refuse(self, addresses: Collection[str]) -> None:
        """From now on nothing from these addresses passes; open connections from there are cut."""
        self._refused = addresses
        for one in list(self._pairs):
            with suppress(OSError):
                if one.getpeername()[0] in addresses:
                    one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Cut everything."""
        self._is_running = False
        self._thread.join()
        for one in (*self._pairs, self._server):
            one.close()
        self._selector.close()

    def _run(self) -> None:
        while self._is_running:
            for key, _ in self._selector.select(0.02):
                if key.fileobj is self._server:
                    self._accept()
                elif not self.is_hole:
                    self._pass_on(key.fileobj)  # type: ignore[arg-type]
            if self.is_hole:
                time.sleep(0.01)  # what waits to be passed on would keep the loop busy

    def _accept(self) -> None:
        client, (address, _) = self._server.accept()
        try:
            if address in self._refused:
                raise ConnectionRefusedError
            server = socket.create_connection((_HOST, self.target), 2)
        except OSError:
            client.close()
            return
        for one, other in ((client, server), (server, client)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs[one] = other
            self._selector.register(one, selectors.EVENT_READ)
        if address in self._refused:  # since then; `refuse` may have looked for connections before this one was there
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def _pass_on(self, source: socket.socket) -> None:
        other = self._pairs.get(source)
        if other is None:
            return
        try:
            data = source.recv(1 << 16)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        for one in (source, other):
            self._selector.unregister(one)
            del self._pairs[one]
            one.close()


@contextmanager
def relay(target: int) -> Iterator[Relay]:
    """A relay to a port, until the block ends."""
    found = Relay(target)
    try:
        yield found
    finally:
        found.close()


@dataclass
class Node:
    """A store server on a port of its own, over a folder."""

    folder: Path
    options: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None
    address: str = ""
    """From which it reaches other nodes, where it can be cut off from them."""
    doors: Sequence[Relay] = ()
    """By which other nodes reach it then: its port, and that of the cluster's bus."""

    def start(self, *more: str) -> None:
        """Start it, and wait until it answers."""
        self.folder.mkdir(exist_ok=True, parents=True)
        words = [_find_binary(""), "--port", str(self.port), "--bind", _HOST, "--dir", str(self.folder), *_DURABLE]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*words, *self.options, *more], stdout=log, stderr=log)
        wait_until(self.answers, 20)

    def answers(self) -> bool:
        """Whether it is up. Asked without retries: each look at a dead server would take seconds."""
        client = redis.Redis(host=_HOST, port=self.port, socket_timeout=10, retry=Retry(NoBackoff(), 0))
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def client(self) -> redis.Redis:
        """A connection to it."""
        return redis.Redis(host=_HOST, port=self.port, socket_timeout=10)

    def send(self, signal_number: int) -> None:
        """Send it a signal."""
        if self.process is not None:
            self.process.send_signal(signal_number)

    def kill(self) -> None:
        """By SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @property
    def url(self) -> str:
        """For REIBACH_REDIS_URL."""
        return f"redis://{_HOST}:{self.port}"


@contextmanager
def nodes(folder: Path, count: int, *options: str, is_divisible: bool = False) -> Iterator[list[Node]]:
    """Servers that know nothing of each other. `is_divisible`: nodes of a cluster that can be cut off, on Linux."""
    with ExitStack() as stack:
        found = []
        for number in range(count):
            node = Node(folder / f"node-{number}", options)
            if is_divisible:
                _put_behind_doors(stack, node, f"127.0.0.{10 + number}")
            found.append(node)
            stack.callback(node.kill)
            node.start()
        yield found


def _put_behind_doors(stack: ExitStack, node: Node, address: str) -> None:
    """Have other nodes reach this one by relays, which know them by the address that each has for itself."""
    node.address = address
    node.doors = [stack.enter_context(relay(port)) for port in (node.port, node.port + _BUS)]
    port, bus = (str(door.port) for door in node.doors)
    announced = ("--cluster-announce-ip", _HOST, "--cluster-announce-port", port, "--cluster-announce-bus-port", bus)
    node.options = (*node.options, "--bind-source-addr", address, *announced)


@contextmanager
def divided(found: Sequence[Node], minority: Sequence[Node]) -> Iterator[None]:
    """The nodes of a divisible cluster in two parts until the block ends; clients reach both."""
    sides = minority, [node for node in found if node not in minority]
    try:
        for side, other in (sides, sides[::-1]):
            for door in (door for node in side for door in node.doors):
                door.refuse([node.address for node in other])
        yield
    finally:
        for door in (door for node in found for door in node.doors):
            door.refuse(())


@contextmanager
def cluster(folder: Path, primaries: int = 3, replicas: int = 1, *, is_divisible: bool = False) -> Iterator[list[Node]]:
    """A cluster, its primaries first; a replica takes over a second after its primary has died."""
    options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0"]
    options += ["--cluster-require-full-coverage", "no"]
    with nodes(folder, primaries * (1 + replicas), *options, is_divisible=is_divisible) as found:
        first = found[0]
        for number, node in enumerate(found):
            client = node.client()
            if number:
                ports = [door.port for door in first.doors] or [first.port, first.port + _BUS]
                client.execute_command("CLUSTER MEET", _HOST, *ports)
            if number < primaries:
                begin, end = (_SLOTS * place // primaries for place in (number, number + 1))
                client.execute_command("CLUSTER ADDSLOTSRANGE", begin, end - 1)
        wait_until(lambda: all(len(_peers(node)) == len(found) for node in found), 30)
        names = [node.client().execute_command("CLUSTER MYID").decode() for node in found]
        for number, node in enumerate(found[primaries:]):
            wait_until(lambda node=node, name=names[number % primaries]: _follow(node, name), 20)
        wait_until(lambda: all(is_whole(node) for node in found), 30)
        yield found


def _peers(node: Node) -> list[bytes]:
    answer = node.client().execute_command("CLUSTER NODES")
    return [line for line in (answer if isinstance(answer, dict) else answer.splitlines()) if line]


def _follow(node: Node, name: str) -> bool:
    try:
        return bool(node.client().execute_command("CLUSTER REPLICATE", name))
    except redis.ResponseError:  # it hasn't heard of that node yet
        return False


def is_whole(node: Node) -> bool:
    """Whether the node takes the cluster for whole, and itself for up to date."""
    client = node.client()
    is_served = int(client.cluster("info")["cluster_slots_ok"]) == _SLOTS
    replication = client.info("replication")
    return is_served and (replication["role"] == "master" or replication["master_link_status"] == "up")


def replica_of(found: Sequence[Node], primary: Node) -> Node:
    """A replica that follows the primary, in a cluster that is whole."""
    ports = {primary.port, *(door.port for door in primary.doors)}
    return next(node for node in found if node.client().info("replication").get("master_port") in ports)


def primaries_of(found: Sequence[Node]) -> list[Node]:
    """The nodes that are primaries now, of those that answer."""
    return [node for node in found if node.answers() and node.client().info("replication")["role"] == "master"]

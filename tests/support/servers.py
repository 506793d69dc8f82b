"""Stores of tests and tools: the embedded one, and servers on TCP ports (single, with replicas, Sentinels, clusters).

All keep an append-only file that is synced before each answer, so a server that is killed loses nothing that it said.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.connections.clients import connect
from service.runtime.embedded import EmbeddedStore, _find_binary
from service.runtime.lifeline import tied
from tests.support.ports import free_port
from tests.support.waiting import wait_until

SLOTS: Final = 16384
_HOST: Final = "127.0.0.1"
NODE_TIMEOUT_MS: Final = 2000
"""Silence after which the nodes of a cluster hold one of them for dead; a replica takes its place about a second later.
The default, 15 s, would make failovers long."""
DOWN_AFTER_MS: Final = 1000
"""The same of Sentinels."""
_DURABLE: Final = {
    "bind": _HOST,
    "protected-mode": "no",
    "save": "",
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "repl-diskless-sync-delay": "0",
}


@dataclass
class Server:
    """A server over a folder, at a port that it keeps when it is started again."""

    folder: Path
    options: dict[str, str] = field(default_factory=dict)
    binary: str = ""
    """Empty: the packaged Valkey."""
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"redis://{_HOST}:{self.port}"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        options = _DURABLE | {"port": str(self.port), "dir": str(self.folder)} | self.options
        words = [word for name, value in options.items() for word in (f"--{name}", *_values(name, value))]
        with (self.folder / "log").open("ab") as output:
            argv = tied([_find_binary(self.binary), *words], signal.SIGKILL)
            self.process = subprocess.Popen(argv, stdout=output, stderr=output)
        wait_until(self.answers, 30)

    def client(self) -> redis.Redis:
        """A client of this server alone. It never retries: each look at a dead server would take seconds."""
        return redis.Redis(port=self.port, protocol=3, retry=Retry(NoBackoff(), 0))

    def answers(self) -> bool:
        """Whether it is up, and has read its files."""
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def state(self, section: str) -> dict[str, object]:
        """A section of INFO; empty while it is down."""
        with self.client() as client:
            try:
                return dict(client.info(section))
            except redis.RedisError:
                return {}

    def is_primary(self) -> bool:
        return self.state("replication").get("role") == "master"

    def is_synced(self) -> bool:
        return self.state("replication").get("master_link_status") == "up"


def _values(name: str, value: str) -> list[str]:
    return value.split() if name in {"replicaof", "sentinel"} else [value]


@contextmanager
def running_store(folder: Path, binary: str = "") -> Iterator[EmbeddedStore]:
    """The embedded store over a folder, until the block ends. Raises StoreError where it refuses to start."""
    store = EmbeddedStore(folder, binary)
    store.start()
    try:
        yield store
    finally:
        store.stop()


def write_lazily(url: str) -> None:
    """Let a store that no test kills answer before the disk has what was written: most tests wait for nothing else."""
    with connect(url) as client:
        client.config_set("appendfsync", "no")


@contextmanager
def suspended(process: "subprocess.Popen[bytes] | int | None") -> Iterator[None]:
    """The process, or that with this id, is stopped (SIGSTOP) until the block ends; the block may kill it."""
    assert process is not None
    pid = process if isinstance(process, int) else process.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def running(*servers: Server) -> Iterator[None]:
    """The servers, started one after the other, and killed at the end."""
    with ExitStack() as stack:
        for server in servers:
            server.start()
            stack.callback(server.kill)
        yield


@contextmanager
def running_pair(folder: Path, binary: str = "", **options: str) -> Iterator[tuple[Server, Server]]:
    primary = Server(folder / "primary", dict(options), binary)
    replica = Server(folder / "replica", {**options, "replicaof": f"{_HOST} {primary.port}"}, binary)
    with running(primary, replica):
        wait_until(replica.is_synced, 30)
        yield primary, replica


@contextmanager
def running_sentinels(folder: Path, primary: Server, name: str, count: int = 3) -> Iterator[list[Server]]:
    """So many Sentinels that watch the primary, and know of each other and of its replica."""
    sentinels = []
    for number in range(count):
        port = free_port()
        file = folder / f"sentinel-{number}.conf"
        lines = [
            f"port {port}",
            f"bind {_HOST}",
            "protected-mode no",
            f"dir {folder}",
            f"sentinel monitor {name} {_HOST} {primary.port} {count // 2 + 1}",
            f"sentinel down-after-milliseconds {name} {DOWN_AFTER_MS}",
            f"sentinel failover-timeout {name} 5000",
        ]
        file.write_text("\n".join(lines) + "\n")
        sentinels.append(_Sentinel(folder / f"sentinel-{number}", binary=primary.binary, port=port, file=file))
    with running(*sentinels):
        wait_until(lambda: all(one.knows(name, count) for one in sentinels), 60)
        yield list(sentinels)


@dataclass
class _Sentinel(Server):
    """A Sentinel, which is configured by a file alone, and writes to it."""

    file: Path = Path()

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log").open("ab") as output:
            argv = tied([_find_binary(self.binary), str(self.file), "--sentinel"], signal.SIGKILL)
            self.process = subprocess.Popen(argv, stdout=output, stderr=output)
        wait_until(self.answers, 30)

    def knows(self, name: str, count: int) -> bool:
        """Whether it knows the others, and the replica."""
        with self.client() as client:
            state = client.sentinel_master(name)
        return bool(state["num-other-sentinels"] == count - 1 and state["num-slaves"] == 1)


@dataclass
class Cluster:
    """The nodes of a cluster: first the first primaries, then the first replicas."""

    nodes: list[Server]

    @property
    def url(self) -> str:
        return ",".join(node.url for node in self.nodes)

    def primaries(self) -> list[Server]:
        return [node for node in self.nodes if node.is_primary()]

    def is_whole(self) -> bool:
        """Whether every slot is served, each node is up, and each replica follows its primary."""
        ok = all(_count_served(node) == SLOTS for node in self.nodes)
        return ok and all(node.is_primary() or node.is_synced() for node in self.nodes)

    def has_replicas(self) -> bool:
        """Whether each primary has as many replicas as at the start, and they follow it."""
        primaries = self.primaries()
        each = (len(self.nodes) - len(primaries)) // max(1, len(primaries))
        return self.is_whole() and all(node.state("replication").get("connected_slaves") == each for node in primaries)


def _count_served(node: Server) -> int:
    """The slots that the node knows to be served; 0 while it is down."""
    with node.client() as client:
        try:
            state = client.cluster("info")
        except redis.RedisError:
            return 0
    return int(state["cluster_slots_ok"]) if state["cluster_state"] == "ok" else 0


@contextmanager
def running_cluster(
    folder: Path, primaries: int = 3, replicas: int = 0, binary: str = "", **options: str
) -> Iterator[Cluster]:
    """So many primaries that share the slots, with so many replicas each; all of them know each other."""
    enabled = {
        "cluster-enabled": "yes",
        "cluster-node-timeout": str(NODE_TIMEOUT_MS),
        "cluster-replica-validity-factor": "0",
        "cluster-allow-replica-migration": "no",
        "cluster-require-full-coverage": "no",
    }
    nodes = [Server(folder / str(number), enabled | options, binary) for number in range(primaries * (1 + replicas))]
    cluster = Cluster(nodes)
    with running(*nodes):
        _share_slots(nodes[:primaries])
        for node in nodes[1:]:
            _send(node, "CLUSTER MEET", _HOST, str(nodes[0].port))
        wait_until(lambda: all(_count_known(node) == len(nodes) for node in nodes), 60)
        for number, node in enumerate(nodes[primaries:]):
            of = nodes[number % primaries]
            wait_until(lambda node=node, of=of: _follow(node, of), 30)
        wait_until(cluster.has_replicas if replicas else cluster.is_whole, 60)
        yield cluster


def _share_slots(nodes: Sequence[Server]) -> None:
    edges = [SLOTS * index // len(nodes) for index in range(len(nodes) + 1)]
    for node, first, after in zip(nodes, edges, edges[1:], strict=False):
        _send(node, "CLUSTER ADDSLOTSRANGE", str(first), str(after - 1))


def _send(node: Server, *words: str) -> object:
    with node.client() as client:
        return client.execute_command(*words)


def _count_known(node: Server) -> int:
    with node.client() as client:
        return int(client.cluster("info")["cluster_known_nodes"])


def _follow(node: Server, primary: Server) -> bool:
    """Make the node a replica; False while it doesn't know the primary yet."""
    name = _send(primary, "CLUSTER MYID")
    try:
        _send(node, "CLUSTER REPLICATE", name.decode() if isinstance(name, bytes) else str(name))
    except redis.ResponseError:
        return False
    return True

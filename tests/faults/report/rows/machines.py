"""Several store servers: replicas that take over, R13 and R14, slots that move, R15, and primaries that are killed."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Final

import httpx

from tests.faults.report.load import Load
from tests.faults.report.network import Node, Relay, cluster, is_whole, nodes, primaries_of, relay
from tests.faults.report.scene import Run, Scene, judge, store_version
from tests.faults.report.verifier import Findings, read_journals, read_logs
from tests.support.waiting import patience, wait_until

TAKEN_OVER: Final = 10.0
"""Seconds within which writes to a dead primary's shards must go on."""
_SHARDS: Final = 16
_TOLD: Final = re.compile(r"^reibach_\w*lost\w*(?:\{[^}]*\})? (\d+)", re.MULTILINE)


def fail_over(run: Run) -> None:
    """R13: a replica that is cut off for a while is promoted; with REIBACH_REPLICAS=1 nothing acknowledged is lost."""
    times = run.size(3, 100)
    with nodes(run.folder, 2) as both, pair(*both) as (door, line):
        primary, replica = both
        settings = {"REIBACH_REDIS_URL": f"redis://127.0.0.1:{door.port}", "REIBACH_REPLICAS": "1"}
        with run.serve(**settings) as scene, scene.load(8) as load:
            run.outcome.store = store_version(primary.client())
            downs = []
            for _ in range(times):
                load.wait_for(40)
                line.is_hole = True
                load.stopping.wait(run.chance.uniform(0.3, 2))
                line.is_hole = False
                wait_until(lambda node=replica: node.client().info("replication")["master_link_status"] == "up", 30)
                load.wait_for(20)
                began = promote(primary, replica, door)
                primary, replica = replica, primary
                follow(replica, primary, line)  # until then no append has its replica, and none is acknowledged
                downs.append(load.wait_for_recovery(began))
            scene.judge(load)
    run.outcome.recovery = max(downs)
    run.outcome.how = (
        f"replica cut off for up to 2 s, primary killed, replica promoted, {times} times; REIBACH_REPLICAS=1"
    )


def promote(primary: Node, replica: Node, door: Relay) -> float:
    """Kill the primary, and have the replica take its place; when that was, by the monotonic clock."""
    primary.kill()
    began = time.monotonic()
    replica.client().execute_command("REPLICAOF", "NO", "ONE")
    door.move(replica.port)
    return began


def follow(node: Node, primary: Node, line: Relay) -> None:
    """Start a node again, as a replica of the other one."""
    line.move(primary.port)
    node.start()
    node.client().execute_command("REPLICAOF", "127.0.0.1", line.port)
    wait_until(lambda: node.client().info("replication")["master_link_status"] == "up", 30)


@contextmanager
def pair(primary: Node, replica: Node) -> Iterator[tuple[Relay, Relay]]:
    """The door by which clients reach the primary, and the line by which its replica does."""
    with relay(primary.port) as door, relay(primary.port) as line:
        replica.client().execute_command("REPLICAOF", "127.0.0.1", line.port)
        wait_until(lambda: replica.client().info("replication")["master_link_status"] == "up", 30)
        yield door, line


def lose_past(run: Run) -> None:
    """R14: a replica that is behind is promoted. The loss can't be prevented here; the service must tell of it."""
    with nodes(run.folder, 2) as (primary, replica), pair(primary, replica) as (door, line):
        settings = {"REIBACH_REDIS_URL": f"redis://127.0.0.1:{door.port}"}
        with run.serve(**settings) as scene, scene.load(8) as load:
            run.outcome.store = store_version(primary.client())
            load.wait_for(60)
            listeners = [Listener(scene.url, game) for game in list(load.games)[:6]]
            line.is_hole = True
            load.wait_for(run.size(40, 200))  # of 8 games: no more than a process remembers of each
            run.outcome.recovery = load.wait_for_recovery(promote(primary, replica, door))
            load.unexpected.clear()  # clients of games that went back are told 409 or 412
            load.wait_for(60)
            findings = scene.judge(load)
            _judge_loss(run, scene, findings, listeners)
    run.outcome.how = "replica cut off, primary killed, replica promoted, under warm processes"


def _judge_loss(run: Run, scene: Scene, findings: Findings, listeners: Sequence["Listener"]) -> None:
    """Losses are no fault of this row, if all of them are told, and no stream told what isn't in the log any more."""
    told = sum(map(int, _TOLD.findall(httpx.get(f"{scene.url}/metrics").text)))
    logged = scene.log.read_text().count("lost acknowledged events")
    run.outcome.faults[:] = [one for one in run.outcome.faults if one.partition(":")[0] in {"broken", "torn"}]
    run.need(findings.lost, "nothing was lost: the fault wasn't made")
    logs = read_logs(run.folder / "exports")
    lost = _count_lost(scene, logs)
    run.need(told >= lost, f"{lost} acknowledged events were lost, and the metric tells of {told}")
    run.need(logged, "no line of the log says that events were lost")
    audited = sum(len(scene.get(f"/v1/games/{game}/audit")[1]["losses"]) for game in logs)
    run.need(audited, "no game's audit tells of lost events")
    for one in listeners:
        wrong = one.stop(logs[one.game])
        run.need(not wrong, f"a stream of {one.game} told events that aren't in the log, from version {wrong} on")
    run.outcome.notes.append(
        f"{lost} events of answers are lost; {told} events told as lost by the metric, which counts workers' too,"
        f" {logged} lines of the log, {audited} entries in audits"
    )


def _count_lost(scene: Scene, logs: Mapping[str, Sequence[dict[str, Any]]]) -> int:
    """Events that an answer has told and that no log has. Answers to creations tell none."""
    stored = {(game, one["version"], one["hash"]) for game, log in logs.items() for one in log}
    acks = read_journals(scene.run.folder / f"{scene.data.name}.journals")
    return len({(ack.game, version, digest) for ack in acks for version, _, digest in ack.events} - stored)


class Listener:
    """A stream of a game that is opened anew, from its beginning, whenever the service ends it."""

    def __init__(self, url: str, game: str) -> None:
        """Listens at once."""
        self.game = game
        self._url, self._events, self._done = url, list[tuple[int, str]](), Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self, log: Sequence[dict[str, Any]]) -> int:
        """The first version of the last stream that differs from the log; 0 where none does."""
        self._done.set()
        self._thread.join()
        kept = [(event["version"], event["hash"]) for event in log]
        return next((version for version, digest in self._events if (version, digest) not in kept), 0)

    def _run(self) -> None:
        headers, timeout = {"Accept": "text/event-stream"}, httpx.Timeout(patience(10), read=patience(15))
        while not self._done.is_set():
            self._events = []
            try:
                path = f"{self._url}/v1/games/{self.game}/events"
                with httpx.stream("GET", path, headers=headers, timeout=timeout) as answer:
                    self._follow(answer)
            except httpx.HTTPError:
                self._done.wait(0.1)

    def _follow(self, answer: httpx.Response) -> None:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                event = json.loads(line[5:])
                self._events.append((event["version"], event["hash"]))
            if self._done.is_set():
                return


def move_slots(run: Run) -> None:
    """R15: the slots of shards move from node to node under load."""
    moves = run.size(12, 1000)
    with on_cluster(run) as (scene, found), scene.load(8) as load:
        load.wait_for(60)
        began = time.monotonic()
        for _ in range(moves):
            _move(found, f"{{s{run.chance.randrange(_SHARDS):02}}}", run.chance)
            load.wait_for(8)
        p99 = load.p99_ms(began)
        judge_cluster(run, scene, load)
    run.outcome.notes.append(f"p99 of accepted requests {p99:.0f} ms")
    run.outcome.how = f"the slot of a shard moved to another primary, {moves} times, under 8 clients"


def _move(found: Sequence[Node], tag: str, chance: Any) -> None:
    primaries = primaries_of(found)
    slot = primaries[0].client().execute_command("CLUSTER KEYSLOT", tag)
    names = {node.port: node.client().execute_command("CLUSTER MYID").decode() for node in primaries}
    shards = primaries[0].client().execute_command("CLUSTER SLOTS")
    source = next(
        node for node in primaries if any(one[0] <= slot <= one[1] and one[2][1] == node.port for one in shards)
    )
    target = chance.choice([node for node in primaries if node is not source])
    target.client().execute_command("CLUSTER SETSLOT", slot, "IMPORTING", names[source.port])
    source.client().execute_command("CLUSTER SETSLOT", slot, "MIGRATING", names[target.port])
    while keys := source.client().execute_command("CLUSTER GETKEYSINSLOT", slot, 50):
        source.client().execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "REPLACE", "KEYS", *keys)
    for node in (target, source, *primaries):
        node.client().execute_command("CLUSTER SETSLOT", slot, "NODE", names[target.port])


def kill_primaries(run: Run) -> None:
    """Primaries of a cluster are killed one after the other; REIBACH_REPLICAS=1 keeps all that was acknowledged."""
    kills = run.size(3, 100)
    with on_cluster(run, REIBACH_REPLICAS="1") as (scene, found), scene.load(16) as load:
        downs = []
        for _ in range(kills):
            load.wait_for(60)
            victim = run.chance.choice(primaries_of(found))
            victim.kill()
            killed = time.monotonic()
            wait_until(lambda: len(primaries_of(found)) >= 3, 30)
            victim.start()  # the only replica of the new primary, without which that accepts nothing
            downs.append(load.wait_for_all(killed))
            wait_until(lambda: all(is_whole(node) for node in found), 60)
        judge_cluster(run, scene, load)
    run.outcome.recovery = max(downs)
    limit = patience(TAKEN_OVER / 2)
    run.need(max(downs) <= limit, f"a client waited {max(downs):.1f} s")
    each = [f"{down:.1f}" for down in sorted(downs)]
    told = f"{', '.join(each)} s" if kills < 10 else f"{each[kills // 2]} s (median), {each[-1]} s (longest)"
    run.outcome.notes.append(f"all clients went on after {told}; limit {limit:.0f} s on this machine now")
    run.outcome.how = (
        f"SIGKILL of a primary {kills} times, 16 clients, REIBACH_REPLICAS=1; it is started again as a replica"
    )


@contextmanager
def on_cluster(run: Run, **settings: str) -> Iterator[tuple[Scene, list[Node]]]:
    """A service on a cluster of six nodes, with its queue on a server of its own."""
    with cluster(run.folder) as found, nodes(run.folder / "queue", 1) as (jobs,):
        run.outcome.store = store_version(found[0].client())
        urls = {"REIBACH_REDIS_URL": ",".join(node.url for node in found[:3]), "REIBACH_QUEUE_URL": jobs.url}
        with run.serve(**urls, **settings) as scene:
            yield scene, found


def judge_cluster(run: Run, scene: Scene, load: Load) -> Findings:
    """As of one store."""
    return judge(run, [load], scene.settings, load.urls)

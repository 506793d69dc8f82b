"""Several store servers: replicas that take over, R13 and R14, slots that move, R15, and primaries that are killed."""

import json
import shutil
import signal
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from threading import Event, Thread
from typing import Any, Final

import httpx
from redis import Redis

from tests.bench.fault_report.load import Load
from tests.bench.fault_report.network import (
    Node,
    Relay,
    cluster,
    divided,
    is_whole,
    nodes,
    primaries_of,
    relay,
    replica_of,
)
from tests.bench.fault_report.scene import (
    Run,
    Scene,
    ask,
    end,
    judge,
    lost_events_told,
    pardon_loss,
    reibach,
    store_version,
)
from tests.bench.fault_report.verifier import Ack, Logs, read_journals, read_logs
from tests.faults.parts import descendants
from tests.support.waiting import patience, wait_until

TAKEN_OVER: Final = 10.0
"""Seconds within which writes to a dead primary's shards must go on."""
MOVED: Final = 0.2
"""Seconds that 99 of 100 accepted requests take at most while slots move."""
_SHARDS: Final = 16
_ASKED: Final = 8
"""Times that each resource is asked for, so that each web process answers."""


def fail_over(run: Run) -> None:
    """R13: a replica that is, or was, cut off is promoted; with REIBACH_REPLICAS=1 nothing acknowledged is lost."""
    times, longest = run.size(3, 100), run.size(2, 10)
    with nodes(run.folder, 2) as both, pair(*both) as (door, line):
        primary, replica = both
        settings = {"REIBACH_REDIS_URL": f"redis://127.0.0.1:{door.port}", "REIBACH_REPLICAS": "1"}
        with run.serve(**settings) as scene, scene.load(8) as load:
            run.outcome.store = store_version(primary.client())
            load.is_lossy = True
            downs = []
            for number in range(times):
                load.wait_for(40)
                line.is_hole = True
                load.stopping.wait(run.chance.uniform(0.3, longest))
                if number % 2:  # it catches up before the primary is killed
                    line.is_hole = False
                    wait_until(lambda node=replica: node.client().info("replication")["master_link_status"] == "up", 30)
                    load.wait_for(20)
                began = promote(primary, replica, door)
                line.is_hole = False
                primary, replica = replica, primary
                follow(replica, primary, line)  # until then no append has its replica, and none is acknowledged
                downs.append(load.wait_for_recovery(began))
            scene.judge(load)
            _need_excused(run, scene, load)
    run.outcome.recovery = max(downs)
    run.outcome.how = (
        f"replica cut off for up to {longest} s, primary killed, replica promoted, {times} times, every other time"
        " while it is cut off; REIBACH_REPLICAS=1"
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
            done = Event()
            listeners = [Listener(scene.url, game, done) for game in list(load.games)[:6]]
            line.is_hole = load.is_lossy = True
            load.wait_for(run.size(40, 120))
            run.outcome.recovery = load.wait_for_recovery(promote(primary, replica, door))
            load.wait_for(60)
            scene.judge(load)
            judge_loss(run, scene)
            done.set()
            _bring_fork(run, scene, load, primary, replica)
            for one in listeners:
                wrong = one.find_wrong()
                run.need(not wrong, f"a stream of {one.game} told what isn't in the log, from version {wrong} on")
    run.outcome.how = (
        "replica cut off, primary killed, replica promoted, under warm processes; then a game's stream is replaced by"
        " the one that the old primary has, as if both were mixed, and put back"
    )


def _bring_fork(run: Run, scene: Scene, load: Load, old: Node, new: Node) -> None:
    """A game's stream of the old primary comes back: that game alone is refused and named, until it is as it was.

    Processes that have proved its past may go on with that; none gives out anything of the other stream.
    """
    old.start()
    wait_until(lambda: not _waiting_for_workers(new.client()), 20)
    keys = [key.decode() for key in new.client().scan_iter("*:game:*", 1000)]
    forked = [key for key in keys if _differs(old.client().xrange(key), new.client().xrange(key))]
    if not forked:
        run.need(None, "no game has other entries at the old primary: the fork wasn't made")
        return
    key = run.chance.choice(sorted(forked))
    game, good = key.rpartition(":")[2], new.client().dump(key)
    path = f"/v1/games/{game}"
    before = {one: scene.get(one) for one in (path, f"{path}/events", f"{path}/scores")}
    new.client().restore(key, 0, old.client().dump(key), replace=True)
    warm = [(one, scene.get(one)) for one in before for _ in range(_ASKED)]
    wrong = [(one, answer) for one, answer in warm if not _is_refused(answer) and answer != before[one]]
    run.need(not wrong, f"processes that knew a forked game told otherwise of it: {str(wrong[:1])[:200]}")
    token = load.tokens[game][min(load.tokens[game])]
    sent = [_say(scene, game, token) for _ in range(_ASKED)]
    others = _need_named(run, scene, game)
    _start_web_anew(scene)
    cold = [(one, scene.get(one)) for one in before for _ in range(_ASKED)]
    told = [(one, answer) for one, answer in cold if not _is_refused(answer)]
    run.need(not told, f"processes that didn't know a forked game told of it: {str(told[:1])[:200]}")
    sent += [_say(scene, game, token) for _ in range(_ASKED)]
    taken = [answer for answer in sent if not _is_refused(answer)]
    run.need(not taken, f"messages of a forked game were answered {str(taken[:1])[:200]}")
    _need_named(run, scene, game)
    refused = [other for other in others if scene.get(f"/v1/games/{other}")[0] != HTTPStatus.OK]
    run.need(others and not refused, f"others than the forked game are refused: {refused[:3]}")
    beside = Load([scene.url], run.folder / "beside.journals", f"{run.seed} beside a fork", 4)
    with beside:
        beside.wait_for(40)
    new.client().restore(key, 0, good, replace=True)
    wait_until(lambda: all(scene.get(one) == answer for one, answer in before.items() for _ in range(_ASKED)), 20)
    judge(run, [beside], scene.settings, [scene.url])
    status, audit = scene.get(f"{path}/audit")
    run.need(status == HTTPStatus.OK and audit["ok"], f"the audit of a game that was put back: {status}, {audit}")
    served = sum(not _is_refused(answer) for _, answer in warm)
    run.outcome.notes.append(
        "a stream of the old primary in the place of its own: audit and export named that game alone;"
        f" {len(sent)} messages of it were refused, and new processes gave nothing of it; {served} of {len(warm)}"
        " answers of those that had proved its past were as before, the others 503;"
        f" {len(others)} other games were served, and {beside.counts['201']} requests accepted beside it"
    )


def _waiting_for_workers(store: Redis) -> int:
    """How many games wait for a worker."""
    lists = [key for name in ("due", "turns", "bots") for key in store.scan_iter(f"*:{name}", 1000)]
    return sum(store.zcard(key) for key in lists)


def _say(scene: Scene, game: str, token: str) -> tuple[int, Any]:
    """The answer to a message of a game's person."""
    headers = {"Authorization": f"Bearer {token}"}
    return ask(scene.url, "POST", f"/v1/games/{game}/messages", {"text": "said"}, **headers)


def _is_refused(answer: tuple[int, Any]) -> bool:
    """Whether a game's log was found damaged."""
    status, content = answer
    return status == HTTPStatus.SERVICE_UNAVAILABLE and content["type"] == "/problems/store-unavailable"


def _need_named(run: Run, scene: Scene, game: str) -> list[str]:
    """The game's audit finds a fault, and the export names it, and no other; the other games."""
    status, audit = scene.get(f"/v1/games/{game}/audit")
    run.need(status == HTTPStatus.OK and not audit["ok"], f"the audit of a forked game: {status}, {audit}")
    folder = run.folder / "forked"
    shutil.rmtree(folder, ignore_errors=True)
    ended = reibach("export", "--all", "--running", "--to", str(folder), **scene.settings)
    named = [line for line in ended.stderr.splitlines() if "its log is damaged" in line]
    run.need(
        ended.returncode == 1 and len(named) == 1 and game in named[0],
        f"the export doesn't name the forked game alone: {ended.returncode}, {ended.stderr.strip()[-200:]}",
    )
    return sorted(read_logs(folder))


def _start_web_anew(scene: Scene) -> None:
    """Have other web processes, which remember nothing, take the place of all that there are."""
    server = scene.part("web server")
    known = set(descendants(server))
    end(server, signal.SIGHUP)
    wait_until(lambda: not known & set(descendants(server)) and len(descendants(server)) >= len(known), 30)
    wait_until(lambda: scene.get("/readyz")[0] == HTTPStatus.OK, 20)


def _differs(old: Sequence[Any], new: Sequence[Any]) -> bool:
    """Whether both have entries that the other one lacks."""
    return bool(new) and any(entry not in new for entry in old) and any(entry not in old for entry in new)


def judge_loss(run: Run, scene: Scene) -> None:
    """Losses are no fault of these rows, if the service tells of them."""
    logs = read_logs(run.folder / "exports")
    acks = list(read_journals(scene.run.folder / f"{scene.data.name}.journals"))
    gone, lost = pardon_loss(run, scene), _find_lost(acks, logs)
    run.need(lost, "nothing was lost: the fault wasn't made")
    counted, named = lost_events_told(scene), games_named(scene)
    run.need(counted, f"{len(lost)} acknowledged events were lost, and the metric tells of none")
    games = {game for game, _ in lost}
    run.need(games & named, f"no line of the log names one of {len(games)} games that have lost events")
    run.outcome.notes.append(
        f"the store lost its past on purpose; {len(lost)} events of answers are lost; the metric counts {counted}, and"
        f" lines of the log name {len(games & named)} of {len(games)} games; {len(gone)} games are gone as a whole"
    )


def _find_lost(acks: Sequence[Ack], logs: Logs) -> set[tuple[str, int]]:
    """Game and version of events that an answer has told and that no log has. Answers to creations tell none."""
    stored = {(game, one["version"], one["hash"]) for game, log in logs.items() for one in log}
    told = {(ack.game, version, digest) for ack in acks for version, _, digest in ack.events}
    return {(game, version) for game, version, _ in told - stored}


def games_named(scene: Scene) -> set[str]:
    """The games of which lines of the log say that they have lost events."""
    return {
        word.removeprefix("game=")
        for line in scene.log.read_text().splitlines()
        if "the store has lost acknowledged events" in line
        for word in line.split()
        if word.startswith("game=")
    }


class Listener:
    """A stream of a game that is opened anew, from its beginning, whenever the service ends it."""

    def __init__(self, url: str, game: str, done: Event) -> None:
        """Listens at once, until it is `done`."""
        self.game = game
        self._url, self._events, self._done = url, list[tuple[int, str]](), done
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def find_wrong(self) -> int:
        """When it is done: the first version of the last stream that differs from the log of now; 0: none does."""
        self._thread.join()
        lines = httpx.get(f"{self._url}/v1/games/{self.game}/events", headers={"Accept": "application/x-ndjson"}).text
        kept = {(event["version"], event["hash"]) for event in map(json.loads, lines.splitlines())}
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
    moves, moved = run.size(12, 1000), list[list[str]]()
    with on_cluster(run) as (scene, found), scene.load(8) as load:
        load.wait_for(60)
        began = time.monotonic()
        for _ in range(moves):
            moved.append(_move(found, f"{{s{run.chance.randrange(_SHARDS):02}}}", run.chance))
            load.wait_for(8)
        p99 = load.p99(began)
        judge_cluster(run, scene, load)
    games = Counter(key.rpartition(":")[2] for keys in moved for key in keys if ":game:" in key)
    run.need(games, "no game was moved: the fault wasn't made")
    run.outcome.notes.append(
        f"{sum(map(len, moved)):,} keys were moved, among them {len(games)} games, {games.total()} times"
    )
    run.need_within("p99 of accepted requests", p99, MOVED)
    run.outcome.how = f"the slot of a shard moved to another primary, {moves} times, under 8 clients"


def _move(found: Sequence[Node], tag: str, chance: Any) -> list[str]:
    """Move the slot of these keys to another primary, as `valkey-cli --cluster reshard` does; the keys in it."""
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
    moved = list[str]()
    while keys := source.client().execute_command("CLUSTER GETKEYSINSLOT", slot, 50):
        source.client().execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "REPLACE", "KEYS", *keys)
        moved += keys
    for node in (target, source, *primaries):
        node.client().execute_command("CLUSTER SETSLOT", slot, "NODE", names[target.port])
    return moved


def kill_primaries(run: Run) -> None:
    """Primaries of a cluster are killed one after the other; REIBACH_REPLICAS=1 keeps all that was acknowledged.

    Each time its replica has got nothing for a moment: what the primary has answered in it alone would be lost.
    """
    kills, downs, behind = run.size(3, 100), list[float](), list[int]()
    with on_cluster(run, REIBACH_REPLICAS="1") as (scene, found), scene.load(16) as load:
        load.is_lossy = True
        for _ in range(kills):
            load.wait_for(60)
            victim = run.chance.choice(primaries_of(found))
            with held_back(replica_of(found, victim), victim):
                before = _written(victim)
                load.stopping.wait(run.chance.uniform(0.3, 1))
                behind.append(_written(victim) - before)
                victim.kill()
            downs.append(_bring_back(found, victim, load))
        judge_cluster(run, scene, load)
        _need_excused(run, scene, load)
    run.need(any(behind), "no primary was ahead of its replica: the fault wasn't made")
    run.outcome.recovery = max(downs)
    run.outcome.notes.append(f"all clients went on after {statistics.median(downs):.1f} s (median)")
    run.outcome.notes.append(f"primaries had written {sum(behind):,} bytes that no replica had, and none was answered")
    run.need_within("the slowest after", max(downs), TAKEN_OVER)
    run.outcome.how = (
        f"{kills} times a replica is stopped and cut off for up to a second, its primary is killed, and the replica"
        " goes on and takes its place; 16 clients, REIBACH_REPLICAS=1; the primary is started again as a replica"
    )


def _bring_back(found: Sequence[Node], victim: Node, load: Load) -> float:
    """Start a primary that was just killed again once it is replaced; seconds until all clients went on.

    It is the only replica of the new primary, which accepts nothing without one where REIBACH_REPLICAS is 1.
    """
    killed = time.monotonic()
    wait_until(lambda: len(primaries_of(found)) >= 3, 30)
    victim.start()
    down = load.wait_for_all(killed)
    wait_until(lambda: all(is_whole(node) for node in found), 60)
    return down


def lose_primaries(run: Run) -> None:
    """Primaries of a cluster are killed whose replicas are behind, without REIBACH_REPLICAS: the loss is told."""
    kills, behind = run.size(2, 30), 48
    with on_cluster(run) as (scene, found), scene.load(16) as load:
        load.is_lossy = True
        downs = []
        for _ in range(kills):
            load.wait_for(60)
            victim = run.chance.choice(primaries_of(found))
            with held_back(replica_of(found, victim), victim):
                load.wait_for(behind)
                victim.kill()
            downs.append(_bring_back(found, victim, load))
        judge_cluster(run, scene, load)
        judge_loss(run, scene)
    run.outcome.recovery = max(downs)
    run.outcome.how = (
        f"{kills} times a replica is stopped and cut off, its primary is killed after {behind} further requests of 16"
        " clients to all primaries, and the replica goes on and takes its place; REIBACH_REPLICAS=0"
    )


@contextmanager
def held_back(replica: Node, primary: Node) -> Iterator[None]:
    """A replica that gets nothing from its primary until the block ends."""
    replica.send(signal.SIGSTOP)  # so that it can't connect anew
    try:
        primary.client().execute_command("CLIENT KILL TYPE", "replica")
        yield
    finally:
        replica.send(signal.SIGCONT)


def divide(run: Run) -> None:
    """R14: a primary that is cut off with a minority, and is back when another node has taken its place."""
    times, downs, written = run.size(1, 30), list[float](), list[int]()
    with on_cluster(run, is_divisible=True, REIBACH_REPLICAS="1") as (scene, found), scene.load(16) as load:
        load.is_lossy = True
        for _ in range(times):
            load.wait_for(60)
            old, other = run.chance.sample(primaries_of(found), 2)
            minority = [old, replica_of(found, other)]
            majority = [node for node in found if node not in minority]
            with divided(found, minority):
                began, before = time.monotonic(), _written(old)
                wait_until(lambda some=majority: len(primaries_of(some)) >= 3, 30)
                load.stopping.wait(1)  # the old one is asked by those who don't know yet
                written.append(_written(old) - before)
            downs.append(load.wait_for_all(began))  # the new one lacks its only replica until now
            wait_until(lambda: all(is_whole(node) for node in found), 60)
        judge_cluster(run, scene, load)
        _need_excused(run, scene, load)
    run.need(all(written), "the old primary took no request: the fault wasn't made")
    run.outcome.recovery = max(downs)
    run.outcome.notes.append(f"old primaries wrote {sum(written):,} bytes that were dropped when they came back")
    run.outcome.how = (
        f"{times} times a primary and another one's replica are cut off from four nodes, which elect a new primary;"
        " 16 clients reach all; then both parts are one again; REIBACH_REPLICAS=1"
    )


def _need_excused(run: Run, scene: Scene, load: Load) -> None:
    """What a worker has done, and no replica had, was shown all the same: it may be gone, if the service says so."""
    if load.excused:
        told = lost_events_told(scene)
        run.need(told, f"clients were refused as if their games had gone back, and no loss is told: {load.excused[:3]}")
        run.outcome.notes.append(
            f"{len(load.excused)} requests were refused, as views had shown what a worker had done and no replica had;"
            f" none of it was acknowledged to anyone; the metric tells of {told} lost events"
        )


def _written(node: Node) -> int:
    """Bytes that a primary has written for its replicas so far, whether it has any or not."""
    return int(node.client().info("replication")["master_repl_offset"])


@contextmanager
def on_cluster(run: Run, *, is_divisible: bool = False, **settings: str) -> Iterator[tuple[Scene, list[Node]]]:
    """A service on a cluster of six nodes, with its queue on a server of its own."""
    with cluster(run.folder, is_divisible=is_divisible) as found, nodes(run.folder / "queue", 1) as (jobs,):
        run.outcome.store = store_version(found[0].client())
        urls = {"REIBACH_REDIS_URL": ",".join(node.url for node in found[:3]), "REIBACH_QUEUE_URL": jobs.url}
        with run.serve(**urls, **settings) as scene:
            yield scene, found


def judge_cluster(run: Run, scene: Scene, load: Load) -> None:
    """As of one store."""
    judge(run, [load], scene.settings, load.urls)

"""Other stores than the one that was served: a wrong one, R25, a restored backup, R26, an older release's, R27."""

import json
import shutil
import time
from pathlib import Path

from service.gamelog.store.streams import AppendRequest, Store
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import Deployment
from tests.bench.fault_report.network import Node
from tests.bench.fault_report.rows.machines import judge_loss
from tests.bench.fault_report.scene import Run, ask, export, judge, reibach, store_on, store_version
from tests.bench.fault_report.verifier import Ack, read_journals, read_logs, verify
from tests.faults.served import SHARDS
from tests.games.kept import PAYLOADS, Kept
from tests.support.waiting import wait_until


def swap_store(run: Run) -> None:
    """R25: under a living service the store is replaced, by an older copy of itself, and by another deployment's."""
    gone_back = _go_back(run)
    node = Node(run.folder / "own")
    node.start()
    try:
        with run.serve(REIBACH_REDIS_URL=node.url) as scene, scene.load(4) as load:
            run.outcome.store = store_version(node.client())
            load.wait_for(60)
            game = next(iter(load.games))
            load.stop()
            _replace(node, run.folder / "empty")
            for what in ("an empty", "another deployment's"):
                statuses = [_write(scene.url), scene.get(f"/v1/games/{game}")[0], _write(scene.url)]
                run.need(set(statuses) == {503}, f"on {what} store POST, GET, POST got {statuses}, not 503")
                node.client().set("reibach:deployment", Deployment.new(SHARDS).to_json())
            _replace(node, run.folder / "own")
            wait_until(lambda: scene.get("/readyz")[0] == 200, 60)
            judge(run, [load], scene.settings, load.urls)
    finally:
        node.kill()
    run.outcome.how = (
        f"the server of REIBACH_REDIS_URL ended, and started on {gone_back}; then on an empty folder, which became"
        " another deployment's, and on its own again"
    )


def _go_back(run: Run) -> str:
    """Under load a store is replaced by a copy of its files, some seconds old, again and again; says how often.

    The copy is this deployment's, so it is served; what it lacks must be told of.
    """
    times = run.size(1, 10)
    for number in range(times):
        own, copy = (run.folder / f"{name}-{number}" for name in ("newer", "older"))
        node = Node(own)
        node.start()
        try:
            with run.serve(f"back-{number}", REIBACH_REDIS_URL=node.url) as scene, scene.load(8) as load:
                load.wait_for(60)
                shutil.copytree(own, copy)
                load.is_lossy = True
                load.wait_for(40)
                began = time.monotonic()
                _replace(node, copy)
                down = load.wait_for_recovery(began)
                run.outcome.recovery = max(run.outcome.recovery or 0, down)
                load.wait_for(60)
                judge(run, [load], scene.settings, load.urls)
                judge_loss(run, scene)
        finally:
            node.kill()
    return f"a copy of its files from before 40 requests, {times} times, under 8 clients"


def _replace(node: Node, folder: Path) -> None:
    node.kill()
    node.folder = folder
    node.start()


def _write(url: str) -> int:
    """The status of a new game, asked for until it isn't the loss of the connection that is answered."""
    found = [0]

    def tried() -> bool:
        found[0] = ask(url, "POST", "/v1/games", {"seats": [{"name": "Anna"}, {"name": "Bert"}]})[0]
        return found[0] != 0

    wait_until(tried, 20)
    return found[0]


def back_up(run: Run) -> None:
    """R26: a backup that is made under load holds all that was acknowledged before it began, restored elsewhere."""
    times = run.size(2, 20)
    with run.serve() as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        for number in range(times):
            load.wait_for(100)
            before = list(read_journals(load.journals))
            backup = run.folder / f"backup-{number}"
            began = time.monotonic()
            ended = reibach("backup", str(backup), "--data", str(scene.data))
            run.need(ended.returncode == 0, f"backup: {ended.stderr.strip()[-200:]}")
            if ended.returncode:
                break
            run.outcome.notes.append(f"backup {number}: {time.monotonic() - began:.1f} s")
            _judge_restored(run, backup, number, before)
        scene.judge(load)
    run.outcome.how = f"backup under 8 clients, restored into an empty folder, {times} times"


def _judge_restored(run: Run, backup: Path, number: int, acks: list[Ack]) -> None:
    """Nothing that was acknowledged before the backup began is missing in the restored store."""
    data = run.folder / f"restored-{number}"
    ended = reibach("restore", str(backup), "--data", str(data))
    run.need(ended.returncode == 0, f"restore: {ended.stderr.strip()[-200:]}")
    with store_on(data):
        logs = read_logs(export(run, {"REIBACH_REDIS_URL": EmbeddedStore(data).url}, f"restored-exports-{number}"))
    findings = verify(acks, logs)
    run.outcome.faults += [f"restored: {one}" for one in (*findings.lost, *findings.torn, *findings.broken)]


def read_older(run: Run) -> None:
    """R27: games as each release has stored them are served, audited and exported as the same bytes, and fold."""
    kept = {}
    with run.serve(REIBACH_ARCHIVE="off") as scene:
        run.outcome.store = store_version(scene.client())
        for path in sorted(PAYLOADS.glob("*.events.jsonl")):
            old = Kept(path.name.removesuffix(".events.jsonl"))
            kept[write_as_stored(scene.service.store, old)] = old.events
        ended = {game for game, content in kept.items() if b'"erased":true' in content and b'"digest"' not in content}
        logs = read_logs(exports := export(run, {"REIBACH_REDIS_URL": EmbeddedStore(scene.data).url}))
        for game in kept:
            status, audit = scene.get(f"/v1/games/{game}/audit")
            wrong = [check for check in audit["checks"] if not check["ok"]] if status == 200 else status
            # Words that were erased before there were salts end a log's proof.
            run.need(status == 200 and audit["ok"] == (game not in ended), f"audit of {game}: {wrong}")
    changed = [game for game, content in kept.items() if content != (exports / f"{game}.ndjson").read_bytes()]
    run.need(not changed, f"other bytes than before: {changed}")
    run.outcome.faults += verify([], {game: log for game, log in logs.items() if game not in ended}).faults()
    run.outcome.how = f"{len(kept)} games as earlier releases stored them, audited and exported"


def write_as_stored(store: Store, old: Kept) -> str:
    """Put the entries of a kept game into a store, as they were; the game's id."""
    entries, last = old.entries, json.loads(old.events.splitlines()[-1])
    game = json.loads(old.events.splitlines()[0])["data"]["game"]
    assert store.append(AppendRequest(game, entries, bytes.fromhex(last["hash"]), [last["type"]])) is None
    return game

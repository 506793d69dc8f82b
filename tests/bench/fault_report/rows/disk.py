"""The store's append-only file is cut and damaged: R3, R4, R5. Each time a copy of the same file is read again."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import redis

from domain.commands import CompleteScoring
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore, StoreError
from tests.bench.fault_report.load import Load
from tests.bench.fault_report.scene import Run, build_shim, store_on, store_program, store_version
from tests.bench.fault_report.verifier import Ack, Findings, read_journals, read_logs, verify
from tests.faults.served import SHARDS
from tests.gamelog.ledger import any_act
from tests.support.shell import Ended
from tests.support.shell import run as run_here
from tests.support.waiting import patience, wait_until

FOLDER = "appendonlydir"


def cut_at_syncs(run: Run) -> None:
    """R3: what a power cut leaves is what was synced; all that was answered before the next sync ended is there."""
    cuts, actions = run.size(12, 500), run.size(300, 5000)
    shim = build_shim(run.folder)
    log = run.folder / "syncs"
    program = store_program(run, preload=shim, FAULTS_SYNC_LOG=str(log))
    load = play_and_stop(run, actions, REIBACH_VALKEY_BINARY=program)
    marks = [line.split() for line in log.read_text().splitlines()]
    syncs = [(float(at), int(size)) for at, size, path in marks if path == str(file_of(run.folder / "games"))]
    acks = list(read_journals(load.journals))
    chance, missing = run.chance, []
    for place in sorted(chance.sample(range(len(syncs) - 1), min(cuts, len(syncs) - 1))):
        due = [ack for ack in acks if load.received[ack.key] < syncs[place + 1][0]]
        with damaged(run, lambda content, place=place: content[: syncs[place][1]]) as data, store_on(data):
            findings, _ = judge_alone(run, data, due)
        missing += findings.lost + findings.torn
        run.outcome.acknowledged = (run.outcome.acknowledged or 0) + len(due)
    run.outcome.lost, run.outcome.faults = len(missing), run.outcome.faults + missing
    run.outcome.how = f"the file as it was after each of {cuts} of {len(syncs):,} syncs"


def cut_tail(run: Run) -> None:
    """R4: whatever is left of the last batches is a prefix of whole ones, and what is appended then stays."""
    load = play_and_stop(run, 40)
    content = file_of(run.folder / "games").read_bytes()
    tail = content.rfind(b"MULTI", 0, content.rfind(b"MULTI", 0, content.rfind(b"MULTI")))
    places = list(range(max(tail, 0) - 12, len(content)))
    chosen = sorted(run.chance.sample(places, min(len(places), run.size(24, len(places)))))
    acks = list(read_journals(load.journals))
    kept = [ack for ack in acks if ack.game in _untouched(run, content[: places[0]], acks)]
    lost = torn = 0
    for place in chosen:
        with damaged(run, lambda content, place=place: content[:place]) as data:
            with store_on(data) as client:
                appended = append_anywhere(Store(client, SHARDS, patience(3)), Random(f"{run.seed} {place}"))
            with store_on(data):
                findings, _ = judge_alone(run, data, kept)
                logs = read_logs(run.folder / "alone")
        lost, torn = lost + len(findings.lost), torn + len(findings.torn)
        run.outcome.faults += [
            f"cut at byte {place}: {fault}" for fault in findings.faults() if "no answer" not in fault
        ]
        run.need(
            all(logs[game][-1]["hash"] == head for game, head in appended.items()),
            f"cut at byte {place}: an append is gone",
        )
    run.outcome.acknowledged, run.outcome.lost, run.outcome.torn = len(kept) * len(chosen), lost, torn
    run.outcome.how = f"cut at {len(chosen)} of the last {len(places)} bytes; an append; read again"


def _untouched(run: Run, content: bytes, acks: list[Ack]) -> set[str]:
    """Games whose acknowledged events are all in the part of the file that no cut touches."""
    with damaged(run, lambda _: content) as data, store_on(data):
        findings, _ = judge_alone(run, data, acks)
    lost = {one.partition(" ")[0] for one in findings.lost}
    return {ack.game for ack in acks} - lost


def flip_bytes(run: Run) -> None:
    """R5: a damaged file is refused, or the export names the game; no game changes silently.

    First the file that is written to, of commands; then, when the store has rewritten its log, the snapshot in it.
    """
    flips, acks = run.size(25, 1000), list(read_journals(play_and_stop(run, 60).journals))
    _flip(run, acks, file_of, flips)
    with store_on(run.folder / "games") as client:
        rewrite(client)
    _flip(run, acks, base_of, flips)
    run.outcome.acknowledged, run.outcome.lost = 2 * flips * len(acks), len(run.outcome.faults)
    run.outcome.how = (
        f"one bit of the file of commands flipped, {flips} times, then of the snapshot into which it was rewritten"
    )


def _flip(run: Run, acks: list[Ack], find: Callable[[Path], Path], flips: int) -> None:
    """Flip a bit somewhere in a file so many times, each time in another copy, and judge what is made of it."""
    seen, name = Counter[str](), find(run.folder / "games").name
    for _ in range(flips):
        size = find(run.folder / "games").stat().st_size
        place, bit = run.chance.randrange(size), 1 << run.chance.randrange(8)

        def flip(content: bytes, place: int = place, bit: int = bit) -> bytes:
            return content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :]

        with damaged(run, flip, find) as data:
            try:
                with store_on(data):
                    findings, ended = judge_alone(run, data, acks)
                    told = (data / "store.log").read_text(encoding="utf-8", errors="replace")
            except StoreError:
                seen["refused at load"] += 1
                continue
        if ended.returncode != 0:
            seen["named by the export"] += 1
        elif "truncated" in told:
            seen["cut short, as store.log says"] += 1
        elif faults := findings.faults():
            run.outcome.faults.append(f"{name}: bit {bit} of byte {place}, silently: {faults[0]}")
        else:
            seen["not in a game's events"] += 1
    run.outcome.notes.append(
        f"{name}, {size:,} bytes: " + ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))
    )


# Helpers


def play_and_stop(run: Run, actions: int, **settings: str) -> Load:
    """A service that was played on, and ended; its folder stays."""
    with run.serve(REIBACH_ARCHIVE="off", **settings) as scene:
        run.outcome.store = store_version(scene.client())
        with scene.load(4) as load:
            load.wait_for(actions)
        for error in load.errors:
            raise error
    return load


def file_of(data: Path) -> Path:
    """The append-only file that is written to."""
    return max((data / FOLDER).glob("*.incr.aof"))


def base_of(data: Path) -> Path:
    """The snapshot with which the append-only file begins."""
    return max((data / FOLDER).glob("*.base.rdb"))


def rewrite(client: redis.Redis) -> None:
    """Have the store put all that it holds into a new snapshot."""
    client.bgrewriteaof()

    def is_over() -> bool:
        state = client.info("persistence")
        return not (state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"])

    wait_until(is_over, 30)
    assert client.info("persistence")["aof_last_bgrewrite_status"] == "ok"


@contextmanager
def damaged(run: Run, change: Callable[[bytes], bytes], find: Callable[[Path], Path] = file_of) -> Iterator[Path]:
    """A copy of the store's folder of which one file is changed; deleted afterwards."""
    copy = run.folder / "damaged"
    (copy / FOLDER).mkdir(parents=True)
    for path in (run.folder / "games" / FOLDER).iterdir():
        shutil.copy(path, copy / FOLDER)
    file = find(copy)
    file.write_bytes(change(file.read_bytes()))
    yield copy
    shutil.rmtree(copy)


def judge_alone(run: Run, data: Path, acks: list[Ack]) -> tuple[Findings, Ended]:
    """What a store without a service exports, compared with the answers."""
    folder = run.folder / "alone"
    shutil.rmtree(folder, ignore_errors=True)
    ended = run_here("export", "--all", "--running", "--to", folder, REIBACH_REDIS_URL=EmbeddedStore(data).url)
    return verify(acks, read_logs(folder)), ended


def append_anywhere(store: Store, chance: Random) -> dict[str, str]:
    """An action, or a scoring round, in each game that is running: the hashes of their heads then."""
    games, heads = GameLog(store, Reactions(lambda *_: None, 0.0)), {}
    for game in store.ids():
        now = games.load(game).game
        if now.status in {"playing", "scoring"}:
            command = CompleteScoring(round=now.scoring) if now.scoring else any_act(now, chance)
            heads[game] = games.handle(game, command).events[-1]["hash"]
    return heads

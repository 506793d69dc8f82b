"""The store is killed again and again while games are played: no acknowledged event is lost or appended twice.

`REIBACH_TEST_KILLS` is the number of kills, `REIBACH_TEST_ACKS` how many requests each writer gets done between two of
them at most, `REIBACH_TEST_SEED` the seed of their moments. `-s` shows the figures.
"""

import os
import time
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from service.connections.clients import connect
from service.runtime.embedded import EmbeddedStore
from tests.faults.writers import COMMON, Writer, judge
from tests.gamelog.ledger import new_game, open_games
from tests.support.waiting import patience, wait_until

KILLS = int(os.environ.get("REIBACH_TEST_KILLS", "6"))
SEED = int(os.environ.get("REIBACH_TEST_SEED", "20261121"))
ACKS = int(os.environ.get("REIBACH_TEST_ACKS", "40"))
WRITERS = 8


@pytest.mark.timeout(300 + 20 * KILLS)
def test_the_store_is_killed_under_load(tmp_path: Path) -> None:
    """After every kill the store has each acknowledged event, complete and once; the writers see at most a pause."""
    print(f"\nseed {SEED}")
    chance = Random(SEED)
    store = EmbeddedStore(tmp_path / "store")
    store.start()
    stop = Event()
    logs = [open_games(connect(store.url), seconds=patience(5)) for _ in range(2)]
    logs[0].create(new_game(COMMON, 5))
    writers = [Writer(number, logs[number % 2], Random(f"{SEED} {number}"), stop) for number in range(WRITERS)]
    threads = [Thread(target=writer.run) for writer in writers]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    away: list[float] = []
    while len(away) < KILLS and not any(writer.error for writer in writers):
        away.append(kill_and_restart(store, writers, chance))
    stop.set()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - began
    try:
        judge(logs[0], writers)
    finally:
        store.stop()
    accepted = sum(writer.accepted for writer in writers)
    games = sum(len(writer.heads) for writer in writers)
    print(f"{KILLS} kills, {accepted} acknowledged requests in {seconds:.0f} s ({accepted / seconds:.0f}/s),", end=" ")
    print(f"{games} games finished, {sum(writer.away for writer in writers)} x 503;", end=" ")
    print(f"back after {sorted(away)[len(away) // 2]:.3f} s (median), {max(away):.3f} s (longest)")


def kill_and_restart(store: EmbeddedStore, writers: list[Writer], chance: Random) -> float:
    """Kill the store in the midst of the writers' work and start it again; the seconds that it was down."""
    before = [writer.accepted for writer in writers]
    more = chance.randint(1, ACKS)
    wait_until(
        lambda: all(one.error or one.accepted >= old + more for one, old in zip(writers, before, strict=True)),
        60,
    )
    time.sleep(chance.random() * 0.02)  # no waiting for a condition: the store is killed at a random moment
    assert store.process is not None
    store.process.kill()
    killed = time.monotonic()
    store.process.wait()
    store.start()
    return time.monotonic() - killed

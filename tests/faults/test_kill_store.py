"""The store is killed again and again while games are played: no acknowledged event is lost or appended twice.

`REIBACH_TEST_KILLS` is the number of kills, `REIBACH_TEST_ACKS` how many requests each writer gets done between two of
them at most, `REIBACH_TEST_SEED` the seed of their moments. `-s` shows the figures.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from domain.commands import Act, CompleteScoring
from domain.refusals import Refused
from service.connections.clients import connect
from service.gamelog.errors import StoreUnavailable
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from service.runtime.embedded import EmbeddedStore
from tests.gamelog.ledger import Ack, ack_of, any_act, check_log, key_of, new_game, open_games
from tests.support.waiting import patience, wait_until

KILLS = int(os.environ.get("REIBACH_TEST_KILLS", "6"))
SEED = int(os.environ.get("REIBACH_TEST_SEED", "20261121"))
ACKS = int(os.environ.get("REIBACH_TEST_ACKS", "40"))
WRITERS = 8
Request = Callable[[IdempotencyKey | None], Outcome]
COMMON = "common"
"""The game that all writers play, in addition to games of their own."""


@dataclass
class Writer:
    """Plays games of its own to their ends, one after the other, and now and then an action of the common game."""

    number: int
    games: GameLog
    chance: Random
    stop: Event
    acks: list[Ack] = field(default_factory=list)
    """Of the own game that is being played."""
    common: list[Ack] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    """Finished games: the hash in their last answer."""
    accepted: int = 0
    away: int = 0
    """Requests that failed as the store was down for longer than the log retries."""
    error: Exception | None = None

    @property
    def game(self) -> str:
        """The own game that is being played."""
        return f"w{self.number}-{len(self.heads)}"

    def run(self) -> None:
        """Play until it is time to stop. An exception is kept for the test."""
        try:
            self.send(lambda key: self.games.create(new_game(self.game), key), self.acks, sure=True)
            while not self.stop.is_set():
                self.play_common() if self.chance.random() < 0.1 else self.play_own()
        except Exception as error:  # noqa: BLE001 - the test raises it
            self.error = error

    def play_own(self) -> None:
        """One action or scoring round of the own game; the next game when it is over."""
        now = self.games.load_cached(self.game).game
        command: Act | CompleteScoring
        if now.scoring is not None:
            command = CompleteScoring(round=now.scoring)
        else:
            command = any_act(now, self.chance, self.chance.randint(1, 3))
        self.send(lambda key: self.games.handle(self.game, command, key=key), self.acks, sure=True)
        if self.games.load_cached(self.game).game.over:
            store = self.games.store
            state = store.with_retries(lambda: check_log(store, self.game, self.acks))
            assert state.version == sum(ack.last - ack.first + 1 for ack in self.acks), "an effect without a request"
            self.heads[self.game] = self.acks[-1].hash
            self.acks.clear()
            self.send(lambda key: self.games.create(new_game(self.game), key), self.acks, sure=True)

    def play_common(self) -> None:
        """One action of the common game, without any key; others play the same seats."""
        now = self.games.load_cached(COMMON).game
        if now.scoring is not None:
            self.send(lambda _: self.games.handle(COMMON, CompleteScoring(round=now.scoring or 0)), self.common)
        elif not now.over:
            act = any_act(now, self.chance)
            self.send(lambda _: self.games.handle(COMMON, act), self.common)

    def send(self, request: Request, acks: list[Ack], *, sure: bool = False) -> None:
        """Send the command and note what was acknowledged.

        A `sure` one must succeed: every second writer repeats it under a key until it does; the others rely on the
        log's own retries.
        """
        key = key_of(f"{self.game} {len(acks)}") if self.number % 2 else None
        while True:
            try:
                outcome = request(key)
            except Refused:
                return
            except StoreUnavailable:
                self.away += 1
                if sure and (key is None or self.stop.is_set()):
                    raise
                if sure:
                    continue
                return
            if outcome.events:
                acks.append(ack_of(outcome))
                self.accepted += 1
            return


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


def judge(games: GameLog, writers: list[Writer]) -> None:
    """Every game holds exactly the events of its writer's answers, and the common game those of all writers."""
    for writer in writers:
        if writer.error:
            raise writer.error
        state = check_log(games.store, writer.game, writer.acks)
        assert state.version == sum(ack.last - ack.first + 1 for ack in writer.acks)
        for game, head in writer.heads.items():
            check_log(games.store, game)
            assert games.store.read(game, state.version + 10_000).hash.hex() == head
    common = [ack for writer in writers for ack in writer.common]
    state = check_log(games.store, COMMON, common)
    told = sum(ack.last - ack.first + 1 for ack in common)
    assert state.version == 5 + 3 + told or any(writer.away for writer in writers)

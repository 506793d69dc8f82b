"""What each promise about replicas costs: appends to single servers, replicas and a cluster, beside the plain server's.

Run: `python -m tests.bench.replicas`. All servers are on this machine and sync before each answer, but for those
with `everysec`. Each set-up plays the same games in this process, without HTTP: four threads, one game each; all of
them take turns by the block. Between machines each wait adds two round trips to the replica.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

from domain.commands import CompleteScoring
from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from tests.bench.common import block_ratios, is_short, percentile, show, show_ratio
from tests.gamelog.ledger import any_act, new_game
from tests.support.servers import Server, running, running_cluster, running_pair, running_sentinels
from tests.support.waiting import wait_until

THREADS = 4
BLOCKS = 10
APPENDS = 100
"""Of each thread in a block."""
PLAIN = "always"
_SENTINELS_NAME = "games"


@dataclass
class SetUp:
    """A store, and the games that are played on it."""

    games: GameLog
    names: Iterator[int]

    def play_block(self, chance: Random, appends: int) -> list[float]:
        """The seconds of each append."""
        with ThreadPoolExecutor(THREADS) as pool:
            seeds = [chance.random() for _ in range(THREADS)]
            return [each for part in pool.map(lambda seed: self._play(Random(seed), appends), seeds) for each in part]

    def _play(self, chance: Random, appends: int) -> list[float]:
        times: list[float] = []
        game = self._open()
        while len(times) < appends:
            now = self.games.load_cached(game).game
            if now.over:
                game = self._open()
                continue
            command = any_act(now, chance) if now.scoring is None else CompleteScoring(round=now.scoring)
            begun = time.perf_counter()
            self.games.handle(game, command)
            times.append(time.perf_counter() - begun)
        return times

    def _open(self) -> str:
        name = f"replicas-{self.games.store.replicas}-{next(self.names)}"
        self.games.create(new_game(name))
        return name


def set_up(url: str, replicas: int = 0) -> SetUp:
    """The set-up on the store at `url`."""
    return SetUp(GameLog(Store(connect(url), 16, replicas=replicas), Reactions(lambda *_: None, 0.0)), count())


def with_replicas(stack: ExitStack, folder: Path, number: int) -> str:
    """The address of a primary with so many replicas."""
    primary, _ = stack.enter_context(running_pair(folder))
    for other in range(1, number):
        replica = Server(folder / f"replica-{other}", {"replicaof": f"127.0.0.1 {primary.port}"})
        stack.enter_context(running(replica))
        wait_until(replica.is_synced, 30)
    return primary.url


def set_ups(stack: ExitStack, folder: Path) -> dict[str, SetUp]:
    """All that are compared, by name."""
    alone, relaxed = Server(folder / "alone"), Server(folder / "relaxed", {"appendfsync": "everysec"})
    stack.enter_context(running(alone, relaxed))
    one, two = with_replicas(stack, folder / "one", 1), with_replicas(stack, folder / "two", 2)
    watched, _ = stack.enter_context(running_pair(folder / "watched"))
    sentinels = stack.enter_context(running_sentinels(folder, watched, _SENTINELS_NAME))
    cluster = stack.enter_context(running_cluster(folder / "cluster", 3, 1))
    hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in sentinels)
    return {
        PLAIN: set_up(alone.url),
        "everysec": set_up(relaxed.url),
        "always, a replica that is not waited for": set_up(one),
        "always, REIBACH_REPLICAS=1": set_up(one, 1),
        "always, REIBACH_REPLICAS=2": set_up(two, 2),
        "Sentinel, REIBACH_REPLICAS=1": set_up(f"redis+sentinel://{hosts}/{_SENTINELS_NAME}", 1),
        "cluster of 3+3": set_up(cluster.url),
        "cluster of 3+3, REIBACH_REPLICAS=1": set_up(cluster.url, 1),
    }


def main() -> None:
    """Measure, and print."""
    blocks, appends = (2, 10) if is_short() else (BLOCKS, APPENDS)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        everyone = set_ups(stack, Path(folder))
        times: dict[str, list[float]] = {name: [] for name in everyone}
        for block in range(-1, blocks):
            for name in sorted(everyone, reverse=bool(block % 2)):
                seen = everyone[name].play_block(Random(block), appends)
                if block >= 0:  # the one before warms up
                    times[name].append(statistics.median(seen))
        for name, medians in times.items():
            show(name, ms=1000 * statistics.median(medians), p90=1000 * percentile(medians, 90))
        for name, medians in times.items():
            if name != PLAIN:
                show_ratio(f"an append: {name} / {PLAIN}", block_ratios(medians, times[PLAIN], min(5, blocks)))


if __name__ == "__main__":
    main()

"""Whether the past of a game with 1,000 messages costs more than that of the same game with none.

Run: `python -m tests.benchmarks.past`. Processor time of reads in this process, over five places of the game: with what
earlier reads have left in the cache, and with an empty cache; of a stream, and of an archive. And the memory of a
checkpoint.
"""

import statistics
import sys
import tracemalloc

from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.cache import GameCache
from service.gamelog.log import GameLog
from tests.benchmarks.common import durable_store, show, show_aim
from tests.benchmarks.games import game_log, store_of
from tests.gamelog.test_long_games import READS, Read, cold, fill, seconds_of

SHORT, LONG = "short", "long"
RUNS = 21
AIM = 2


def report(log: GameLog, kind: str, reads: dict[str, Read]) -> None:
    """The medians of both games, in ms a read, and their ratio."""
    for name, read in reads.items():
        times: dict[str, list[float]] = {SHORT: [], LONG: []}
        for _ in range(RUNS):
            for game, seen in times.items():
                seen.append(seconds_of(log, game, read))
        short, long = (1000 * statistics.median(times[game]) / 5 for game in (SHORT, LONG))
        show(f"ms, {name}{kind}", none=short, thousand=long)
        show_aim(f"ratio, {name}{kind}", long / short, "<=", AIM)


def checkpoint_bytes(log: GameLog) -> float:
    """Memory of a checkpoint, as the allocator counts it."""
    log._cache = GameCache()
    log.load(LONG)
    tracemalloc.start()
    log.load_history(LONG)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / (len(log._cache.list_states(LONG)) - 2)


def main() -> int:
    """Measure."""
    with durable_store(in_memory=True) as url:
        fill(url, SHORT, 0)
        fill(url, LONG, 1000)
        log = game_log(store_of(connect(url)))
        report(log, "", READS)
        report(log, ", empty cache", {name: cold(read) for name, read in READS.items()})
        show("bytes of a checkpoint", mean=checkpoint_bytes(log))
        for game in (SHORT, LONG):
            assert compact(log.store, game, "store", 2**62)
        report(log, ", archived", READS)
        report(log, ", archived, empty cache", {name: cold(read) for name, read in READS.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())

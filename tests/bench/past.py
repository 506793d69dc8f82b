"""How much more the past of a game with 1,000 messages costs than that of the same game with none.

Run: `python -m tests.bench.past`. Processor time of reads in this process, over five places of the game: with empty
caches, as the first read of a process, and with what earlier reads have left there; of a stream, and of an archive.
"""

import statistics
import sys

from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.log import GameLog
from tests.bench.common import durable_store, show, show_aim
from tests.bench.games import game_log, store_of
from tests.gamelog.test_long_games import READS, Read, fill, first, seconds_of

SHORT, LONG = "short", "long"
RUNS = 21
FIRST, AGAIN = 8, 2


def report(log: GameLog, kind: str, reads: dict[str, Read], aim: float) -> None:
    """The medians of both games, in ms a read, and their ratio."""
    for name, read in reads.items():
        times: dict[str, list[float]] = {SHORT: [], LONG: []}
        for _ in range(RUNS):
            for game, seen in times.items():
                seen.append(seconds_of(log, game, read))
        short, long = (1000 * statistics.median(times[game]) / 5 for game in (SHORT, LONG))
        show(f"ms, {name}{kind}", none=short, thousand=long)
        show_aim(f"ratio, {name}{kind}", long / short, "<=", aim)


def main() -> int:
    """Measure."""
    firsts = {name: first(read) for name, read in READS.items()}
    with durable_store(in_memory=True) as url:
        fill(url, SHORT, 0)
        fill(url, LONG, 1000)
        log = game_log(store_of(connect(url)))
        report(log, "", READS, AGAIN)
        report(log, ", first", firsts, FIRST)
        for game in (SHORT, LONG):
            assert compact(log.store, game, "store", 2**62)
        report(log, ", archived", READS, AGAIN)
        report(log, ", archived, first", firsts, FIRST)
    return 0


if __name__ == "__main__":
    sys.exit(main())

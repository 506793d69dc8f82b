"""Keeps a game with the payload versions that no kept one has: `python -m tests.games.keep RELEASE`, from the root.

It takes the recorded game that has most of them, plays it into a real store, and writes down what lies there.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from service.gamelog.codec import _SHAPES, rows_of
from service.gamelog.embedded import EmbeddedStore
from service.gamelog.store import Store, connect
from tests.games.kept import all_kept, keep
from tests.games.live import relive
from tests.games.recorded import GAMES, Recorded, entries_of, read, steps_of


def tags_of(recorded: Recorded) -> set[str]:
    """The payload versions that today's code stores the game with."""
    entries, _ = entries_of(steps_of(recorded))
    return {row[0] for row in rows_of([entry.body for entry in entries])}


def main(release: str) -> int:
    """Keep one game, if that helps. Returns 1 where payload versions are missing still."""
    missing = _SHAPES.keys() - {tag for kept in all_kept() for tag in kept.tags}
    games = [recorded for path in sorted(GAMES.glob("*.jsonl")) for recorded in read(path)]
    best = max(games, key=lambda recorded: len(missing & tags_of(recorded)))
    if missing & tags_of(best):
        with TemporaryDirectory() as folder:
            server = EmbeddedStore(Path(folder) / "store")
            server.start()
            store = Store(connect(server.url), 1)
            relive(best, store)
            missing -= keep(release, store.client.xrange(store.stream(best.game))).tags
            server.stop()
    print(f"missing: {sorted(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

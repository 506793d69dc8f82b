"""Keeps a game with the forms of payloads that no kept one has: `python -m tests.games.keep RELEASE`, from the root.

It takes the recorded game that has most of them, plays it into a real store, and writes down what lies there.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from service.gamelog.embedded import EmbeddedStore
from service.gamelog.store import Store, connect
from tests.games.kept import forms_in, keep, missing_forms
from tests.games.live import relive
from tests.games.recorded import GAMES, Recorded, entries_of, read, steps_of


def forms_of(recorded: Recorded) -> set[str]:
    """The forms of payloads that today's code stores the game with."""
    return forms_in(entries_of(steps_of(recorded))[0])


def main(release: str) -> int:
    """Keep one game, if that helps. Returns 1 where something is missing still."""
    missing = missing_forms()
    games = [recorded for path in sorted(GAMES.glob("*.jsonl")) for recorded in read(path)]
    best = max(games, key=lambda recorded: len(missing & forms_of(recorded)))
    if missing & forms_of(best):
        with TemporaryDirectory() as folder:
            server = EmbeddedStore(Path(folder) / "store")
            server.start()
            try:
                store = Store(connect(server.url), 1)
                relive(best, store)
                keep(release, store.client.xrange(store.stream(best.game)))
            finally:
                server.stop()
    print(f"missing: {sorted(missing_forms())}")
    return 1 if missing_forms() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Keeps a game with the forms of payloads that no kept one has: `python -m tests.games.keep RELEASE`, from the root.

It takes the recorded game that has most of them, or else a fork, plays it into a real store, and writes its entries to
files.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from domain.commands import CreateGame
from domain.rules import VARIANTS
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store, connect
from service.runtime.embedded import EmbeddedStore
from tests.games.kept import forms_in, keep, missing_forms
from tests.games.live import Clock, relive
from tests.games.recorded import GAMES, STEP, Recorded, entries_of, read, steps_of
from tests.support.forks import fork_steps
from tests.support.play import play_until

FORMS_OF_FORKS: Final = frozenset({"created@2", "position"})


def forms_of(recorded: Recorded) -> set[str]:
    """The forms of payloads that today's code stores the game with."""
    return forms_in(entries_of(steps_of(recorded))[0])


def live_fork(store: Store) -> str:
    """Play a fork of a running game into the store, to its end; its id."""
    parent, _ = play_until(2, "parent of a kept fork", 129, sorted(VARIANTS))
    assert parent.status == "playing"
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    for command, decision in fork_steps(parent, 1, "kept"):
        game = decision.game.id
        if isinstance(command, CreateGame):
            log.create(command)
        else:
            log.handle(game, command)
        clock.now += STEP
    return game


def main(release: str) -> int:
    """Keep one game, if it has a missing form. Returns 1 where a form is still missing."""
    missing = missing_forms()
    games = [recorded for path in sorted(GAMES.glob("*.jsonl")) for recorded in read(path)]
    best = max(games, key=lambda recorded: len(missing & forms_of(recorded)))
    recorded_helps = missing & forms_of(best)
    if recorded_helps or missing & FORMS_OF_FORKS:
        with TemporaryDirectory() as folder:
            server = EmbeddedStore(Path(folder) / "store")
            server.start()
            try:
                store = Store(connect(server.url), 1)
                game = best.game if recorded_helps else live_fork(store)
                if recorded_helps:
                    relive(best, store)
                keep(release, store.client.xrange(store.stream(game)))
            finally:
                server.stop()
    print(f"missing: {sorted(missing_forms())}")
    return 1 if missing_forms() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

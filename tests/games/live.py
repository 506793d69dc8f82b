"""A recorded game through the log itself: every move a request that is handled and appended to a real store."""

import contextlib
from dataclasses import dataclass

from domain.refusals import Refused
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from tests.games.recorded import BEGAN, STEP, Recorded, command_of


@dataclass
class Clock:
    now: int = BEGAN

    def __call__(self) -> int:
        return self.now


def relive(recorded: Recorded, store: Store) -> str:
    """Play the game into the store; no worker runs meanwhile. The hash of its head, in hex."""
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    log.create(recorded.creation)
    for move in recorded.moves:
        clock.now += STEP
        with contextlib.suppress(Refused):  # the codes of refusals are compared by the tests of the rules
            log.handle(recorded.game, command_of(move)[0])
    return log.load(recorded.game).hash.hex()

"""Which of a seat's tokens is valid: this process's copy of the generations that the store has.

A seat's token becomes void when an operator or its person asks for a new one, or when a new person takes the seat. The
store has an entry for each seat whose token was ever voided. A copy holds those of MOST_KNOWN seats; where the store
has more, each seat that the copy doesn't know is looked up there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

MOST_KNOWN: Final = 50_000
"""Entries in a process's memory, about 10 MB."""
MOST_ROTATIONS: Final = 20
"""Hand-overs of a seat by its person; an operator's new tokens count, and have no limit."""
GENERATIONS_OF_A_PERSON: Final = 1_000_000
"""Tokens of one person of a seat, whose generations count on from a multiple of it."""


def first_generation(replaced_at: int) -> int:
    """The generation of the first token of a person who took an abandoned seat, with the event of this version.

    It follows from the log, so that a repeat of the request is answered with the same token.
    """
    return replaced_at * GENERATIONS_OF_A_PERSON


@dataclass(slots=True)
class KnownShard:
    """The generations of one shard's games, as far as they are in memory."""

    seats: dict[str, int] = field(default_factory=dict)
    """`<game>/<seat>` -> generation."""
    is_whole: bool = True
    """Whether the store had no others."""
    position: str = ""
    """The id of the last change that was followed; empty: there had been none."""

    def note(self, seat: str, generation: int, most: int) -> bool:
        """Take a change over, which may be older than what is known; 0: the game was deleted. Whether it is news."""
        known = self.seats.get(seat, 0)
        if generation == 0:
            return self.seats.pop(seat, None) is not None
        if generation <= known:
            return False
        if known or len(self.seats) < most:
            self.seats[seat] = generation
        else:
            self.is_whole = False
        return True


class Generations:
    """The generations of all seats, for one process. Safe for threads: one writes, a moment of delay is allowed."""

    def __init__(
        self,
        shard_of: Callable[[str], int] = lambda _game: 0,
        shards: int = 1,
        look_up: Callable[[str, int], int] = lambda _game, _seat: 0,
    ) -> None:
        """`shard_of`: a game's shard; `look_up`: the generation that the store has."""
        self.shards = [KnownShard() for _ in range(shards)]
        self.most = max(1, MOST_KNOWN // shards)
        self._shard_of = shard_of
        self._look_up = look_up

    def of(self, game: str, seat: int) -> int:
        """The generation of the seat's valid token. Raises as `look_up`, where the store is asked."""
        shard = self.shards[self._shard_of(game)]
        known = shard.seats.get(f"{game}/{seat}")
        if known is not None:
            return known
        return 0 if shard.is_whole else self._look_up(game, seat)

    def ask(self, game: str, seat: int) -> int:
        """The same as the store has it now, for a token that is newer than what is known. Raises as `look_up`."""
        generation = self._look_up(game, seat)
        self.note(game, seat, generation)
        return generation

    def note(self, game: str, seat: int, generation: int) -> None:
        """Take over at once what this process has just changed."""
        self.shards[self._shard_of(game)].note(f"{game}/{seat}", generation, self.most)

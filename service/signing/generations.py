"""Which of a seat's tokens is valid: an operator voids a seat's token by raising the seat's generation.

The store has one hash with an entry for each seat whose token was ever voided: few, since only operators write there.
Every web process keeps a copy, so that no request costs a trip to the store, and renews it every second.
"""

from collections.abc import Callable, Mapping, Sequence
from threading import Event, Thread
from typing import Final, TypeAlias

from service.signing.deployment import Client

Generations: TypeAlias = Mapping[tuple[str, int], int]
"""Game and seat -> generation of the valid token, where it isn't 0."""
_PLACE: Final = "reibach:generations"
RENEW_SECONDS: Final = 1.0


def read_generations(client: Client) -> Generations:
    """All of them. Raises redis-py's errors."""
    found: dict[tuple[str, int], int] = {}
    for name, generation in client.hgetall(_PLACE).items():
        game, _, seat = name.decode().rpartition("/")
        found[game, int(seat)] = int(generation)
    return found


def raise_generations(client: Client, game: str, seats: Sequence[int]) -> list[int]:
    """Void the tokens of these seats; the generations of the new ones. Raises redis-py's errors."""
    return [int(client.hincrby(_PLACE, f"{game}/{seat}", 1)) for seat in seats]


def follow_generations(renew: Callable[[], None], stopped: Event) -> None:
    """Call `renew` every second in a thread of its own, until `stopped` is set."""

    def run() -> None:
        while not stopped.wait(RENEW_SECONDS):
            renew()

    Thread(target=run, name="generations", daemon=True).start()

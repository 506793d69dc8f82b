"""Messages in the log: they neither schedule nor delay a worker, and are exported and imported like all events."""

from random import Random

import pytest

from domain.commands import CompleteScoring, PostMessage, SeatPlan
from service.connections.clients import Client
from service.gamelog.log import GameLog
from tests.gamelog.ledger import check_log, new_game, open_games, play
from tests.support.world import Jobs


def due(games: GameLog, name: str) -> float | None:
    keys = games.store.keys(name)
    times: list[float | None] = [games.store.client.zscore(key, name) for key in (keys.due, keys.turns)]
    assert None in times, "a game is in one list only"
    return next((at for at in times if at is not None), None)


@pytest.mark.parametrize("waits", ["a bot", "a round", "a person", "nobody"])
def test_a_message_delays_no_worker(client: Client, waits: str) -> None:
    """A due worker stays due at the same time and is called once; without one, none becomes due."""
    jobs: Jobs = []
    now = iter(range(1_770_000_000_000, 1_780_000_000_000, 60_000))
    games = open_games(client, clock=lambda: next(now), jobs=jobs)
    seats = [SeatPlan(bot="greedy") if waits == "a bot" else SeatPlan(name="Bert"), SeatPlan(name="Anna")]
    games.create(new_game("g", seats))
    for number in range({"a round": 1, "nobody": 4}.get(waits, 0)):
        if number:
            games.handle("g", CompleteScoring(round=number))
        if number < 3:
            play(games, "g", Random(number), lambda _: False)
    before, called = due(games, "g"), list(jobs)
    assert (before is None) == (waits in {"a person", "nobody"})
    for number in range(5):
        games.handle("g", PostMessage(seat=1, text=f"no. {number}"))
    assert due(games, "g") == before
    assert jobs == called
    check_log(games.store, "g")

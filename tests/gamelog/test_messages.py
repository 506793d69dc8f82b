"""Messages in the log: they neither schedule nor delay a worker, and are exported and imported like all events."""

from random import Random

import pytest

from domain.commands import CompleteScoring, PostMessage, SeatPlan
from service.connections.clients import Client
from service.gamelog.copies.transfer import import_entries
from service.gamelog.history import decode_events
from service.gamelog.log import GameLog
from service.gamelog.store.form.codec import decode_rows
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


def test_requests_in_one_millisecond_stay_separate_entries(client: Client) -> None:
    """An imported game has an entry for each message, also for messages in the same millisecond as other events."""
    games = open_games(client, clock=lambda: 1_770_000_000_000)
    games.create(new_game("g"))
    for number in range(3):
        games.handle("g", PostMessage(seat=number % 2, text="x" * 2000))
    play(games, "g", Random(3), lambda _: False)
    games.handle("g", PostMessage(seat=0, text="\u2028\U0001f3b2"))
    games.handle("g", CompleteScoring(round=1))
    entries = games.store.read("g").entries
    again = import_entries(decode_events(entries))
    assert again.head == games.load("g")
    said = [entry for entry in again.entries if "said" in {row[0] for row in decode_rows([entry.body])}]
    assert [entry.count for entry in said] == [1] * 4

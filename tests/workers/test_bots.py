"""A bot's turn while messages arrive, and while another worker plays it."""

from collections.abc import Callable
from random import Random

import pytest

from domain.bots import choose_action
from domain.commands import Act, CompleteScoring, PostMessage, SeatPlan
from domain.state import Game
from service.connections.clients import connect
from service.gamelog.history import decode_events
from service.gamelog.log import GameLog
from tests.gamelog.ledger import check_log, new_game, open_games
from tests.support.counting import CountingClient
from tests.support.world import Jobs, new_services
from workers.bots import play_turn


def turn_with(
    valkey: str, name: str, meanwhile: Callable[[GameLog], object], bot: str = "greedy"
) -> tuple[Game, list[str]]:
    """The first turn of a game, played by a worker; `meanwhile` comes before each append. The game, and its events."""
    other = open_games(connect(valkey))
    worker = open_games(connect(valkey), between=lambda gap: meanwhile(other) if "decided" in gap else None)
    other.create(new_game(name, [SeatPlan(bot=bot), SeatPlan(name="Anna")]))
    play_turn(new_services(worker), name)
    return other.load(name).game, [event["type"] for event in decode_events(other.store.read(name).entries)]


@pytest.mark.parametrize("bot", ["greedy", "shark"], ids=["bot", "bot that remembers"])
def test_a_bot_finishes_its_turn_while_messages_arrive(valkey: str, bot: str) -> None:
    """Before each of its appends; one that remembers gets the history, with what others have appended meanwhile."""
    said, name = iter(range(3)), f"{bot} talk"

    def talk(other: GameLog) -> None:
        if next(said, None) is not None:
            other.handle(name, PostMessage(seat=1, text="Hurry up!"))

    game, events = turn_with(valkey, name, talk, bot)
    assert (game.turn, game.turn_seat) == (2, 1)
    assert events.count("MessagePosted") == 3


def test_a_worker_leaves_a_turn_taken_by_another_worker(valkey: str) -> None:
    acted: list[int] = []

    def act(other: GameLog) -> None:
        if not acted:
            game = other.load("bot rival").game
            action = choose_action("greedy", game, Random(1))
            acted.append(other.handle("bot rival", Act(seat=0, actions=(action,))).head.version)

    game, _ = turn_with(valkey, "bot rival", act)
    assert [game.version] == acted
    assert game.turn == 1


def test_a_turn_is_one_append_and_queues_one_job(valkey: str) -> None:
    """But for draws, and for a scoring round in between; the next job is that of the next wait alone."""
    jobs: Jobs = []
    appends: list[str] = []
    games = open_games(
        connect(valkey), jobs=jobs, between=lambda gap: appends.append(gap) if "decided" in gap else None
    )
    services = new_services(games)
    games.create(new_game("one append", [SeatPlan(bot="greedy"), SeatPlan(bot="random")]))
    waits = 0
    appends.clear()
    while not (game := games.load("one append").game).over:
        waits += 1
        ((_, arguments),) = jobs
        jobs.clear()
        if game.scoring is not None:
            assert arguments == ["one append", game.scoring]
            games.handle("one append", CompleteScoring(round=game.scoring))
            continue
        assert arguments == ["one append", game.turn]
        play_turn(services, "one append", game.turn)
    assert jobs == []
    events = decode_events(games.store.read("one append").entries)
    draws = sum(event["type"] == "PileDrawn" for event in events)
    assert waits > 30
    assert waits <= len(appends) <= waits + draws
    check_log(games.store, "one append")


def test_a_turn_that_is_known_is_not_read(valkey: str) -> None:
    """The worker's own last append, or the reconciler's look, has left it; one that another worker has played is."""
    client = CountingClient(connect(valkey))
    games, other = open_games(client), open_games(connect(valkey))
    services = new_services(games)
    games.create(new_game("known", [SeatPlan(bot="greedy"), SeatPlan(bot="random")]))
    client.trips = 0
    play_turn(services, "known", 1)
    appends = sum(event["type"] == "PileDrawn" for event in decode_events(other.store.read("known").entries)) + 1
    assert client.trips <= appends
    play_turn(new_services(other), "known", 2)
    for number in (1, 2, 3):  # late, twice, and the next one
        play_turn(services, "known", number)
    assert check_log(other.store, "known").turn >= 4

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
from service.jobs import SCORE_ROUND
from tests.gamelog.ledger import check_log, new_game, open_games, play_until
from tests.support.counting import CountingClient
from tests.support.world import Jobs, new_services
from workers.bots import play_turn
from workers.threads.bot_player import BotPlayer
from workers.threads.reconciler import Reconciler


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
    """When it finds a second action that isn't its own: the first one may be older than what it knew."""
    acted: list[int] = []

    def act(other: GameLog) -> None:
        game = other.load("bot rival").game
        action = choose_action("greedy", game, Random(1))
        acted.append(other.handle("bot rival", Act(seat=0, actions=(action,))).head.version)

    game, _ = turn_with(valkey, "bot rival", act)
    assert game.version == acted[1]
    assert len(acted) == 2
    assert game.turn == 1


def test_a_turn_is_one_append_and_queues_no_job(valkey: str) -> None:
    """But for draws, and for a scoring round in between, whose job is queued."""
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
        if game.scoring is not None:
            assert jobs.pop() == (SCORE_ROUND, ["one append", game.scoring])
            games.handle("one append", CompleteScoring(round=game.scoring))
            continue
        assert jobs == []
        play_turn(services, "one append")
    assert jobs == []
    events = decode_events(games.store.read("one append").entries)
    draws = sum(event["type"] == "PileDrawn" for event in events)
    assert waits > 30
    assert waits <= len(appends) <= waits + draws
    check_log(games.store, "one append")


def test_a_turn_that_is_known_is_not_read(valkey: str) -> None:
    """The worker's own last append, or a look, has left it. What another worker has played meanwhile is."""
    client = CountingClient(connect(valkey))
    games, other = open_games(client), open_games(connect(valkey))
    services, others = new_services(games), new_services(other)
    games.create(new_game("known", [SeatPlan(bot="greedy"), SeatPlan(bot="random")]))
    client.trips = 0
    play_turn(services, "known")
    appends = sum(event["type"] == "PileDrawn" for event in decode_events(other.store.read("known").entries)) + 1
    assert client.trips <= appends
    for turn in (3, 4, 5, 6):  # in turns: each knows the turn before the last
        play_turn(others if turn % 2 else services, "known")
        assert check_log(other.store, "known").turn == turn


def test_a_turn_that_became_a_bots_is_played(valkey: str) -> None:
    """This process knows the game in a person's turn; the bot player is told by the due list."""
    games, other = open_games(connect(valkey)), open_games(connect(valkey))
    services = new_services(games)
    games.create(new_game("became", [SeatPlan(name="Anna"), SeatPlan(bot="greedy")]))
    play_until(other, "became", Random(3), lambda game: game.turn == 2)
    BotPlayer(services, Reconciler(services)).run_once()
    assert other.load("became").game.turn == 3

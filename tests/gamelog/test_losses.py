"""A store that has lost its past: each process that knew it notices, and the log is right."""

from dataclasses import replace
from random import Random

import pytest
from structlog.testing import capture_logs

from domain.commands import PostMessage
from service.connections.clients import Client
from service.gamelog.erasing import delete_game, erase_words
from service.gamelog.log import GameLog
from service.gamelog.store.errors import NoSuchGame, PastLost, TokenVoid
from service.gamelog.store.generations import rotate_token
from service.gamelog.store.health.heartbeat import find_alive
from service.gamelog.store.replies import NO_AMENDMENTS, Amendments
from service.runtime.clock import now_ms
from service.signing.tokens import SeatToken
from tests.gamelog.copies import OlderCopy
from tests.gamelog.ledger import Ack, ack_of, any_act, check_log, key_of, new_game, open_games
from tests.support.stores import EVERY_STORE
from tests.support.world import new_log

STORES = EVERY_STORE
NAME = "g"


class Process:
    def __init__(self, client: Client) -> None:
        self.counted: list[int] = []
        self.games = open_games(client, count_lost=self.counted.append)

    def act(self, times: int = 1) -> list[Ack]:
        """Accepted requests, of a client that has read the game."""
        chance = Random(times)
        return [ack_of(self.games.handle(NAME, any_act(self.games.load(NAME).game, chance))) for _ in range(times)]


@pytest.fixture
def processes(real_client: Client) -> list[Process]:
    found = [Process(real_client) for _ in range(2)]
    found[0].games.create(new_game(NAME))
    found[0].act(3)
    return found


def read_since(games: GameLog) -> None:
    with pytest.raises(PastLost):
        games.load_since(games.load_cached(NAME))


WAYS = {
    "load": lambda games: games.load(NAME),
    "events": lambda games: games.load_events(NAME, 0),
    "history": lambda games: games.load_history(NAME),
    "at": lambda games: games.load_at(NAME, 4),
    "since": read_since,
    "message": lambda games: games.handle(NAME, PostMessage(seat=0, text="Hello?")),
    "message with a key": lambda games: games.handle(NAME, PostMessage(seat=0, text="Hello?"), key=key_of("new")),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("new", [0, 1, 9])
def test_every_way_to_read_notices(new: int, how: str, real_client: Client, processes: list[Process]) -> None:
    """Once, by a line that names the game and both versions; what is served is the log, however far it went on."""
    one, other = processes
    copy = OlderCopy(real_client)
    kept = one.games.load(NAME).game.version
    lost = one.act(2)[-1].last
    one.games.load_history(NAME)
    copy.restore()
    acks = other.act(new)
    with capture_logs() as lines:
        WAYS[how](one.games)
    present = acks[-1].last if acks else kept
    assert one.counted == [max(1, lost - present)]
    assert lines == [
        {
            "event": "the store has lost acknowledged events",
            "log_level": "warning",
            "game": NAME,
            "remembered": lost,
            "present": present,
        }
    ]
    one.games.load_history(NAME)
    assert len(one.counted) == 1
    assert other.counted == [], "it never knew what was lost"
    check_log(one.games.store, NAME, acks)


@pytest.mark.parametrize("how", [*WAYS, "the old token"])
def test_a_store_that_lost_a_revocation_or_an_erasure(how: str, real_client: Client, processes: list[Process]) -> None:
    """Version and hash are the same: who remembers more logs and counts it, and revokes the token again for all."""
    one, other = processes
    store, copy = one.games.store, OlderCopy(real_client)
    token = SeatToken(NAME, 0, 0)
    rotate_token(store, NAME, 0)
    assert erase_words(store, NAME, 1, now_ms) == 1
    one.games.load(NAME)
    one.games.load_history(NAME)
    copy.restore()
    post = store.post(NAME)
    real_client.hset(post, 0, "the address of the former person")
    with capture_logs() as lines:
        if how == "the old token":
            with pytest.raises(TokenVoid):
                one.games.handle(NAME, PostMessage(seat=0, text="It's me!"), token=token)
        else:
            WAYS[how](one.games)
    assert one.counted == [3]
    assert [line["event"].partition(":")[0] for line in lines] == ["the store was set back"]
    assert (lines[0]["game"], lines[0]["revoked_again"], lines[0]["erasures"]) == (NAME, [0, 1], 1)
    assert store.header(NAME).amendments == Amendments(0, {0: 1, 1: 1})
    assert not real_client.exists(post)
    assert find_alive(store).was_set_back
    with pytest.raises(TokenVoid):
        other.games.handle(NAME, PostMessage(seat=0, text="It's me!"), token=token)
    one.games.load_history(NAME)
    assert (len(one.counted), other.counted) == (1, [])
    assert erase_words(store, NAME, 1, now_ms) == 1


def test_what_is_read_late_is_no_loss(real_client: Client, processes: list[Process]) -> None:
    """A reading from before a revocation that the process knows by now; a game that was deleted and taken in again."""
    one, _ = processes
    store = one.games.store
    late = store.read(NAME)
    rotate_token(store, NAME, 0)
    one.games.load(NAME)
    assert one.games._prove(NAME, late).head.generation(0) == 1
    history = one.games.load_history(NAME)
    delete_game(store, NAME)
    open_games(real_client).import_game(replace(history, head=replace(history.head, amendments=NO_AMENDMENTS)))
    one.games.load(NAME)
    assert one.counted == []
    assert not find_alive(store).was_set_back


def test_a_game_that_is_gone_is_lost(real_client: Client, processes: list[Process]) -> None:
    """All of it; but not one that nobody remembers, or one that was deleted, whose mark is there."""
    one, cold = processes
    counted: list[int] = []
    games = new_log(one.games.store, count_lost=counted.append)
    plan = new_game("open")
    games.create(replace(plan, seats=(plan.seats[0], replace(plan.seats[1], name=None))))
    version = one.games.load(NAME).game.version
    real_client.flushdb()
    real_client.hset(games.store.keys("open").idempotency, "deleted", 1)
    for reader, name in ((one.games, NAME), (cold.games, NAME), (games, "open")):
        with pytest.raises(NoSuchGame):
            reader.load(name)
    assert (one.counted, cold.counted, counted) == ([version], [], [])


def test_a_condition_is_judged_by_the_log(real_client: Client, processes: list[Process]) -> None:
    """One that doesn't hold for what is lost, but for what is there."""
    one, other = processes
    copy = OlderCopy(real_client)
    one.act(2)
    copy.restore()
    kept = other.games.load(NAME).game.version
    one.games.handle(NAME, PostMessage(seat=0, text="Hello?"), matches=lambda version: version == kept)
    check_log(one.games.store, NAME)


def test_a_game_that_goes_on_has_lost_nothing(processes: list[Process]) -> None:
    one, other = processes
    for number in range(40):
        (one, other)[number % 3 == 0].games.handle(NAME, PostMessage(seat=0, text="Hello?"))
    for process in processes:
        process.games.load(NAME)
        assert process.counted == []

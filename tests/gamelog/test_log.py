"""The log of games on the three stores: retries, lost answers, caches, concurrent requests, earlier states."""

from random import Random

import pytest
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import TimeoutError as NoAnswer

from domain.clock.timestamps import milliseconds
from domain.commands import Act, CompleteScoring, Take
from domain.state import Game
from service.connections.clients import Client
from service.gamelog.cache import EMPTY, GameCache, LoadedGame
from service.gamelog.history import History, decode_events
from service.gamelog.log import GameLog
from service.gamelog.store.errors import KeyReused, NoSuchGame, NoSuchVersion
from service.gamelog.store.form.codec import apply_rows, decode_rows
from tests.gamelog.ledger import LosingClient, ack_of, any_act, check_log, finish, key_of, new_game, open_games
from tests.support.samples import Sample, sampled, with_nightly
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE


def test_every_earlier_state(games: GameLog) -> None:
    """A whole game's history has at every version the fold of the prefix, within entries too, with hash and time."""
    games.create(new_game("g", 3))
    finish(games, "g")
    assert check_log(games.store, "g") == games.load("g").game == open_games(games.store.client).load("g").game
    entries = games.store.read("g").entries
    rows = decode_rows([one.body for one in entries])
    events = decode_events(entries)
    assert [event["version"] for event in events] == list(range(1, len(rows) + 1))
    prefix, history = Game(), History.of_entries(entries)
    for version, (row, event) in enumerate(zip(rows, events, strict=True), 1):
        apply_rows(prefix, [row], milliseconds(event["at"]))
        then = history.state_at(version)
        assert then.game == prefix
        assert then.hash.hex() == event["hash"]
    assert history.state_at(len(rows)) == games.load("g")
    assert history.state_at(0) is EMPTY
    with pytest.raises(NoSuchVersion):
        history.state_at(len(rows) + 1)


def test_no_such_game(games: GameLog) -> None:
    for ask in (
        *(games.load, games.load_cached, games.load_history, lambda name: games.load_events(name, 0)),
        lambda name: games.handle(name, CompleteScoring(round=1)),
    ):
        with pytest.raises(NoSuchGame):
            ask("g")
    assert games.store.client.keys() == []


# Retries and lost answers


@pytest.mark.parametrize("error", with_nightly([ConnectionLost, NoAnswer, ConnectionResetError]))
@pytest.mark.parametrize("fates", [["after"], ["before"], ["after", "after"], ["before", "after", "before", "after"]])
def test_a_lost_answer_has_no_second_effect(client: Client, fates: list[str], error: type[Exception]) -> None:
    """Without a key, an append whose answer or request is lost happens exactly once, and its answer is right."""
    losing = LosingClient(client)
    losing.error = error
    games = open_games(losing)
    losing.plan.extend(fates)
    acks = [ack_of(games.create(new_game("g")))]
    for _ in range(3):
        act = any_act(games.load_cached("g").game, Random(1))
        losing.plan.extend(fates)
        acks.append(ack_of(games.handle("g", act)))
    assert not losing.plan
    state = check_log(games.store, "g", acks)
    assert len(client.xrange(games.store.stream("g"))) == 4
    assert state == games.load_cached("g").game


def test_other_requests_succeed_while_an_answer_is_lost(client: Client) -> None:
    """An append whose answer was lost is found in the store also after later appends of other processes."""
    losing = LosingClient(client)
    mine, other = open_games(losing), open_games(client)
    acks = [ack_of(mine.create(new_game("g")))]
    losing.plan.extend(["after", "after"])
    losing.meanwhile = lambda: acks.append(ack_of(other.handle("g", any_act(other.load("g").game, Random(2)))))
    outcome = mine.handle("g", any_act(mine.load_cached("g").game, Random(1)))
    assert outcome.loaded.game.version == outcome.events[-1]["version"]
    assert len(acks) == 3
    check_log(mine.store, "g", [*acks, ack_of(outcome)])
    assert mine.load("g") == other.load("g")


def test_a_lost_request_is_decided_again_after_other_appends(client: Client) -> None:
    losing = LosingClient(client)
    mine, other = open_games(losing), open_games(client)
    mine.create(new_game("g"))
    losing.plan.append("before")
    acks = []
    losing.meanwhile = lambda: acks.append(ack_of(other.handle("g", Act(seat=0, actions=(Take(slot=0),)))))
    acks.append(ack_of(mine.handle("g", Act(seat=0, actions=(Take(slot=0),)))))
    assert len(acks) == 2
    assert len(check_log(mine.store, "g", acks).seats[0].hand) == 6


@sampled(7)
def test_a_repeat_gets_the_first_answer(client: Client, sample: Sample) -> None:
    """The same key brings the same events, state and refusal from any process, however many events have followed."""
    games, chance = open_games(client), Random(5)
    opened = games.create(new_game("g"), key_of("open"))
    first = {}
    while not (now := games.load_cached("g").game).over:
        if now.scoring is not None:
            games.handle("g", CompleteScoring(round=now.scoring))
            continue
        act, key = any_act(now, chance, 3), key_of(str(now.version), {"at": now.version})
        first[key.key] = act, key, games.handle("g", act, key=key)
    for log in (games, open_games(client)):
        assert log.create(new_game("g"), key_of("open")).events == opened.events
        for act, key, told in sample.of(list(first.values())):
            again = log.handle("g", act, key=key, matches=lambda _version: False)
            assert again.repeated
            assert (again.events, again.loaded, again.applied) == (told.events, told.loaded, told.applied)
            assert getattr(again.refusal, "reason", None) == getattr(told.refusal, "reason", None)
            assert again.head.over
    assert any(told.refusal for *_, told in first.values())
    check_log(games.store, "g", [ack_of(told) for *_, told in first.values()])


def test_an_expired_creation_key_opens_no_other_game(games: GameLog) -> None:
    """When the kept keys have expired, the key that opened the game is still not good for another one."""
    games.create(new_game("g"), key_of("open"))
    games.store.client.delete(games.store.stream("g").replace(":game:", ":keys:"))
    with pytest.raises(KeyReused):
        games.create(new_game("g"), key_of("open"))
    check_log(games.store, "g")


# The cache


def test_the_cache_never_replaces_a_later_state() -> None:
    loaded = GameCache()
    for version in (3, 5, 4, 5, 1):
        loaded.put(remembered("g", version))
    assert loaded.get("g") == remembered("g", 5)


def test_the_cache_is_bounded() -> None:
    """The least recently used game is evicted first; reading a game counts as use."""
    loaded = GameCache(capacity=2)
    for name in "ab":
        loaded.put(remembered(name, 1))
    loaded.get("a")
    loaded.put(remembered("c", 1))
    loaded.put(remembered("a", 1))
    assert [name for name in "abc" if loaded.get(name)] == ["a", "c"]


def remembered(name: str, version: int) -> LoadedGame:
    return LoadedGame(Game(id=name, version=version), b"", b"")

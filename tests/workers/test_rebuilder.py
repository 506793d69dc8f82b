"""Lists of what waits that were deleted are rebuilt from the games."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from domain.clock.pace import Pace
from domain.commands import CompleteScoring, Draw, PostMessage, SeatPlan
from domain.orders.planner import Step
from service.bootstrap import Outside
from service.connections.clients import Client
from service.gamelog.archive.compaction import compact
from service.gamelog.archive.retention import Retention
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import Store
from service.gamelog.waiting_lists import KINDS, WaitingLists
from tests.gamelog.ledger import SHARDS, finish, new_game, play
from tests.support.samples import with_nightly
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_log, new_services

STORES = ("valkey", "redis")
DAY = 24 * 3600_000
RETENTION = Retention(finished_ms=DAY, abandoned_ms=30 * DAY, unused_ms=20 * DAY)
EACH = 2
"""Games of each kind, but for those that are over."""
BOTS = (SeatPlan(name="a", bot="greedy"), SeatPlan(name="b", bot="random"))
MIXED = (SeatPlan(name="a", bot="greedy"), SeatPlan(name="Anna"))
OPEN = (SeatPlan(name="Anna"), SeatPlan())
DUE = {"round": "due", "pace": "due", "mixed": "turns", "bots": "bots"}
"""In which list games of a kind wait for a worker; the others wait for none."""
ALL = (*DUE, "open", "plain", "over", "archived", "resting")
Lists = dict[str, dict[str, float]]


class World:
    """Games on a clock that the test moves, in an empty deployment that archives them."""

    def __init__(self, client: Client, retention: Retention = RETENTION) -> None:
        self.now = BEGIN
        self.client = client
        self.store = Store(client, SHARDS, patience(3))
        outside = Outside(clock=lambda: self.now)
        self.games = new_log(self.store, bot_delay_s=2.0, retention=retention, clock=outside.clock)
        self.services = new_services(self.games, outside=outside)

    def fill(self) -> None:
        for number in range(EACH):
            for kind, seats in {"bots": BOTS, "mixed": MIXED, "open": OPEN}.items():
                self.games.create(new_game(f"{kind}-{number}", seats))
            for kind in ("round", "pace", "plain", "resting"):
                pace = Pace(turn_seconds=3600) if kind == "pace" else None
                self.games.create(replace(new_game(f"{kind}-{number}"), pace=pace))
            play(self.games, f"round-{number}", Random(number), lambda _: False)
            until = self.now + 30 * DAY
            assert compact(self.store, f"resting-{number}", "store", self.now, running_until=until)
        for name in ("over-0", "archived-0"):
            self.games.create(new_game(name))
            finish(self.games, name)
        assert compact(self.store, "archived-0", "store", self.now)

    def filled(self) -> Lists:
        """The lists of a full deployment."""
        self.fill()
        return self.lists()

    def lists(self) -> Lists:
        return {
            kind: {
                name.decode(): time
                for key in self.store.shard_keys(kind)
                for name, time in self.client.zrange(key, 0, -1, withscores=True)
            }
            for kind in KINDS
        }

    def delete(self, *kinds: str) -> None:
        for kind in kinds:
            self.client.delete(*self.store.shard_keys(kind))

    def rebuild(self) -> int:
        services = self.services
        return WaitingLists(self.store, self.games.reactions, services.orders, services.clock.now_ms).rebuild()


@pytest.fixture
def world(client: Client) -> World:
    return World(client)


@pytest.mark.parametrize("kinds", with_nightly([(KINDS,), *(((kind,),) for kind in KINDS)]), ids=" ".join)
def test_deleted_lists_are_rebuilt(world: World, kinds: tuple[str, ...]) -> None:
    """With the games that were in them, at the same times."""
    world.fill()
    full = world.lists()
    assert {kind: {name.split("-")[0] for name in full[kind]} for kind in KINDS} == {
        **{kind: {name for name, place in DUE.items() if place == kind} for kind in KINDS[:3]},
        "quiet": set(ALL) - {"archived"},
    }
    assert world.rebuild() == 0
    assert world.lists() == full
    world.delete(*kinds)
    world.now += 1000
    assert world.rebuild() == sum(len(full[kind]) for kind in kinds if kind != "quiet")
    found = world.lists()
    assert all(found[kind] == full[kind] for kind in KINDS[:3])
    assert found["quiet"].keys() == full["quiet"].keys()
    assert found["quiet"]["over-0"] == full["quiet"]["over-0"]
    assert all(full["quiet"][f"plain-{number}"] <= found["quiet"][f"plain-{number}"] for number in range(EACH))
    assert world.rebuild() == 0


def test_times_that_are_there_stay(world: World) -> None:
    """Also the lease of a worker that is at the game, and the time of an append since the deletion."""
    world.fill()
    world.delete("due")
    leased = world.store.keys("round-0").due
    world.client.zadd(leased, {"round-0": BEGIN + 77_000})
    world.games.handle("plain-0", PostMessage(seat=0, text="hello"))
    world.rebuild()
    assert world.client.zscore(leased, "round-0") == BEGIN + 77_000
    assert "plain-0" not in world.lists()["due"]


def test_orders_are_looked_at(world: World) -> None:
    """A game whose orders may play has to be looked at now."""
    world.games.create(new_game("ordered"))
    world.services.orders.put("ordered", 1, (Step((Draw(),)),))
    turn = world.games.load("ordered").game.turn
    play(world.games, "ordered", Random(1), lambda game: game.turn > turn)
    world.delete("due")
    world.now += 5000
    assert world.rebuild() == 1
    assert world.lists()["due"] == {"ordered": world.now}


def test_a_message_meanwhile_loses_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """An append that leaves the due lists as they are must not have the game forgotten."""
    full = world.filled()
    world.delete("due")
    commit, said = world.store.commit, set[str]()

    def commit_late(game: str, *arguments: Any, **more: Any) -> Any:
        if game not in said:
            said.add(game)
            world.games.handle(game, PostMessage(seat=0, text="wait"))
        return commit(game, *arguments, **more)

    monkeypatch.setattr(world.store, "commit", commit_late)
    world.rebuild()
    assert {"round-0", "pace-0"} < said
    assert world.lists()["due"] == full["due"]


def test_a_turn_that_ends_meanwhile_keeps_the_time_of_its_append(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a rebuild has judged before is not written over it, nor beside it."""
    full = world.filled()
    world.delete("due", "turns")
    commit, read, played = world.store.commit, world.store.read, dict[str, float | None]()

    def commit_late(name: str, *arguments: Any, **more: Any) -> Any:
        if name.startswith("round") and name not in played:
            played[name] = None
            monkeypatch.setattr(world.store, "read", read)
            world.now += 1000
            world.games.handle(name, CompleteScoring(round=1))
            played[name] = world.client.zscore(world.store.keys(name).due, name)
        return commit(name, *arguments, **more)

    monkeypatch.setattr(world.store, "commit", commit_late)
    world.rebuild()
    found = world.lists()
    assert played == {f"round-{number}": found["due"].get(f"round-{number}") for number in range(EACH)}
    assert all(found["due"].get(name) != full["due"][name] for name in played)
    assert found["turns"] == full["turns"]


@pytest.mark.parametrize("damage", with_nightly(["entry", "tail", "version", "type", "orders"], 4))
def test_a_game_that_cannot_be_read_stops_no_rebuild(
    damage: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays out, and the others are put back."""
    world.fill()
    full = world.lists()
    name = "pace-1" if damage == "orders" else "round-1"
    keys = world.store.keys(name)
    match damage:
        case "entry":
            world.client.xadd(keys.stream, {"e": "?"})
        case "tail":
            world.client.xdel(keys.stream, world.client.xrevrange(keys.stream, count=1)[0][0])
        case "version":  # the header's: no script takes the game for what its log says
            world.client.hset(keys.head, "version", 1)
        case "type":
            world.client.delete(keys.head)
            world.client.set(keys.head, "?")
        case "orders":
            world.client.set(world.store.orders(name), "?")
    world.delete("due")
    read, reads = world.store.read, list[str]()

    def read_few(game: str) -> ReadReply:
        reads.append(game)
        assert reads.count(game) < 4, "a rebuild reads one game forever"
        return read(game)

    monkeypatch.setattr(world.store, "read", read_few)
    world.rebuild()
    assert world.lists()["due"].keys() == full["due"].keys() - {name}


def test_a_game_that_waits_for_nothing_is_only_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(client, Retention())
    world.fill()
    waiting = world.lists()["due"].keys()
    world.delete("due")
    commit, placed = world.store.commit, list[str]()

    def note(game: str, *arguments: Any, **more: Any) -> Any:
        placed.append(game)
        return commit(game, *arguments, **more)

    monkeypatch.setattr(world.store, "commit", note)
    assert world.rebuild() == len(waiting)
    assert {name.split("-")[0] for name in placed} == set(DUE)

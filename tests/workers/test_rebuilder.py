"""Lists of what waits that were deleted are rebuilt from the games, on both servers."""

from dataclasses import replace
from math import inf
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
from service.gamelog.waiting_lists import KINDS, WHOLE, find_broken
from service.status import StatusReader
from tests.gamelog.ledger import SHARDS, finish, new_game, play
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_log, new_services
from workers.counts import COUNTS
from workers.threads import rebuilder
from workers.threads.rebuilder import Rebuilder
from workers.threads.reconciler import _RECALL, Reconciler

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
        """The lists of a full deployment, which a worker has marked."""
        self.fill()
        self.rebuild()
        return self.lists()

    def lists(self) -> Lists:
        return {
            kind: {
                name.decode(): time
                for key in self.store.shard_keys(kind)
                for name, time in self.client.zrange(key, 0, -1, withscores=True)
                if time < inf
            }
            for kind in KINDS
        }

    def delete(self, *kinds: str) -> None:
        for kind in kinds:
            self.client.delete(*self.store.shard_keys(kind))

    def rebuild(self) -> int:
        return Rebuilder(self.services).run_once()


@pytest.fixture
def world(client: Client, monkeypatch: pytest.MonkeyPatch) -> World:
    """An empty deployment, whose workers make no breaks."""
    monkeypatch.setattr(rebuilder, "_BREAK_S", 0.0)
    return World(client)


@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS], ids=" ".join)
def test_deleted_lists_are_rebuilt(world: World, kinds: tuple[str, ...]) -> None:
    """With the games that were in them, at the same times; the first look marks the lists."""
    world.fill()
    full = world.lists()
    assert {kind: {name.split("-")[0] for name in full[kind]} for kind in KINDS} == {
        **{kind: {name for name, place in DUE.items() if place == kind} for kind in KINDS[:3]},
        "quiet": set(ALL) - {"archived"},
    }
    assert find_broken(world.store) == list(range(SHARDS))
    assert world.rebuild() == 0
    assert (world.lists(), find_broken(world.store)) == (full, [])
    world.delete(*kinds)
    assert find_broken(world.store) == list(range(SHARDS))
    world.now += 1000
    assert world.rebuild() == sum(len(full[kind]) for kind in kinds if kind != "quiet")
    found = world.lists()
    assert find_broken(world.store) == []
    assert all(found[kind] == full[kind] for kind in KINDS[:3])
    assert found["quiet"].keys() == full["quiet"].keys()
    assert found["quiet"]["over-0"] == full["quiet"]["over-0"]
    assert all(full["quiet"][f"plain-{number}"] <= found["quiet"][f"plain-{number}"] for number in range(EACH))
    assert world.rebuild() == 0


def test_times_that_are_there_stay(world: World) -> None:
    """Also the lease of a worker that is at the game, and the time of an append since the deletion."""
    world.fill()
    world.rebuild()
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
    world.rebuild()
    world.delete("due")
    world.now += 5000
    assert world.rebuild() == 1
    assert world.lists()["due"] == {"ordered": world.now}


class _Cancelled(Exception):
    """A worker was killed."""


def test_a_cancelled_rebuild_is_done_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it ends: the lists have no mark, and the second one has nothing left to do but what the first hasn't."""
    full = world.filled()
    waiting = sum(len(full[kind]) for kind in KINDS[:3])
    run = world.store.run
    for number in range(8):
        world.delete(*KINDS)
        left = [Random(number).randrange(4 * EACH)]

        def run_some(*arguments: object, left: list[int] = left) -> list[object]:
            left[0] -= 1
            if left[0] < 0:
                raise _Cancelled
            return run(*arguments)

        monkeypatch.setattr(world.store, "run", run_some)
        COUNTS.take()
        with pytest.raises(_Cancelled):
            world.rebuild()
        monkeypatch.setattr(world.store, "run", run)
        assert find_broken(world.store) == list(range(SHARDS))
        there = sum(len(games) for kind, games in world.lists().items() if kind != "quiet")
        assert COUNTS.take().get("reibach_games_relisted", 0) == there
        assert world.rebuild() == waiting - there
        found = world.lists()
        assert all(found[kind] == full[kind] for kind in KINDS[:3])
        assert (found["quiet"].keys(), find_broken(world.store)) == (full["quiet"].keys(), [])


def test_a_list_that_is_deleted_during_its_rebuild_gets_no_mark(world: World) -> None:
    """It is rebuilt again, as the deletion may have taken what was put back; also where another one has begun since."""
    full = world.filled()
    world.delete("due", "bots")
    late, early = (world.services.waiting_lists.rebuild(range(SHARDS)) for _ in range(2))
    next(late)
    world.delete("bots")
    next(early)
    list(late)
    assert {world.client.zscore(key, WHOLE) for key in world.store.shard_keys("bots")} == {None}
    assert {world.client.zscore(key, WHOLE) for key in world.store.shard_keys("due")} == {inf}
    early.close()
    world.rebuild()
    assert world.lists()["bots"] == full["bots"]
    assert find_broken(world.store) == []


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


@pytest.mark.parametrize("damage", ["entry", "tail", "version", "type", "orders"])
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
    assert find_broken(world.store) == []


def test_marks_are_no_games(world: World) -> None:
    """They aren't counted, found due, nor made due after a jump of the clock."""
    world.rebuild()
    world.now += 1000 * DAY
    for key in (key for kind in KINDS for key in world.store.shard_keys(kind)):
        world.client.eval(_RECALL.text, 1, key, world.now)
    assert find_broken(world.store) == []
    assert Reconciler(world.services).run_once() == 0
    assert world.store.count_bot_games() == 0
    world.games.create(new_game("bots", BOTS))
    assert world.store.count_bot_games() == 1


def test_a_game_that_waits_for_nothing_is_only_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(client, Retention())
    world.fill()
    world.rebuild()
    waiting = world.lists()["due"].keys()
    world.delete("due")
    commit, placed = world.store.commit, list[str]()

    def note(game: str, *arguments: Any, **more: Any) -> Any:
        placed.append(game)
        return commit(game, *arguments, **more)

    monkeypatch.setattr(world.store, "commit", note)
    assert world.rebuild() == len(waiting)
    assert {name.split("-")[0] for name in placed} == set(DUE)


def test_a_worker_looks_once(real_client: Client) -> None:
    """A plain read for each list, in one round trip; its thread ends then, and the metrics count no marks."""
    world = World(real_client)
    world.fill()
    world.rebuild()
    real_client.config_resetstat()
    task = Rebuilder(world.services)
    task.start()
    task._thread.join(patience(10))
    assert not task._thread.is_alive()
    stats = real_client.info("commandstats")
    assert (stats["cmdstat_zscore"]["calls"], "cmdstat_zadd" in stats) == (len(KINDS) * SHARDS, False)
    reading = StatusReader(world.store, clock=lambda: world.now).read()
    assert reading is not None
    assert (reading.of_bots, reading.live) == (EACH, EACH * (len(ALL) - 2) + 1)
    assert reading.due.oldest_s == 0

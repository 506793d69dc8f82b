"""`REIBACH_REPLICAS`: what is acknowledged is on the disks of so many replicas, and a repeat waits for them, too."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

import pytest
import redis

from config.settings import BadSetting, Settings
from service.api.exposition import render_metrics
from service.connections import scripts
from service.connections.clients import connect
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.generations import RotationKey, rotate_token
from service.gamelog.store.health.heartbeat import WORKER, Readiness, send_heartbeat
from service.gamelog.store.streams import Store
from service.runtime.durability import check_store
from service.runtime.embedded import StoreError
from service.status import StatusReader
from tests.gamelog.ledger import SHARDS, Ack, ack_of, any_act, check_log, key_of, new_game
from tests.support.servers import Server, running, running_pair, suspended
from tests.support.stores import DEBIAN, NO_DEBIAN
from tests.support.waiting import outcome_of, patience, wait_until
from tests.support.world import new_log

NAME = "kept"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    with running_pair(tmp_path) as pair:
        yield pair


def open_log(server: Server, replicas: int) -> GameLog:
    store = Store(connect(server.url), SHARDS, patience(3), replicas=replicas)
    return new_log(store)


def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs that are opened from now on wait for replicas a moment only."""
    monkeypatch.setattr(scripts, "_WAIT_MS", 50)
    monkeypatch.setattr(scripts, "_WAIT_FOR_DISK_MS", 50)


def act(games: GameLog, key: IdempotencyKey | None = None) -> Outcome:
    """The same legal action at the same version, however often it is asked for."""
    now = games.load_cached(NAME).game
    return games.handle(NAME, any_act(now, Random(now.version)), key=key)


def patiently_act(games: GameLog, key: IdempotencyKey) -> Outcome:
    """The action's outcome, asked for with the same key until there is one."""
    return outcome_of(lambda: act(games, key), StoreUnavailable, 30)


def check_after_failover(primary: Server, replica: Server, acks: list[Ack]) -> None:
    """Both die, and the replica takes the primary's place: its disk has every acknowledged event."""
    primary.kill()
    replica.kill()
    replica.start()
    with replica.client() as client:
        client.replicaof("NO", "ONE")
    check_log(open_log(replica, 0).store, NAME, acks)
    primary.start()


def test_what_is_acknowledged_survives_the_primary(pair: tuple[Server, Server]) -> None:
    """Each action, in one packet and one round trip."""
    games = open_log(pair[0], 1)
    acks = [ack_of(games.create(new_game(NAME)))]
    raw = games.store.scripts._raw
    assert raw is not None
    sent: list[list[str]] = []
    exchange = raw.exchange
    raw.exchange = lambda key, commands: sent.append([one[0] for one in commands]) or exchange(key, commands)  # type: ignore[method-assign]
    acks += [ack_of(act(games)) for _ in range(20)]
    assert sent == [["EVALSHA", "WAIT", "WAITAOF"]] * 20
    check_after_failover(*pair, acks)


@pytest.mark.nightly
def test_replicas_are_counted(pair: tuple[Server, Server]) -> None:
    """One that is dead, or says nothing any more, doesn't count."""
    store = open_log(pair[0], 1).store

    def following() -> int:
        return StatusReader(store).read().nodes[0].replicas

    wait_until(lambda: following() == 1, 30)
    assert 'reibach_store_replicas{node="0"} 1.0' in render_metrics(StatusReader(store).read()).decode()
    with suspended(pair[1].process):
        wait_until(lambda: following() == 0, 30)
    wait_until(lambda: following() == 1, 30)
    pair[1].kill()
    wait_until(lambda: following() == 0, 30)


def test_without_replicas_nothing_is_acknowledged(pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor by a repeat, which waits as the first request did; when they are back it says what has happened."""
    hasty(monkeypatch)
    games = open_log(pair[0], 1)
    key = key_of("one")
    create(games)
    version = games.load(NAME).game.version
    with suspended(pair[1].process):
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
                act(games, key)
        elsewhere = open_log(pair[0], 1)
        assert elsewhere.load(NAME).game.version > version  # it has happened
        with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
            act(elsewhere, key)
    done = patiently_act(games, key)
    assert done.repeated
    assert ack_of(done).first == version + 1
    check_after_failover(*pair, [ack_of(done)])


def create(games: GameLog) -> None:
    """As soon as the replica follows."""
    outcome_of(lambda: games.create(new_game(NAME), key_of("open")), StoreUnavailable, 30)


def test_readiness_tells_of_missing_replicas(pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch) -> None:
    """While they are missing no action is acknowledged; no request waits for them."""
    hasty(monkeypatch)
    store = open_log(pair[0], 1).store
    send_heartbeat(store, WORKER)
    times = count()
    ready = Readiness(store, clock=lambda: next(times))  # no answer is kept
    with suspended(pair[1].process):
        with pytest.raises(scripts.TooFewReplicas, match="0 of 1 replicas"):
            ready.check_replicas()
        assert ready.status() == "no-store"

    def is_ready() -> bool:
        with suppress(scripts.TooFewReplicas):
            ready.check_replicas()
        send_heartbeat(store, WORKER)
        return ready.status() == "ready"

    wait_until(is_ready, 30)


@pytest.mark.nightly
def test_a_resend_waits_too(pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch) -> None:
    """An append whose answer was lost is found in the store; that says nothing of the replicas."""
    hasty(monkeypatch)
    games = open_log(pair[0], 1)
    create(games)
    run, lost = games.store.scripts.run_safely, ["the first answer"]

    def losing(script: scripts.Script, *arguments: object) -> list[object]:
        if lost:
            games.store.scripts.run(script, *arguments)  # type: ignore[arg-type]
            raise redis.ConnectionError(lost.pop())
        return run(script, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(games.store.scripts), "run_safely", lambda _self, *arguments: losing(*arguments))
    with suspended(pair[1].process), pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
        act(games)
    assert not lost


def test_the_test_can_fail(pair: tuple[Server, Server]) -> None:
    """Without the setting an event is acknowledged that no replica has."""
    games = open_log(pair[0], 0)
    acks = [ack_of(games.create(new_game(NAME)))]
    wait_until(lambda: open_log(pair[1], 0).store.read(NAME).hash)
    with suspended(pair[1].process):
        acks.append(ack_of(act(games)))
        pair[1].kill()
    check_log(open_log(pair[0], 0).store, NAME, acks)
    with pytest.raises(AssertionError):
        check_after_failover(*pair, acks)
    pair[0].start()


@pytest.mark.nightly
def test_new_tokens_wait_as_well(pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that a failover forgets would lock its player out."""
    hasty(monkeypatch)
    games = open_log(pair[0], 1)
    create(games)
    key = RotationKey(b"digest", b"")
    with suspended(pair[1].process):
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
                rotate_token(games.store, NAME, 0, key=key)


def test_a_store_that_cannot_wait_is_refused(tmp_path: Path) -> None:
    """One that writes no file, at the start and in one line; one whose replicas are missing gets a warning."""
    alone = Server(tmp_path / "alone")
    with running(alone), alone.client() as client:
        assert check_store(client) is None
        assert "has 0 replicas (REIBACH_REPLICAS is 1)" in (check_store(client, 1) or "")
        client.config_set("appendonly", "no")
        with pytest.raises(StoreError, match="set appendonly to yes"):
            check_store(client, 1)
        client.execute_command("ACL", "SETUSER", "default", "-waitaof")
        with pytest.raises(StoreError, match="may not use"):
            check_store(client, 1)
    with pytest.raises(BadSetting, match="no replicas"):
        Settings(replicas=1)


@NO_DEBIAN
def test_an_old_server_is_refused(tmp_path: Path) -> None:
    """WAITAOF is new in Redis 7.2: an older one says what it needs."""
    old = Server(tmp_path / "old", binary=DEBIAN or "")
    with running(old), old.client() as client:
        if tuple(map(int, client.info("server")["redis_version"].split(".")[:2])) >= (7, 2):
            pytest.skip("this redis-server has WAITAOF")
        with pytest.raises(StoreError, match=r"Redis 7\.2 or newer"):
            check_store(client, 1)

"""Sentinels: the primary is found by its name, and anew after a failover, by the log, the hub and the queue."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest
import redis

from service.connections.clients import connect, connect_queue
from service.gamelog.live.hub import Hub
from service.gamelog.log import GameLog
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.streams import Store
from service.jobs import JobQueues
from tests.gamelog.ledger import SHARDS, Ack, ack_of, any_act, check_log, new_game
from tests.support.ports import free_port
from tests.support.servers import Server, running_pair, running_sentinels
from tests.support.waiting import outcome_of, patience, wait_until
from tests.support.world import new_log

PRIMARY = "games"
NAME = "watched over"
PASSWORD = "p@ss/word"
SCHEMES = ("redis+sentinel", "rediss+sentinel")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tuple[str, Server, Server]]:
    """Three Sentinels' address, the primary that they watch, and its replica; both have a user of their own."""
    with running_pair(tmp_path) as (primary, replica), running_sentinels(tmp_path, primary, PRIMARY) as sentinels:
        for server in (primary, replica):
            with server.client() as client:
                client.execute_command("ACL", "SETUSER", "reibach", "on", f">{PASSWORD}", "~*", "&*", "+@all")
        hosts = ",".join(f"127.0.0.1:{port}" for port in (free_port(), *(one.port for one in sentinels)))
        yield f"redis+sentinel://reibach:p%40ss%2Fword@{hosts}/{PRIMARY}", primary, replica


@pytest.mark.nightly
def test_games_go_on_after_a_failover(store: tuple[str, Server, Server]) -> None:
    """With each acknowledged event, a listener that hears of new ones, and a queue; one Sentinel isn't even there."""
    url, primary, replica = store
    log = Store(connect(url), SHARDS, patience(20), replicas=1)
    games, chance = new_log(log), Random(5)
    acks = [ack_of(games.create(new_game(NAME)))]
    jobs = JobQueues(connect_queue(url))
    jobs.enqueue("some.job", [], "one")
    with closing(Hub(games)) as hub, hub.watch(games.load(NAME)) as watch:
        acks.append(ack_of(games.handle(NAME, any_act(games.load_cached(NAME).game, chance))))
        primary.kill()
        wait_until(replica.is_primary, 60)
        primary.start()  # now a replica: the append below needs one
        acks.append(outcome_of(lambda: act(games, chance), StoreUnavailable, 60))
        wait_until(lambda: watch.now.head.game.version == acks[-1].last, 60)
    with connect(url) as client:
        assert client.info("replication")["role"] == "master"
        assert client.connection_pool.master_address[1] == replica.port
    check_log(log, NAME, acks)

    def enqueue() -> int:
        jobs.enqueue("some.job", [], "two")
        return jobs.count

    assert outcome_of(enqueue, redis.RedisError, 30) > 0


def act(games: GameLog, chance: Random) -> Ack:
    """Acknowledged only when the old primary follows the new one."""
    return ack_of(games.handle(NAME, any_act(games.load(NAME).game, chance)))


@pytest.mark.nightly
def test_an_address_of_a_sentinel_itself_is_named(store: tuple[str, Server, Server]) -> None:
    """In place of errors that no one understands; a wrong name of the primary is an outage."""
    url, *_ = store
    host = url.rpartition(",")[2].partition("/")[0]
    with pytest.raises(ValueError, match="this is a Sentinel"):
        connect(f"redis://{host}")
    with pytest.raises(redis.ConnectionError, match="No master found"):
        connect(f"redis+sentinel://{host}/others").ping()


@pytest.mark.nightly
def test_a_wait_that_is_broken_off_leaves_no_answer(
    store: tuple[str, Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a worker's signal: the next command gets its own answer, not the one that came too late."""
    with connect(store[0]) as client:
        pool = client.connection_pool
        connection = pool.get_connection()
        pool.release(connection)
        with monkeypatch.context() as broken:
            broken.setattr(connection._parser, "read_response", Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                client.blpop(["nothing"], 1)
        assert client.echo("mine") == b"mine"


def test_connections_to_a_primary_use_tls() -> None:
    """Where the address says so; they ask Sentinels when they are first used."""
    kinds = [connect(f"{scheme}://127.0.0.1:1/{PRIMARY}").connection_pool.connection_class for scheme in SCHEMES]
    assert [issubclass(kind, redis.SSLConnection) for kind in kinds] == [False, True]

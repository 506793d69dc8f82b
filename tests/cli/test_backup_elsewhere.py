"""Backups of stores of other kinds: Redis, another database of a server, a cluster; and restores into them."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from service.connections.clients import Client, connect
from service.gamelog.archive.compaction import compact
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from service.signing.deployment import open_deployment
from tests.cli.conftest import SHARDS
from tests.gamelog.ledger import check_log, finish, new_game
from tests.support.in_process import log_over
from tests.support.servers import running_cluster
from tests.support.shell import assert_refused, run
from tests.support.stores import DEBIAN, NO_DEBIAN
from tests.support.waiting import patience

GAMES = [f"game{number}" for number in range(8)]
"""More than one a shard."""
Server = Callable[[str], str]


def fill(url: str) -> None:
    """Games in an empty store: running ones, finished ones, one in an archive."""
    with closing(connect(url)) as client:
        client.flushdb()
        open_deployment(client, SHARDS, "")
    with log_over(url, SHARDS) as log:
        for number, game in enumerate(GAMES):
            log.create(new_game(game))
            if number % 2:
                finish(log, game)
        assert compact(log.store, GAMES[1], "store", now_ms() + 1)


def content(url: str) -> dict[bytes, object]:
    """What the games' keys hold."""
    with closing(connect(url)) as client:
        return {key: read(client, key) for key in client.scan_iter(match="{s*}:*", count=1000)}


def read(client: Client, key: bytes) -> object:
    """A key's value: a dump's form depends on the server's release."""
    readers = {
        b"stream": client.xrange,
        b"hash": client.hgetall,
        b"string": client.get,
        b"zset": lambda name: client.zrange(name, 0, -1, withscores=True),
    }
    return readers[client.type(key)](key)


def check(url: str) -> None:
    """Every game is sound by the tests' own check."""
    with closing(connect(url)) as client:
        for game in GAMES:
            check_log(Store(client, SHARDS, patience(3)), game)


def succeed(*argv: object, **settings: str) -> None:
    """Run a command that prints no error."""
    ended = run(*argv, **settings)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr


def test_another_database(server: Server, tmp_path: Path) -> None:
    """Of a server that holds more: that database alone, into another one."""
    source, target = server("valkey") + "?db=3", server("valkey") + "?db=5"
    fill(source)
    succeed("backup", tmp_path / "to", REIBACH_REDIS_URL=source)
    with closing(connect(target)) as client:
        client.flushdb()
    succeed("restore", tmp_path / "to", REIBACH_REDIS_URL=target)
    assert content(target) == content(source)
    check(target)


@NO_DEBIAN
def test_redis(server: Server, tmp_path: Path) -> None:
    """To Valkey at once; back into Redis with its own program, as it doesn't understand Valkey's copies."""
    url, data = server("redis"), tmp_path / "data"
    fill(url)
    before = content(url)
    made = run("backup", tmp_path / "to", REIBACH_REDIS_URL=url)
    assert made.returncode == 0, made.stderr
    succeed("restore", tmp_path / "to", "--data", data)
    succeed("doctor", "--all", "--data", data)
    back = ("restore", tmp_path / "to", "--replace")
    assert_refused(run(*back, REIBACH_REDIS_URL=url), 1, "REIBACH_VALKEY_BINARY")
    assert_refused(run("doctor", REIBACH_REDIS_URL=url), 1, "didn't end")
    succeed(*back, REIBACH_REDIS_URL=url, REIBACH_VALKEY_BINARY=str(DEBIAN))
    assert content(url) == before
    check(url)


@pytest.mark.slow
@pytest.mark.nightly
def test_a_cluster(tmp_path: Path) -> None:
    """A file for each node; restored into a folder, and from there into a cluster of another size."""
    for name in ("three", "two"):
        (tmp_path / name).mkdir()
    with running_cluster(tmp_path / "three", 3) as three, running_cluster(tmp_path / "two", 2) as two:
        url, other = three.url, two.url
        fill(url)
        made = run("backup", tmp_path / "to", REIBACH_REDIS_URL=url)
        assert made.returncode == 0, made.stderr
        assert len(list((tmp_path / "to").glob("*.rdb"))) == 3
        succeed("restore", tmp_path / "to", "--data", tmp_path / "data")
        succeed("doctor", "--all", "--data", tmp_path / "data")
        succeed("backup", tmp_path / "second", "--data", tmp_path / "data")
        there = run("restore", tmp_path / "second", REIBACH_REDIS_URL=other)
        assert there.returncode == 0, there.stderr
        assert content(other) == content(url)
        check(other)

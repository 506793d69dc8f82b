"""`reibach backup` and `restore`: a store comes back as it was, to every request, or there is no backup at all."""

import json
import math
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
import redis

from service.api.exposition import render_metrics
from service.commands.backup.dump import _copy_log
from service.connections.clients import Client, connect, primaries_of
from service.gamelog.archive.compaction import compact
from service.gamelog.integrity import check_integrity
from service.gamelog.store.form.places import Folder
from service.gamelog.store.generations import rotate_token
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import Deployment, find_deployment, open_deployment
from service.status import StatusReader, is_held
from tests.cli.conftest import SHARDS
from tests.gamelog.ledger import Ack, ack_of, any_act, check_log, finish, new_game, play
from tests.support.client import Api, Table
from tests.support.in_process import api_over, log_over
from tests.support.servers import running_cluster, running_store, write_lazily
from tests.support.shell import assert_refused, run, succeed
from tests.support.stores import DEBIAN, NO_DEBIAN
from tests.support.waiting import patience

JSON = "application/json"
PLACES = (
    *("", "?at=9", "/legal-actions", "/scores", "/recap", "/replay", "/audit", "/events", "/events?after=7&limit=9"),
    *("/receipt", "/orders", "/notifications", "/notifications/deliveries", "/scores?at=5"),
)
FORMS = (("/events", "application/x-ndjson"), ("/scores", "text/csv"), ("/scores", "text/html"))
NO_CLI = pytest.mark.skipif(not shutil.which("redis-cli") and not shutil.which("valkey-cli"), reason="no redis-cli")
PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]
KEYED = {"Idempotency-Key": "a key of one request"}


@dataclass(frozen=True)
class Source:
    url: str
    settings: dict[str, str]
    tables: list[Table]


Answers = list[tuple[int, bytes, str | None]]
"""Status, body and tag of each."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """Open, running and finished games, with messages, orders, webhooks, voided tokens, repeats, forks and archives."""
    archive = tmp_path_factory.mktemp("archives")
    store = EmbeddedStore(tmp_path_factory.mktemp("source") / "store")
    store.start()
    with closing(connect(store.url)) as client:
        deployment = open_deployment(client, SHARDS, "")
        with api_over(store.url, deployment, str(archive)) as api:
            tables = fill(api, store.url, archive)
            assert repeat(api, tables[-1]) == 201
    yield Source(store.url, {"REIBACH_DATA": str(store.data), "REIBACH_ARCHIVE_FILES": str(archive)}, tables)
    store.stop()


def fill(api: Api, address: str, archive: Path) -> list[Table]:
    tables = [api.create(PEOPLE, listed=index % 2 == 0) for index in range(12)]
    tables += [api.create([{"name": "Anna"}, {}]), api.create([{"name": "Anna"}, {"bot": "greedy"}])]
    with log_over(address, SHARDS) as log:
        for index, table in enumerate(tables[:10]):
            play(log, table.id, Random(index), lambda game, most=10 * index: game.version > most)
        for table in tables[6:10]:
            finish(log, table.id)
        for table, kind in zip(tables[6:9], ("store", "files", "files"), strict=True):
            files = Store(log.store.client, SHARDS, patience(3), files=Folder(archive))
            assert compact(files, table.id, kind, now_ms() + 1)
    for table in tables[:4]:
        assert api.post(f"{table.path}/messages", table.tokens[1], json={"text": "Schöner Zug"}).status_code == 201
    first, second = tables[0], tables[1]
    hook = {"webhook": {"url": "https://1.1.1.1/hook"}}
    assert api.request("PUT", f"{first.path}/notifications", first.tokens[1], json=hook).status_code == 200
    steps = {"steps": [[{"type": "draw"}]]}
    assert api.request("PUT", f"{first.path}/orders", first.tokens[1], json=steps).status_code == 200
    with closing(connect(address)) as client:
        rotate_token(Store(client, SHARDS, patience(3)), second.id, 1)  # the table keeps the one that is revoked
    return tables


def repeat(api: Api, table: Table) -> int:
    sent = api.post(f"{table.path}/messages", table.tokens[0], json={"text": "once"}, headers=KEYED)
    return sent.status_code


def voided(url: str) -> dict[bytes, dict[bytes, bytes]]:
    with closing(connect(url)) as client:
        heads = {key: client.hgetall(key) for key in client.scan_iter(match="*:head:*")}
    return {key: head for key, head in heads.items() if any(field.startswith(b"token:") for field in head)}


def requests_of(tables: list[Table]) -> Iterator[tuple[str, str | None, str]]:
    """Paths, tokens and forms of reads: everything, by everyone."""
    yield from (("/v1/games", None, JSON), ("/v1/keys", None, JSON), ("/v1/games?status=over", None, JSON))
    for table in tables:
        for token in (None, *table.tokens.values(), "forged"):
            yield from ((table.path + place, token, JSON) for place in PLACES)
            yield from ((table.path + place, token, form) for place, form in FORMS)


def answers(api: Api, tables: list[Table]) -> Answers:
    got = [api.get(path, token, headers={"Accept": form}) for path, token, form in requests_of(tables)]
    return [(answer.status_code, answer.content, answer.headers.get("ETag")) for answer in got]


@contextmanager
def api_of(url: str, archive: Path | str) -> Iterator[Api]:
    """A service with empty caches on a store that has a deployment."""
    with closing(connect(url)) as client:
        deployment = find_deployment(client, "")
    with api_over(url, deployment, str(archive)) as api:
        yield api


@pytest.fixture(scope="module")
def before(source: Source) -> Answers:
    with api_of(source.url, source.settings["REIBACH_ARCHIVE_FILES"]) as api:
        return answers(api, source.tables)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """An empty store that isn't served."""
    with running_store(tmp_path / "played") as store:
        yield store


@pytest.fixture
def store(played: EmbeddedStore) -> Iterator[Store]:
    with closing(connect(played.url)) as client:
        client.config_set("repl-diskless-sync-delay", 0)
        open_deployment(client, SHARDS, "")
        yield Store(client, SHARDS, patience(3))


def at(store: EmbeddedStore) -> dict[str, str]:
    return {"REIBACH_DATA": str(store.data)}


def back_up(source: Source, to: Path, *options: object) -> dict[str, Any]:
    succeed("backup", to, *options, **source.settings)
    return json.loads((to / "manifest.json").read_bytes())


@pytest.fixture(scope="module")
def backup(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("backups") / "one"
    back_up(source, to)
    return to


def restored(backup: Path, data: Path, *options: object, **settings: str) -> str:
    ended = succeed("restore", backup, "--data", data, *options, **settings)
    return ended.stdout


@pytest.mark.nightly
def test_every_request_is_answered_the_same(source: Source, backup: Path, before: Answers, tmp_path: Path) -> None:
    """After a restore into an empty folder: reads of everyone, repeats of requests, old and revoked tokens."""
    data = tmp_path / "restored"
    told = restored(backup, data)
    assert f"Restored {len(source.tables)} games" in told
    assert "sends no mail, push or webhook until you run `reibach resend`" in told
    with running_store(data) as copy, api_of(copy.url, data / "archive") as api, connect(copy.url) as client:
        assert is_held(client)
        assert answers(api, source.tables) == before
        assert voided(copy.url) == voided(source.url) != {}
        version = api.version(source.tables[-1])
        assert (repeat(api, source.tables[-1]), api.version(source.tables[-1])) == (201, version)
    assert {status for status, _, _ in before} >= {200, 401, 404}
    doctor = run("doctor", "--all", "--data", data)
    assert (doctor.returncode, doctor.stdout) == (0, f"Replayed {len(source.tables)} games: none differs.\n")


def test_only_its_owner_reads_a_backup(backup: Path) -> None:
    """It holds hidden cards and secrets; what a check has left behind is gone."""
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    names = {path.name for path in backup.iterdir()}
    assert names == {"manifest.json", "node-00.rdb", "deployment.json", "games", "archive"}
    files = [path for path in backup.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert [path.name for path in backup.parent.iterdir()] == [backup.name]


@pytest.mark.nightly
@pytest.mark.parametrize("copies", [2, 20])
@pytest.mark.parametrize("kind", ["embedded", pytest.param("elsewhere", marks=NO_CLI)])
def test_a_copy_of_a_store_that_is_played_on(
    played: EmbeddedStore, store: Store, tmp_path: Path, copies: int, kind: str
) -> None:
    """While the store's log is rewritten, too: every event that was acknowledged before is in each copy, once."""
    settings = at(played) if kind == "embedded" else {"REIBACH_REDIS_URL": played.url}
    acks: list[Ack] = []
    stopped = Event()

    def play_on() -> None:
        with log_over(played.url, SHARDS) as log:
            for number in range(1_000_000):
                log.create(new_game(f"game{number}"))
                while not stopped.is_set() and (now := log.load(f"game{number}").game).status == "playing":
                    acks.append(ack_of(log.handle(now.id, any_act(now, Random(number)))))
                if stopped.is_set():
                    return

    player = Thread(target=play_on)
    player.start()
    try:
        for number in range(copies):
            known, before = list(acks), store.client.bgrewriteaof()
            assert before
            succeed("backup", tmp_path / f"copy{number}", **settings)
            restored(tmp_path / f"copy{number}", tmp_path / f"data{number}")
            with running_store(tmp_path / f"data{number}") as copy, closing(connect(copy.url)) as client:
                there = Store(client, SHARDS, patience(3))
                for game in {ack.game for ack in known}:
                    check_log(there, game)
                    versions = {ack.last: ack.hash for ack in known if ack.game == game}
                    assert holds(there, game, versions)
    finally:
        stopped.set()
        player.join()


def holds(store: Store, game: str, hashes: dict[int, str]) -> bool:
    events = {event["version"]: event["hash"] for event in check_integrity(store, game).events}
    return hashes.items() <= events.items()


def test_a_log_is_copied_whole_while_it_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are gone when they are opened, and a manifest that changes meanwhile: it begins again."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    for name, kept in (("1.base", b"old"), ("2.base", b"half"), ("3.base", b"base"), ("3.incr", b"more")):
        (source / name).write_bytes(kept)
    line = "file {} seq 1 type {}\n".format
    last = line("3.base", "b") + line("2.incr", "h") + line("3.incr", "i")
    seen = [line("0.base", "b"), line("1.base", "b"), line("2.base", "b"), last, last]
    monkeypatch.setattr(Path, "read_text", lambda _path, _encoding: seen.pop(0))
    _copy_log(source, target)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == {
        "3.base": b"base",
        "3.incr": b"more",
        "appendonly.aof.manifest": (line("3.base", "b") + line("3.incr", "i")).encode(),
    }


@pytest.mark.nightly
@pytest.mark.usefixtures("store")
def test_a_copy_that_lacks_something_is_refused(
    played: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older copy in the place of the store's: nothing is left of such a backup."""
    settings = at(played)
    with log_over(played.url, SHARDS) as log:
        log.create(new_game("one"))
        assert run("backup", tmp_path / "old", **settings).returncode == 0

        def copy_old(_data: Path, _binary: str, path: Path) -> None:
            shutil.copy(tmp_path / "old" / "node-00.rdb", path)

        monkeypatch.setattr("service.commands.backup.backup.dump_embedded", copy_old)
        log.handle("one", any_act(log.load("one").game, Random(1)))
        version = log.load("one").game.version
        assert_refused(run("backup", tmp_path / "to", **settings), 1, f"one: version {version} isn't as the store had")
        log.create(new_game("two"))
        assert_refused(run("backup", tmp_path / "to", **settings), 1, "1 games too few")
    assert {path.name for path in tmp_path.iterdir()} == {"old", "played"}


@pytest.mark.nightly
def test_what_is_there_stays(source: Source, backup: Path, tmp_path: Path) -> None:
    """A folder with a store is replaced only on demand, and kept; a backup never."""
    data = tmp_path / "data"
    restored(backup, data)
    assert_refused(run("restore", backup, "--data", data), 1, "there is a store in", "--replace")
    restored(backup, data, "--replace")
    kept = [path for path in data.iterdir() if path.name.startswith("replaced-")]
    assert [sorted(path.name for path in one.iterdir()) for one in kept]
    assert not (data / "restoring").exists()
    assert_refused(run("backup", backup, **source.settings), 2, "is there already")
    assert_refused(run("backup", "x", "--data", tmp_path / "nowhere"), 1, "there is no store in")
    assert not Path("x").exists()


def test_a_store_that_is_served_is_not_replaced(backup: Path, tmp_path: Path) -> None:
    """Neither an embedded one nor one with workers; nothing is deleted."""
    data = tmp_path / "data"
    with running_store(data) as copy, redis.Redis.from_url(copy.url) as client:
        client.set("reibach:worker", 1)
        assert_refused(run("restore", backup, "--data", data, "--replace"), 1, "is in use by another process")
        assert_refused(run("restore", backup, "--replace", REIBACH_REDIS_URL=copy.url), 1, "stop the service first")
        assert client.dbsize() == 1


@pytest.mark.parametrize("name", ["node-00.rdb", "games", "deployment.json", "archive"])
def test_a_damaged_backup(backup: Path, tmp_path: Path, name: str) -> None:
    """One bit of any file: it isn't restored, and the folder stays empty."""
    copy, data = tmp_path / "copy", tmp_path / "data"
    shutil.copytree(backup, copy)
    path = copy / name if (copy / name).is_file() else next((copy / name).iterdir())
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    assert_refused(run("restore", copy, "--data", data), 1, "the backup is damaged", path.name)
    path.unlink()
    assert_refused(run("restore", copy, "--data", data), 1, "the backup is damaged", path.name)
    assert not data.exists()


def test_no_backup(backup: Path, tmp_path: Path) -> None:
    assert_refused(run("restore", tmp_path, "--data", tmp_path / "data"), 2, "isn't a backup")
    assert_refused(run("restore", tmp_path / "nowhere", "--data", tmp_path / "data"), 2, "isn't a backup")
    manifest = json.loads((backup / "manifest.json").read_bytes())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"format": 2}))
    assert_refused(run("restore", tmp_path, "--data", tmp_path / "data"), 2, "of format 2")


@pytest.mark.nightly
def test_a_game_that_is_damaged_in_the_store(played: EmbeddedStore, store: Store, tmp_path: Path) -> None:
    """It is named, and there is no backup but on demand; then it comes back as it was, with the others."""
    with log_over(played.url, SHARDS) as log:
        for name in ("sound", "spoilt"):
            log.create(new_game(name))
            finish(log, name)
    (first, _), *_ = store.client.xrange(store.stream("spoilt"), count=1)
    store.client.xdel(store.stream("spoilt"), first)
    settings, to = at(played), tmp_path / "to"
    refused = run("backup", to, **settings)
    assert refused.returncode == 1
    assert "spoilt: its log is damaged at version 1, in the store itself" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["played"]
    made = run("backup", to, "--damaged", **settings)
    assert made.returncode == 0
    assert json.loads((to / "manifest.json").read_bytes())["damaged"] == ["spoilt"]
    restored(to, tmp_path / "data")
    with running_store(tmp_path / "data") as copy:
        assert content(copy.url) == content(played.url)


@pytest.mark.nightly
def test_into_another_store(source: Source, backup: Path, before: Answers, address: str, tmp_path: Path) -> None:
    """One that is no embedded one, with keys of another program, which stay; and into another database."""
    with redis.Redis.from_url(address) as client:
        client.flushall()
        client.set("other", "untouched")
        settings = {"REIBACH_REDIS_URL": address, "REIBACH_ARCHIVE_FILES": str(tmp_path / "files")}
        assert run("restore", backup, **settings).returncode == 0
        assert client.get("other") == b"untouched"
        assert_refused(run("restore", backup, **settings), 1, "isn't empty", "--replace")
        assert run("restore", backup, "--replace", **settings).returncode == 0
        assert client.get("other") == b"untouched"
        with api_of(address, tmp_path / "files") as api:
            assert answers(api, source.tables) == before


@pytest.mark.nightly
def test_keys_in_a_file(source: Source, backup: Path, tmp_path: Path) -> None:
    """The secrets go to where the restored service has them, and come from there; a file of others stays."""
    keys, data = tmp_path / "keys.json", tmp_path / "data"
    restored(backup, data, REIBACH_KEYS_FILE=str(keys))
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert keys.read_bytes() == (backup / "deployment.json").read_bytes()
    settings = {"REIBACH_KEYS_FILE": str(keys)}
    with running_store(data) as copy, redis.Redis.from_url(copy.url) as client:
        assert client.get("reibach:deployment") is None
        assert open_deployment(client, SHARDS, str(keys)).signing_keys  # as a process does that is started on it
    assert json.loads(keys.read_bytes())["has_store"]
    assert run("backup", tmp_path / "second", "--data", data, **settings).returncode == 0
    assert (tmp_path / "second" / "deployment.json").read_bytes() == keys.read_bytes()
    restored(tmp_path / "second", tmp_path / "again", **settings)
    with running_store(tmp_path / "again") as copy, redis.Redis.from_url(copy.url) as client:
        assert open_deployment(client, SHARDS, str(keys)) == Deployment.from_json(keys.read_bytes())
    keys.write_text(Deployment.new(SHARDS).to_json())
    refused = run("restore", backup, "--data", tmp_path / "third", **settings)
    assert_refused(refused, 1, "is of another service")
    assert not (tmp_path / "third" / "appendonlydir").exists()


@pytest.mark.nightly
def test_an_interrupted_restore_is_not_served(backup: Path, tmp_path: Path, address: str) -> None:
    """Neither from a folder nor from a store: one line says what to do; then it is done."""
    data = tmp_path / "data"
    (data / "restoring").mkdir(parents=True)
    assert_refused(run("doctor", "--data", data), 1, "a restore into", "run `reibach restore` again")
    restored(backup, data)
    assert run("doctor", "--data", data).returncode == 0
    settings = {"REIBACH_REDIS_URL": address, "REIBACH_ARCHIVE_FILES": str(tmp_path / "files")}
    with redis.Redis.from_url(address) as client:
        client.flushall()
        client.set("reibach:deployment", "restoring")
    assert_refused(run("doctor", **settings), 1, "a restore into this store didn't end")
    file = tmp_path / "keys.json"
    assert_refused(run("doctor", REIBACH_KEYS_FILE=str(file), **settings), 1, "a restore into this store didn't end")
    file.unlink(missing_ok=True)
    assert run("restore", backup, "--replace", **settings).returncode == 0
    assert run("doctor", "--all", **settings).returncode == 0


@pytest.mark.nightly
def test_older_backups_are_deleted(source: Source, backup: Path, tmp_path: Path) -> None:
    """But for as many as are to be kept and hold; a damaged one, another service's, and other files stay."""
    damaged, foreign, old = (shutil.copytree(backup, tmp_path / name) for name in ("damaged", "foreign", "old"))
    (damaged / "games").write_bytes(b"")
    (foreign / "deployment.json").write_text(Deployment.new(SHARDS).to_json())
    (tmp_path / "notes").touch()
    (tmp_path / "latest").symlink_to(old)
    begun = time.time()
    for name, left in (("one", {"old", "one"}), ("two", {"one", "two"})):
        ended = run("backup", tmp_path / name, "--keep", 2, **source.settings)
        assert (ended.returncode, "damaged" in ended.stderr) == (0, True)
        assert {path.name for path in tmp_path.iterdir()} == left | {"damaged", "foreign", "notes", "latest"}
    (tmp_path / "one" / "games").write_bytes(b"")
    assert run("backup", tmp_path / "three", "--keep", 1, **source.settings).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"one", "three", "damaged"}
    assert not (tmp_path / "two").exists()
    assert begun - 1 < last_backup(source.url) < time.time() + 1


def last_backup(url: str) -> float:
    """As `/metrics` has it."""
    with closing(connect(url)) as client:
        text = render_metrics(StatusReader(Store(client, SHARDS, patience(3))).read()).decode()
    line = re.search(r"^reibach_last_backup_timestamp_seconds (\S+)$", text, re.MULTILINE)
    assert line is not None
    return float(line[1])


# Stores of other kinds: Redis, another database of a server, a cluster.


GAMES = [f"game{number}" for number in range(8)]
"""More than one a shard."""
Server = Callable[[str], str]


def fill_plain(url: str) -> None:
    """Games in an empty store: running ones, finished ones, one in an archive."""
    with closing(connect(url)) as client:
        client.flushdb()
        open_deployment(client, SHARDS, "")
        for server in primaries_of(client):
            server.config_set("repl-diskless-sync-delay", 0)
    with log_over(url, SHARDS) as log:
        for number, game in enumerate(GAMES):
            log.create(new_game(game))
            if number % 2:
                finish(log, game)
        assert compact(log.store, GAMES[1], "store", now_ms() + 1)


def content(url: str) -> dict[bytes, object]:
    with closing(connect(url)) as client:
        keys = [key for key in client.scan_iter(count=1000) if key.startswith((b"{s", b"{mails}"))]
        return {key: (read(client, key), client.ttl(key) > 0) for key in keys}


def read(client: Client, key: bytes) -> object:
    """A key's value: a dump's form depends on the server's release."""
    readers = {
        b"stream": lambda name: (client.xrange(name), feed_state(client, name)),
        b"hash": client.hgetall,
        b"string": client.get,
        b"list": lambda name: client.lrange(name, 0, -1),
        b"set": client.smembers,
        b"zset": lambda name: client.zrange(name, 0, -1, withscores=True),
    }
    return readers[client.type(key)](key)


def feed_state(client: Client, name: bytes) -> object:
    readers = [(group["name"], group["last-delivered-id"]) for group in client.xinfo_groups(name)]
    return client.xinfo_stream(name)["last-generated-id"], readers


def check(url: str) -> None:
    with closing(connect(url)) as client:
        for game in GAMES:
            check_log(Store(client, SHARDS, patience(3)), game)


@pytest.fixture
def server(server: Server) -> Iterator[Server]:
    """The shared stores, which sync each write meanwhile: commands warn where one doesn't."""
    used = set()

    def address(kind: str) -> str:
        with connect(url := server(kind)) as client:
            client.config_set("appendfsync", "always")
        used.add(url)
        return url

    yield address
    for url in used:
        write_lazily(url)


@pytest.mark.nightly
@NO_CLI
def test_another_database(server: Server, tmp_path: Path) -> None:
    """Of a server that holds more: that database alone, into another one."""
    source, target = server("valkey") + "?db=3", server("valkey") + "?db=5"
    fill_plain(source)
    succeed("backup", tmp_path / "to", REIBACH_REDIS_URL=source)
    with closing(connect(target)) as client:
        client.flushdb()
    succeed("restore", tmp_path / "to", REIBACH_REDIS_URL=target)
    assert content(target) == content(source)
    check(target)


def fill_others(url: str) -> None:
    """A key of each type and size that the games have not made, a feed with readers, one that its readers emptied."""
    with closing(connect(url)) as client:
        client.zadd("{s00}:due", {"never": math.inf, "late": -1.5, "early": 1234567890123.25})
        client.hset("{s01}:summaries", mapping={f"name {number}": number / 3 for number in range(2500)})
        client.rpush("{s01}:dead", *(b"\xff%d" % number for number in range(2500)))
        client.sadd("{s01}:some", *range(2500))
        client.set("{mails}:client:one", 3, px=10**8)
        for name, kept in (("{s02}:feed", 3), ("{s03}:feed", 0)):
            ids = [client.xadd(name, {"game": "one", "version": number}) for number in range(9)]
            client.xgroup_create(name, "post", ids[4])
            client.xtrim(name, maxlen=kept)


@pytest.mark.nightly
@NO_DEBIAN
def test_redis(server: Server, tmp_path: Path) -> None:
    """From Redis 7.0 into Valkey, and from there into Redis, which knows no dump of Valkey's."""
    url, data = server("redis"), tmp_path / "data"
    fill_plain(url)
    fill_others(url)
    before = content(url)
    made = run("backup", tmp_path / "to", REIBACH_REDIS_URL=url)
    assert made.returncode == 0, made.stderr
    succeed("restore", tmp_path / "to", "--data", data)
    succeed("doctor", "--all", "--data", data)
    succeed("backup", tmp_path / "second", "--data", data)
    succeed("restore", tmp_path / "second", "--replace", REIBACH_REDIS_URL=url)
    assert content(url) == before
    check(url)


@NO_DEBIAN
def test_a_copy_that_cannot_be_read_deletes_nothing(backup: Path, server: Server) -> None:
    """An older program for reading it than the one that has written it: the target is as before."""
    url = server("redis")
    fill_plain(url)
    before = content(url)
    settings = {"REIBACH_REDIS_URL": url, "REIBACH_VALKEY_BINARY": str(DEBIAN)}
    assert run("restore", backup, "--replace", **settings).returncode == 1
    assert content(url) == before
    succeed("doctor", REIBACH_REDIS_URL=url)


@pytest.mark.nightly
def test_a_cluster(tmp_path: Path) -> None:
    """A file for each node; restored into a folder, and from there into a cluster of another size."""
    for name in ("three", "two"):
        (tmp_path / name).mkdir()
    with running_cluster(tmp_path / "three", 3) as three, running_cluster(tmp_path / "two", 2) as two:
        url, other = three.url, two.url
        fill_plain(url)
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

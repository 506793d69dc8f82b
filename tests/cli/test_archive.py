"""`reibach archive`, and workers that archive by themselves: every read of a game stays the same."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from config.settings import Settings
from service.connections.clients import connect
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from tests.cli.test_doctor import put
from tests.conftest import Service
from tests.support.client import Api
from tests.support.logs import ndjson, random_log
from tests.support.samples import with_nightly
from tests.support.shell import COMMAND, ROOT, assert_refused, environment, raw, run
from tests.support.waiting import patience, wait_until

if TYPE_CHECKING:
    from moto.server import ThreadedMotoServer


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator["ThreadedMotoServer"]:
    """An S3 service with the bucket `games`; commands find it by the usual variables."""
    from moto.server import ThreadedMotoServer  # a fifth of a second, which not every test process needs

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    assert httpx.put(f"http://{host}:{port}/games").status_code == 200
    settings = {"ENDPOINT_URL": f"http://{host}:{port}", "REGION": "us-east-1", "ACCESS_KEY_ID": "id"}
    for name, value in (settings | {"SECRET_ACCESS_KEY": "secret"}).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    yield server
    server.stop()


@pytest.mark.nightly
def test_a_worker_archives_finished_games(service: Service, api: Api, tmp_path: Path) -> None:
    """A game that ended long ago is archived soon after its import; one that has just ended isn't archived."""
    file = tmp_path / "old.ndjson"
    file.write_bytes(ndjson(random_log(2, "long-ago")))
    table = api.create([{"bot": "greedy"}, {"bot": "greedy"}], seed=None)
    api.await_end(table)
    assert run("import", file, "--data", service.data).returncode == 0
    with closing(connect(EmbeddedStore(service.data).url)) as client:
        store = Store(client, Settings().shards, patience(3))
        wait_until(lambda: store.place("game-long-ago") is not None, 20)
        assert store.place(table.id) is None
    assert raw("export", "game-long-ago", "--data", service.data).stdout == file.read_bytes()


def test_output_of_archive(store: Store, address: str) -> None:
    """Quiet games without --now, the others with it; nothing left to do is no error."""
    put(store, random_log(2, "said"))
    settings = {"REIBACH_REDIS_URL": address}
    not_yet = run("archive", **settings, REIBACH_ARCHIVE_AFTER=str(10**10))
    said = "Archived 0 games: no other is finished and old enough (--now: of any age).\n"
    assert (not_yet.returncode, not_yet.stdout) == (0, said)
    done = run("archive", **settings)
    assert (done.returncode, done.stdout.split(":")[0], done.stderr) == (0, "Archived 1 game", "")
    assert run("archive", "--now", **settings).stdout.startswith("Archived 0 games")
    assert_refused(run("archive", **settings, REIBACH_ARCHIVE="off"), 2, "the archive is off")


def test_a_damaged_game_is_named(store: Store, address: str) -> None:
    games = [put(store, random_log(2, seed)) for seed in ("one", "two", "three")]
    store.client.hset(store.stream(games[1]).replace(":game:", ":head:"), "hash", b"x" * 32)
    ended = run("archive", "--now", REIBACH_REDIS_URL=address)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines()[-1] == "reibach: 1 game can't be archived; 2 games archived"
    assert "game-two" in ended.stderr.splitlines()[0]
    assert [store.place(game) is None for game in games] == [False, True, False]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("games", with_nightly([5, 12]))
def test_killed_while_archiving(store: Store, address: str, tmp_path: Path, games: int) -> None:
    """Killed again and again while it archives, then through: every game is complete, as archive or as stream."""
    for number in range(games):
        put(store, random_log(2 + number % 4, f"killed {number}"))
    settings = {"REIBACH_REDIS_URL": address, "REIBACH_ARCHIVE": "files", "REIBACH_ARCHIVE_FILES": str(tmp_path / "a")}
    before = raw("export", "--all", **settings).stdout

    def find_archived() -> set[str]:
        return {game for game in store.ids() if store.place(game)}

    archived: set[str] = set()
    while len(archived) < games:
        command = [*COMMAND, "archive"]
        with subprocess.Popen(command, cwd=ROOT, env=environment(**settings), stdout=subprocess.DEVNULL) as process:
            wait_until(lambda: find_archived() > archived or process.poll() is not None)  # noqa: B023 - called here
            if len(archived) >= games - 4:
                process.wait(patience(30))
            process.kill()
        assert archived < find_archived()
        archived = find_archived()
        assert raw("export", "--all", **settings).stdout == before
    assert len(archived) == games
    assert {path.name.partition("-")[0] for path in (tmp_path / "a").iterdir()} == {"game", "unfinished"}


@pytest.mark.nightly
@pytest.mark.slow
def test_archives_in_an_s3_bucket(store: Store, address: str, bucket: "ThreadedMotoServer") -> None:
    """An S3 service holds the archives; without it they can't be read, and nothing more is archived."""
    settings = {
        "REIBACH_REDIS_URL": address,
        "REIBACH_ARCHIVE": "files",
        "REIBACH_ARCHIVE_FILES": "s3://games/old/ones",
    }
    game = put(store, random_log(3, "bucket"))
    before = raw("export", game, **settings).stdout
    assert run("archive", **settings).stdout.startswith("Archived 1 game")
    assert store.place(game).kind == "files"
    host, port = bucket.get_host_and_port()
    assert f"<Key>old/ones/{game}-" in httpx.get(f"http://{host}:{port}/games?list-type=2").text
    assert raw("export", game, **settings).stdout == before
    assert run("archive", **settings | {"REIBACH_ARCHIVE": "store"}).stdout.startswith("Archived 1 game")
    assert run("archive", **settings).stdout.startswith("Archived 1 game")
    listing = f"http://{host}:{port}/games?list-type=2&prefix=old/ones/"
    for command in (("forget", "0"), ("delete",)):
        erased = put(store, random_log(3, f"bucket-{command[0]}"))
        run("archive", **settings)
        assert f"{erased}-" in httpx.get(listing).text
        assert run(command[0], erased, *command[1:], "--yes", **settings).returncode == 0
        assert f"{erased}-" not in httpx.get(listing).text
    assert f"{game}-" in httpx.get(listing).text
    other = put(store, random_log(3, "another"))
    bucket.stop()
    assert_refused(run("export", game, **settings), 1, "the archive files can't be reached")
    assert_refused(run("archive", **settings), 1, "the archive files can't be reached")
    assert store.place(other) is None
    assert raw("export", other, **settings).returncode == 0

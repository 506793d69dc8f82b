"""`reibach archive`, and workers that archive by themselves: every read of a game stays the same."""

import subprocess
from contextlib import closing
from pathlib import Path

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

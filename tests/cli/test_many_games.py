"""Commands on many games: what they find stands in the order of the games, and called again they continue."""

import json
from pathlib import Path
from random import Random

import pytest
import redis

from domain.commands import SeatPlan
from service.commands.store.imports import _parents_first
from service.gamelog.store.streams import Store
from service.signing.deployment import open_deployment
from tests.cli.conftest import SHARDS
from tests.gamelog.ledger import finish, new_game, play
from tests.support.in_process import log_over
from tests.support.shell import run

MANY = 40
"""Games."""


@pytest.fixture(scope="module")
def played(address: str) -> dict[bytes, bytes]:
    """The keys of a store with many games, a tenth of them finished, each as the store dumps it."""
    with redis.Redis.from_url(address) as client, log_over(address, SHARDS) as log:
        client.flushall()
        open_deployment(client, SHARDS, "")
        for number in range(MANY):
            name = f"game{number:02d}"
            log.create(new_game(name, [SeatPlan(name="Anna"), SeatPlan(name="Bert")]))
            if number % 10 == 0:
                finish(log, name)
            else:
                play(log, name, Random(number), lambda game, most=number: game.version > most)
        return {key: client.dump(key) for key in client.scan_iter()}


@pytest.fixture
def many(played: dict[bytes, bytes], address: str, store: Store) -> dict[str, str]:
    with store.client.pipeline() as pipeline:
        for key, dump in played.items():
            pipeline.restore(key, 0, dump, replace=True)
        pipeline.execute()
    return {"REIBACH_REDIS_URL": address}


def test_reading_commands(many: dict[str, str], store: Store) -> None:
    """The doctor's findings and an export stand in the order of the games, those of damaged games among them."""
    assert run("doctor", "--all", **many).stdout == f"Replayed {MANY} games: none differs.\n"
    whole = run("export", "--all", "--running", **many)
    assert whole.stdout.count('"type":"GameCreated"') == MANY
    for game in ("game07", "game13"):
        (first, _), *_ = store.client.xrange(store.stream(game), count=1)
        store.client.xdel(store.stream(game), first)
    found = run("doctor", **many)
    assert [line.partition(":")[0] for line in found.stdout.splitlines()] == ["game07", "game13"]
    assert found.stderr == f"reibach: 2 of {MANY - MANY // 10} games would differ\n"
    errors = run("export", "--all", "--running", **many).stderr.splitlines()
    assert [line.split(":")[1].strip() for line in errors] == ["game07", "game13"]


def test_export_import_and_archive(many: dict[str, str], store: Store, tmp_path: Path) -> None:
    """Every game, byte for byte; a second time they find that there is nothing to do."""
    first, second = tmp_path / "first", tmp_path / "second"
    export = ("export", "--all", "--running", "--to")
    assert run(*export, first, **many).stderr == f"reibach: wrote {MANY} games to {first}\n"
    files = sorted(first.iterdir())
    store.client.flushall()
    imported = run("import", "--running", *files, **many)
    assert (imported.returncode, imported.stdout.count(" imported, ")) == (0, MANY)
    assert [line.partition(":")[0] for line in imported.stdout.splitlines()] == list(map(str, files))
    same = run("import", "--running", first, **many)
    assert (same.returncode, same.stdout.count("is there already\n"), same.stderr) == (0, MANY, imported.stderr)
    assert run("archive", "--now", **many).stdout.startswith(f"Archived {MANY // 10} games: ")
    assert run("archive", "--now", **many).stdout.startswith("Archived 0 games")
    run(*export, second, **many)
    assert {path.name: path.read_bytes() for path in first.iterdir()} == {
        path.name: path.read_bytes() for path in second.iterdir()
    }


@pytest.mark.nightly
def test_an_import_waits_for_replicas(many: dict[str, str], store: Store, tmp_path: Path) -> None:
    run("export", "--all", "--running", "--to", tmp_path, **many)
    store.client.flushall()
    ended = run("import", "--running", *sorted(tmp_path.iterdir()), REIBACH_REPLICAS="1", **many)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "0 of 1 replicas have the events on disk" in ended.stderr


def test_forks_come_after_their_parents(tmp_path: Path) -> None:
    """Wherever their files stand among those of an import; what names itself, or can't be read, comes at some time."""
    parents = {"child": "parent", "grandchild": "child", "parent": "elsewhere", "circle": "circle"}
    files = [tmp_path / name for name in ("grandchild", "circle", "child", "none", "parent")]
    for file in files:
        if file.name in parents:
            file.write_text(json.dumps({"data": {"game": file.name, "parent": parents[file.name]}}) + "\n")
    ordered = [path.name for path in _parents_first(files)]
    assert ordered == ["parent", "child", "grandchild", "circle", "none"]


class CountedPath(type(Path())):  # type: ignore[misc]  # Path itself can't be subclassed before Python 3.12
    hashed = 0

    def __hash__(self) -> int:
        CountedPath.hashed += 1
        return super().__hash__()


def test_files_are_ordered_in_linear_time(tmp_path: Path) -> None:
    """A hundred thousand files take no hours: each is hashed a few times, however many there are."""
    files = [CountedPath(tmp_path / f"nowhere {number}") for number in range(300)]
    assert _parents_first(files) == files
    assert CountedPath.hashed < 10 * len(files)

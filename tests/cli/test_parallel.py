"""Commands on many games: the same lines with any number of processes, and after an interruption they go on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import redis

from domain.commands import SeatPlan
from service.commands import terminal
from service.commands.errors import CommandFailed
from service.commands.store.imports import _waves
from service.commands.store.opening import StoreAddress
from service.commands.store.parallel import for_each
from service.gamelog.store.streams import Store
from service.signing.deployment import open_deployment
from tests.cli.conftest import SHARDS
from tests.gamelog.ledger import finish, new_game, play
from tests.support.in_process import log_over
from tests.support.shell import ROOT, Ended, assert_refused, run
from tests.support.waiting import is_running, wait_until

MANY = 40
"""Games: work for three processes."""


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


def both(*argv: object, **settings: str) -> Ended:
    """What a command prints with one process, which is what it prints with three."""
    one, three = (run(*argv, "--jobs", jobs, **settings) for jobs in (1, 3))
    assert (one.returncode, one.stdout, one.stderr) == (three.returncode, three.stdout, three.stderr)
    return one


def test_reading_commands(many: dict[str, str], store: Store, address: str) -> None:
    """The doctor's findings and an export stand in the order of the games, those of damaged games among them."""
    assert both("doctor", "--all", **many).stdout == f"Replayed {MANY} games: none differs.\n"
    whole = both("export", "--all", "--running", **many)
    assert whole.stdout.count('"type":"GameCreated"') == MANY
    for game in ("game07", "game13"):
        (first, _), *_ = store.client.xrange(store.stream(game), count=1)
        store.client.xdel(store.stream(game), first)
    found = both("doctor", **many)
    assert [line.partition(":")[0] for line in found.stdout.splitlines()] == ["game07", "game13"]
    assert found.stderr == f"reibach: 2 of {MANY - MANY // 10} games would differ\n"
    errors = both("export", "--all", "--running", **many).stderr.splitlines()
    assert [line.split(":")[1].strip() for line in errors] == ["game07", "game13"]


def test_export_import_and_archive(many: dict[str, str], store: Store, tmp_path: Path) -> None:
    """By three processes: every game, byte for byte; a second time they find that there is nothing to do."""
    first, second = tmp_path / "first", tmp_path / "second"
    export = ("export", "--all", "--running", "--jobs", 3, "--to")
    assert run(*export, first, **many).stderr == f"reibach: wrote {MANY} games to {first}\n"
    (first / "game00.ndjson").write_bytes((first / "game00.ndjson").read_bytes()[:-30])
    (first / "game01.running.ndjson").unlink()
    again = run(*export, first, **many)
    assert again.stderr == f"reibach: wrote 2 games to {first}; {MANY - 2} games were there already\n"
    files = sorted(first.iterdir())
    store.client.flushall()
    imported = run("import", "--running", "--jobs", 3, *files, **many)
    assert (imported.returncode, imported.stdout.count(" imported, ")) == (0, MANY)
    assert [line.partition(":")[0] for line in imported.stdout.splitlines()] == list(map(str, files))
    same = run("import", "--running", "--jobs", 3, first, **many)
    assert (same.returncode, same.stdout.count("is there already\n"), same.stderr) == (0, MANY, imported.stderr)
    assert run("archive", "--now", "--jobs", 3, **many).stdout.startswith(f"Archived {MANY // 10} games: ")
    assert run("archive", "--now", "--jobs", 3, **many).stdout.startswith("Archived 0 games")
    run(*export, second, **many)
    assert {path.name: path.read_bytes() for path in first.iterdir()} == {
        path.name: path.read_bytes() for path in second.iterdir()
    }


@pytest.mark.slow
@pytest.mark.nightly
def test_an_import_waits_for_replicas(many: dict[str, str], store: Store, tmp_path: Path) -> None:
    """By one process and by several: what no replica has on disk is not called imported."""
    run("export", "--all", "--running", "--to", tmp_path, **many)
    store.client.flushall()
    files = sorted(tmp_path.iterdir())
    for chosen, jobs in ((files[:1], 1), (files[:33], 2)):
        ended = run("import", "--running", "--jobs", jobs, *chosen, REIBACH_REPLICAS="1", **many)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert "0 of 1 replicas have the events on disk" in ended.stderr


def test_the_doctor_goes_on(many: dict[str, str], address: str, tmp_path: Path) -> None:
    """With a file of sound games it replays what is new, or has gone on; a file of another check is refused."""
    done = tmp_path / "done"
    resume = ("doctor", "--all", "--resume", done)
    assert run(*resume, **many).stdout == f"Replayed {MANY} games: none differs. 0 games were replayed before.\n"
    lines = done.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + MANY
    done.write_text("".join(lines[:11]) + lines[11][:5])  # killed while it wrote
    with log_over(address, SHARDS) as log:
        play(log, "game01", Random(1), lambda game: game.version > 30)
    ended = run(*resume, **many)
    assert ended.stdout == f"Replayed {MANY - 9} games: none differs. 9 games were replayed before.\n"
    assert run(*resume, **many).stdout == f"Replayed 0 games: none differs. {MANY} games were replayed before.\n"
    assert done.stat().st_mode & 0o777 == 0o600
    assert_refused(run("doctor", "--resume", done, **many), 2, "name another file")
    assert_refused(run("doctor", "--resume", tmp_path, **many), 2, "can't use")


def test_progress(many: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no terminal a line now and then, to standard error."""
    monkeypatch.setattr(terminal, "_REPORT_S", 0.0)
    ended = run("doctor", "--jobs", 1, **many)
    assert ended.stderr.splitlines()[-1] == f"reibach: replaying, {MANY} of {MANY}"
    assert ended.stdout.count("\n") == 1


def end_by_signal(_store: Store, _item: int) -> None:
    """As the kernel ends a process when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def say_who_and_wait(_store: Store, item: int, *, folder: Path) -> None:
    """Leave a file named like the process, and work for ever."""
    (folder / str(os.getpid())).touch()
    signal.pause()


def test_a_killed_process_is_told(address: str, store: Store) -> None:
    """A process of the pool that is killed ends the command with one line; nothing hangs."""
    with pytest.raises(CommandFailed, match="try fewer --jobs"):
        list(for_each(StoreAddress(address, SHARDS, "none"), end_by_signal, range(MANY), 3))


def test_processes_end_with_their_command(address: str, store: Store, tmp_path: Path) -> None:
    code = f"""
from functools import partial
from pathlib import Path
from service.commands.store.opening import StoreAddress
from service.commands.store.parallel import for_each
from tests.cli.test_parallel import say_who_and_wait
work = partial(say_who_and_wait, folder=Path({str(tmp_path)!r}))
list(for_each(StoreAddress({address!r}, {SHARDS}, "none"), work, range({MANY}), 3))
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as command:
        try:
            wait_until(lambda: len(list(tmp_path.iterdir())) == 3)
        finally:
            command.kill()
    pids = [int(path.name) for path in tmp_path.iterdir()]
    wait_until(lambda: not any(map(is_running, pids)))


def test_forks_come_after_their_parents(tmp_path: Path) -> None:
    """Wherever their files stand among those of an import; what names itself, or can't be read, comes at some time."""
    parents = {"child": "parent", "grandchild": "child", "parent": "elsewhere", "circle": "circle"}
    files = [tmp_path / name for name in ("grandchild", "circle", "child", "none", "parent")]
    for file in files:
        if file.name in parents:
            file.write_text(json.dumps({"data": {"game": file.name, "parent": parents[file.name]}}) + "\n")
    names = [[path.name for path in wave] for wave in _waves(files)]
    assert names == [["none", "parent"], ["child"], ["grandchild"], ["circle"]]


class CountedPath(type(Path())):  # type: ignore[misc]  # Path itself can't be subclassed before Python 3.12
    hashed = 0

    def __hash__(self) -> int:
        CountedPath.hashed += 1
        return super().__hash__()


def test_files_are_ordered_in_linear_time(tmp_path: Path) -> None:
    """A hundred thousand files take no hours: each is hashed a few times, however many there are."""
    files = [CountedPath(tmp_path / f"nowhere {number}") for number in range(300)]
    assert _waves(files) == [files]
    assert CountedPath.hashed < 10 * len(files)

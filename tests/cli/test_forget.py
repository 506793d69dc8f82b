"""`reibach games`, `reibach delete` and `reibach forget` on a store that isn't served."""

import json
import os
import signal
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from config.settings import Settings
from domain.audit.checks import audit
from domain.commands import PostMessage, Resign
from domain.decide import decide
from domain.state import Game
from service.commands.store import erasure, forgotten
from service.connections.clients import connect
from service.gamelog.erasing import delete_game
from service.gamelog.reader import GameReader
from service.gamelog.store.form.places import ArchiveFilesUnavailable, Folder
from service.gamelog.store.streams import Store
from service.post.subscriptions import WORDS, Subscription, Subscriptions
from service.signing.deployment import open_deployment
from tests.cli.conftest import SHARDS
from tests.cli.test_doctor import put, running_log
from tests.support.logs import log_of, ndjson, random_log
from tests.support.play import create
from tests.support.servers import running_store
from tests.support.shell import Start, assert_refused, run, succeed
from tests.support.waiting import patience, wait_until
from tests.support.words import find_words
from tests.support.world import new_log

SUBSCRIPTION: Final[dict[str, Any]] = {
    "email": "bert@example.org",
    "is_confirmed": True,
    "webhook": None,
    "on": frozenset(WORDS),
    "language": "en",
    "while_watching": True,
    "nonce": "n",
}


def test_games_are_found(store: Store, address: str) -> None:
    """By name, status and time, a line each; as JSON with the contract's members."""
    running, over = put(store, running_log("found")), put(store, random_log(2, "over"))
    put(store, log_of([decide(replace(create(2, "named"), name="Stammtisch Nr. 4"), Game())]))
    assert "  playing   Stammtisch Nr. 4  0 player 0, 1 " in succeed("games", REIBACH_REDIS_URL=address).stdout
    delete_game(store, "game-named")
    for seat, status in ((0, "delivered"), (1, "dead"), (2, "refused")):
        line = {"channel": "email", "status": status, "error": "550 no such user"}
        store.client.lpush(store.deliveries(running, seat), json.dumps(line))

    def found(*options: str) -> list[str]:
        return sorted(
            line.split()[0] for line in succeed("games", *options, REIBACH_REDIS_URL=address).stdout.splitlines()
        )

    assert found() == sorted([running, over])
    assert found("--status", "over") == found("--player", "PLAYER 1", "--status", "over", "--idle", "2") == [over]
    assert found("--player", "nobody") == found("--address", "anna@example.org") == []
    Subscriptions(store).save(running, 1, Subscription(**SUBSCRIPTION))
    told = succeed("games", "--address", "Bert@example.org", REIBACH_REDIS_URL=address).stdout
    assert (told.split()[0], told.count("\n")) == (running, 1)
    assert "  address of seat 1 (player 1)" in told
    lines = succeed("games", "--json", REIBACH_REDIS_URL=address).stdout.splitlines()
    [one] = [game for game in map(json.loads, lines) if game["id"] == running]
    assert list(one) == ["id", "name", "seats", "status", "waits_for", "since", "trouble"]
    assert one["waits_for"] in one["seats"] == ["player 0", "player 1", "player 2"]
    assert one["trouble"] == [
        f"seat {seat} email {word}: 550 no such user" for seat, word in ((1, "dead"), (2, "refused"))
    ]
    assert "550 no such user" in succeed("games", "--player", "player 2", REIBACH_REDIS_URL=address).stdout
    games = new_log(store)
    games.handle(running, Resign(seat=games.load(running).game.turn_seat))
    assert "waits for bot" in succeed("games", "--status", "playing", REIBACH_REDIS_URL=address).stdout


def test_a_person_is_forgotten_and_a_game_deleted(store: Store, address: str, tmp_path: Path) -> None:
    """Each asks first, and says what still holds it; an erased game that runs is exported, deleted, taken in again."""
    game = put(store, running_log("forgotten"))
    for arguments in (("forget", game, "1"), ("delete", game)):
        asked = run(*arguments, REIBACH_REDIS_URL=address)
        assert (asked.returncode, "of seat 1 (player 1) of" in asked.stderr) == (1, "forget" in arguments)
        assert GameReader(store).load(game).game.seats[1].name == "player 1"
    told = succeed("forget", game, "1", "--yes", REIBACH_REDIS_URL=address).stdout
    assert f"1 event of {game} erased, 0 in copies. The seat's token is revoked." in told
    assert "Backups and exports made before now still hold it" in told
    assert "has rewritten its append-only file" in told
    assert "0 events of" in succeed("forget", game, "1", "--yes", REIBACH_REDIS_URL=address).stdout
    assert "waits for" in succeed("games", "--player", "#2", REIBACH_REDIS_URL=address).stdout
    assert run("export", game, "--running", "--to", tmp_path, REIBACH_REDIS_URL=address).returncode == 0
    [file] = tmp_path.iterdir()
    assert b'"name":null' in (exported := file.read_bytes())
    assert b"player 1" not in exported
    assert b"digest" in exported
    succeed("audit", file)
    assert "deleted" in succeed("delete", game, "--yes", REIBACH_REDIS_URL=address).stdout
    assert not list(store.client.scan_iter(match=f"*:head:{game}"))
    assert f"{game} seat 1 (#2): " in run("import", "--running", file, REIBACH_REDIS_URL=address).stderr
    file.unlink()
    assert run("export", game, "--running", "--to", tmp_path, REIBACH_REDIS_URL=address).returncode == 0
    assert file.read_bytes() == exported


def test_a_game_from_before_salts_is_asked_about_again(store: Store, address: str) -> None:
    """Its proof ends: `--yes` doesn't say that it may; the audit names the first erased event, and says why."""
    game = put(store, log_of([decide(create(2, "old"), Game())]))
    asked = run("forget", game, "1", "--yes", REIBACH_REDIS_URL=address)
    assert asked.returncode == 1
    assert "its proof, and that of its forks, ends" in asked.stdout
    assert GameReader(store).load(game).game.seats[1].name == "player 1"
    assert "1 event of" in succeed("forget", game, "1", "--end-proof", REIBACH_REDIS_URL=address).stdout
    assert "0 events of" in succeed("forget", game, "1", "--yes", REIBACH_REDIS_URL=address).stdout
    log = GameReader(store).load_history(game).events
    assert log[2]["data"] == {"seat": 1, "name": None, "bot": None, "entropy": "share 1", "erased": True}
    chain = audit(log, open_cards=True).checks[0]
    assert (chain.ok, chain.version) == (False, 3)


def test_what_is_not_there_is_neither_deleted_nor_forgotten(store: Store, address: str) -> None:
    game = put(store, running_log("kept"))
    for arguments, told in (
        (("delete", game, "no id"), "no id is no id of a game; nothing was deleted"),
        (("forget", "nothing", "0"), "the store has no game nothing"),
        (("forget", game, "4"), f"this seat of game {game}; taken are: 0 (player 0), 1 (player 1), 2 ("),
    ):
        assert_refused(run(*arguments, "--yes", REIBACH_REDIS_URL=address), 1, told)
    assert GameReader(store).load(game).game.seats[0].name == "player 0"


def archived(store: Store, address: str, folder: Path) -> tuple[str, dict[str, str]]:
    """A finished game whose archive is a file, and the settings of commands that find it."""
    settings = {"REIBACH_REDIS_URL": address, "REIBACH_ARCHIVE": "files", "REIBACH_ARCHIVE_FILES": str(folder)}
    game = put(store, random_log(2, "file"))
    succeed("archive", "--now", **settings)
    return game, settings


COMMANDS = {"forget": ("1",), "delete": ()}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_archive_file_keeps_the_words(store: Store, address: str, tmp_path: Path, command: str) -> None:
    """Not one that a killed process left when it archived again, nor one from before archives went to the store."""
    game, settings = archived(store, address, tmp_path)
    [first] = tmp_path.glob("game-*")
    words = first.read_bytes()
    whole = Store(store.client, SHARDS, patience(3), files=Folder(tmp_path))
    new_log(whole).handle(game, PostMessage(seat=1, text="Zwiebelkuchen", salt="00" * 16))
    for place in ("files", "store"):
        succeed("archive", "--now", **settings | {"REIBACH_ARCHIVE": place})
    first.write_bytes(words)
    (tmp_path / "unfinished" / f"{first.name}.0123456789abcdef").write_bytes(words)
    other = put(store, random_log(2, "file-1"))
    succeed("archive", "--now", **settings)
    for _ in range(2):
        succeed(command, game, *COMMANDS[command], "--yes", **settings)
        files = [path.name for path in tmp_path.rglob(f"{game}-*") if not path.name.startswith(other)]
        assert find_words(store.client, tmp_path, "Zwiebelkuchen") == files == []
    assert store.place(other)
    succeed("export", other, **settings)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_refused_or_killed_is_finished_by_a_repeat(
    store: Store, address: str, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place of archives that fails once, and a kill right after the script: each call says what it has left."""
    game, settings = archived(store, address, tmp_path)
    argv, begun = (command, game, *COMMANDS[command], "--yes"), []
    monkeypatch.setattr(erasure, "_begin_rewrite", begun.append)
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "names", refuse)
        told = run(*argv, **settings)
    assert (told.returncode, len(begun)) == (1, 1)
    assert "run the command again" in told.stderr
    assert len([*tmp_path.glob(f"{game}-*")]) == 1
    assert run(*argv, **settings).returncode == 0
    assert [*tmp_path.glob(f"{game}-*")] == []
    assert len(begun) == 2


def refuse(*_: object) -> None:
    raise ArchiveFilesUnavailable("the archive files can't be reached (503)")


def test_a_deletion_goes_on(store: Store, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the next game, when one is gone or fails; a game that is gone is no error."""
    games = [put(store, random_log(2, f"on-{number}")) for number in range(2)]
    delete_game(store, games[0])
    begun: list[object] = []
    monkeypatch.setattr(erasure, "_begin_rewrite", begun.append)
    told = succeed("delete", *games, "--yes", REIBACH_REDIS_URL=address).stdout
    assert f"{games[0]} isn't in the store; nothing of it is left." in told
    assert f"{games[1]} is deleted." in told
    assert store.ids() == []
    assert len(begun) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_the_append_only_file_is_rewritten(tmp_path: Path, command: str) -> None:
    """By a store that was started for the command, too: that one ends only afterwards."""
    settings = {"REIBACH_DATA": str(tmp_path / "data")}
    with running_store(tmp_path / "data") as running, closing(connect(running.url)) as client:
        open_deployment(client, SHARDS, "")
        game = put(Store(client, SHARDS, patience(3)), running_log("rewritten"))
    log = tmp_path / "data" / "appendonlydir"
    assert any(b"player 1" in path.read_bytes() for path in log.iterdir())
    succeed(command, game, *COMMANDS[command], "--yes", **settings)
    assert not any(b"player 1" in path.read_bytes() for path in log.iterdir())


@pytest.mark.nightly
@pytest.mark.parametrize("keys_file", [True, False])
def test_a_restored_store_names_who_must_be_forgotten_again(tmp_path: Path, keys_file: bool, start: Start) -> None:
    """By a list beside it, which only its owner may read, without a word; `serve` names them, too, until it is done."""
    settings = {"REIBACH_DATA": str(tmp_path / "data"), "REIBACH_PORT": "0"}
    settings |= {"REIBACH_KEYS_FILE": str(tmp_path / "keys")} if keys_file else {}
    with running_store(tmp_path / "data") as running, closing(connect(running.url)) as client:
        open_deployment(client, SHARDS, settings.get("REIBACH_KEYS_FILE", ""))
        game, other = (put(Store(client, SHARDS, patience(3)), running_log(name)) for name in ("restored", "other"))
    succeed("forget", other, "2", "--yes", **settings)
    succeed("backup", tmp_path / "backup", **settings)
    for name, seat in ((game, 1), (game, 0), (other, 2)):
        assert "replaced-" not in succeed("forget", name, seat, "--yes", **settings).stdout
    path = tmp_path / "keys.forgotten" if keys_file else tmp_path / "data" / "forgotten"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [line.split()[:2] for line in path.read_text().splitlines()] == [[game, "1"], [game, "0"], [other, "2"]]
    told = succeed("restore", tmp_path / "backup", "--replace", **settings).stdout
    again = [f"Run `reibach forget {name}` again." for name in (f"{game} 1", f"{game} 0", f"{other} 2")]
    assert [line for line in told.splitlines() if line.startswith("Run")] == again
    assert "revoked tokens, which are valid again" in told
    replaced, draft = next((tmp_path / "data").glob("replaced-*")), tmp_path / "data" / "restoring"
    draft.mkdir()
    told = succeed("forget", game, "0", "--yes", **settings).stdout
    assert [path for path in (replaced, draft) if f"{path} may hold it: delete it." in told] == [replaced, draft]
    service = start("serve", **settings)
    assert service.stdout
    service.stdout.readline()
    wait_until(lambda: "`reibach forget" in (tmp_path / "errors").read_text(), 20)
    assert f"`reibach forget {game} 1`" in (tmp_path / "errors").read_text()
    assert f"`reibach forget {game} 0`" not in (tmp_path / "errors").read_text()
    os.killpg(service.pid, signal.SIGTERM)
    service.wait(patience(20))


def test_the_list_of_forgotten_persons_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest stay; a person that is forgotten again has one line, and a list that can't be written is told of."""
    monkeypatch.setattr(forgotten, "_MOST", 3)
    settings = Settings(data=tmp_path)
    for number in (1, 2, 3, 4, 2, 5):
        forgotten.note_forgotten(settings, f"g{number}", 0, number)
    assert (tmp_path / "forgotten").read_text() == "g4 0 4\ng2 0 2\ng5 0 5\n"
    assert [path.name for path in tmp_path.iterdir()] == ["forgotten"]
    (tmp_path / "forgotten").write_text("torn")
    forgotten.note_forgotten(settings, "g6", 0, 6)
    forgotten.note_forgotten(Settings(data=tmp_path / "none"), "g6", 0, 6)
    assert (tmp_path / "forgotten").read_text() == "torn"


def test_an_import_names_who_must_be_forgotten_again(store: Store, address: str, tmp_path: Path) -> None:
    """Of a file with the words; it is refused where the store has the same log without them."""
    settings = {"REIBACH_REDIS_URL": address, "REIBACH_DATA": str(tmp_path)}
    log, file = random_log(2, "back"), tmp_path / "back.ndjson"
    file.write_bytes(ndjson(log))
    game, again = put(store, log), "Run `reibach forget game-back 1` again.\n"
    assert again not in succeed("import", file, **settings).stdout
    succeed("forget", game, "1", "--yes", **settings)
    assert_refused(run("import", file, **settings), 1, f"the store has another log of the game {game}")
    succeed("delete", game, "--yes", **settings)
    assert succeed("import", file, **settings).stdout.endswith(f"imported, {len(log)} events\n{again}")
    succeed("forget", game, "1", "--yes", **settings)
    assert again not in run("import", file, **settings).stdout


def test_a_person_without_words_is_forgotten(store: Store, address: str) -> None:
    """Who has come to the seat after the first call, with its new token: token, address and devices go all the same."""
    game = put(store, running_log("again"))
    kept, key = Subscriptions(store), store.keys(game).head
    for number in (1, 2):
        generation = number - 1
        kept.save(game, 1, Subscription(**SUBSCRIPTION, generation=generation))
        told = succeed("forget", game, "1", "--yes", REIBACH_REDIS_URL=address).stdout
        assert f"{2 - number} event" in told
        assert store.client.hget(key, "token:1") == str(number).encode()
        assert kept.load(game) == {}

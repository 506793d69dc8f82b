"""`reibach games`, `reibach delete` and `reibach forget` on a store that isn't served."""

import json
from dataclasses import replace
from pathlib import Path

from domain.audit.checks import audit
from domain.decide import decide
from domain.state import Game
from service.gamelog.erasing import delete_game
from service.gamelog.reader import GameReader
from service.gamelog.store.streams import Store
from tests.cli.test_doctor import put, running_log
from tests.support.logs import log_of, random_log
from tests.support.play import create
from tests.support.shell import assert_refused, run, succeed


def test_games_are_found(store: Store, address: str) -> None:
    """By name, status and time, a line each; as JSON with the contract's members."""
    running, over = put(store, running_log("found")), put(store, random_log(2, "over"))
    put(store, log_of([decide(replace(create(2, "named"), name="Stammtisch Nr. 4"), Game())]))
    assert "  playing   Stammtisch Nr. 4  player 0, " in succeed("games", REIBACH_REDIS_URL=address).stdout
    delete_game(store, "game-named")
    store.client.lpush(
        store.deliveries(running, 1), json.dumps({"channel": "email", "status": "dead", "error": "550 no such user"})
    )

    def found(*options: str) -> list[str]:
        return sorted(
            line.split()[0] for line in succeed("games", *options, REIBACH_REDIS_URL=address).stdout.splitlines()
        )

    assert found() == sorted([running, over])
    assert found("--status", "over") == found("--player", "PLAYER 1", "--status", "over", "--idle", "2") == [over]
    assert found("--player", "nobody") == []
    lines = succeed("games", "--json", REIBACH_REDIS_URL=address).stdout.splitlines()
    [one] = [game for game in map(json.loads, lines) if game["id"] == running]
    assert list(one) == ["id", "name", "seats", "status", "waits_for", "since", "trouble"]
    assert one["waits_for"] in one["seats"] == ["player 0", "player 1", "player 2"]
    assert one["trouble"] == ["seat 1 email dead: 550 no such user"]
    assert "550 no such user" in succeed("games", "--player", "player 2", REIBACH_REDIS_URL=address).stdout


def test_a_person_is_forgotten_and_a_game_deleted(store: Store, address: str, tmp_path: Path) -> None:
    """Each asks first, and says what still holds it; an erased game that runs is exported, deleted, taken in again."""
    game = put(store, running_log("forgotten"))
    for arguments in (("forget", game, "1"), ("delete", game)):
        assert run(*arguments, REIBACH_REDIS_URL=address).returncode == 1
        assert GameReader(store).load(game).game.seats[1].name == "player 1"
    told = succeed("forget", game, "1", "--yes", REIBACH_REDIS_URL=address).stdout
    assert f"1 event of {game} erased, 0 in copies. The seat's token is revoked." in told
    assert "Backups and exports made before now still hold it" in told
    assert "rewrites its append-only file" in told
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
        (("delete", game, "nothing"), "the store has no game nothing; nothing was deleted"),
        (("forget", "nothing", "0"), "the store has no game nothing"),
        (("forget", game, "4"), "no person has taken this seat"),
    ):
        assert_refused(run(*arguments, "--yes", REIBACH_REDIS_URL=address), 1, told)
    assert GameReader(store).load(game).game.seats[0].name == "player 0"

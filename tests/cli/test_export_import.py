"""`reibach export` and `import`: games move from store to store, byte for byte, or not at all."""

import codecs
import json
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
import redis

from config.settings import Settings
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import open_deployment
from service.signing.tokens import Tokens
from tests.cli.conftest import SHARDS
from tests.conftest import Service
from tests.faults.served import served
from tests.gamelog.ledger import finish
from tests.oracle.play import rechain
from tests.support.client import Api, Table
from tests.support.in_process import api_over, log_over
from tests.support.logs import ndjson
from tests.support.shell import COMMAND, ROOT, Run, assert_refused, environment, raw, run, succeed
from tests.support.waiting import patience, wait_until

NDJSON = {"Accept": "application/x-ndjson"}
ONE = {"REIBACH_WEB_PROCESSES": "1"}
PLACES = ("", "/scores", "/recap", "/replay", "/audit", "/events", "/events?after=17&limit=40", "/receipt")


def play(api: Api, table: Table, seed: str, turns: int = 10_000) -> None:
    """Random actions of the seats with tokens until the game is over, or so many have been taken."""
    chance = Random(seed)
    for _ in range(turns):
        wait_until(lambda: waits_for_a_person(api, table))
        view = api.view(table)
        if view["status"] == "over":
            return
        seat = view["turn"]["seat"]
        assert api.act(table, seat, chance.choice(api.legal_actions(table, seat))).status_code == 201


def waits_for_a_person(api: Api, table: Table) -> bool:
    """Whether no worker is due: the game is over, or a seat with a token is on turn."""
    view = api.view(table)
    return view["status"] == "over" or (view["status"] == "playing" and view["turn"]["seat"] in table.tokens)


@pytest.fixture(scope="module")
def running(api: Api) -> Table:
    table = api.create([{"name": "Anna"}, {"bot": "greedy"}])
    play(api, table, "running", 12)
    wait_until(lambda: waits_for_a_person(api, table))
    return table


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def changed(lines: bytes, change: Callable[[list[dict[str, Any]]], object]) -> bytes:
    events = [json.loads(line) for line in lines.split(b"\n")[:-1]]
    change(events)
    return ndjson(events)


def forged(lines: bytes, change: Callable[[list[dict[str, Any]]], object]) -> bytes:
    """The same, with all hashes worked out anew from the published seed."""
    events = [json.loads(line) for line in changed(lines, change).split(b"\n")[:-1]]
    return ndjson(rechain(events))


def holds_nothing(settings: dict[str, str]) -> bool:
    """Whether the store has no game, not even a part of one."""
    with redis.Redis.from_url(settings["REIBACH_REDIS_URL"]) as client:
        return not [key for key in client.scan_iter() if not key.startswith(b"reibach:")]


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, Path]]:
    """A client of a second service with workers, and the service's folder."""
    data = tmp_path_factory.mktemp("second") / "games"
    with (
        served([*COMMAND, "serve"], data, **ONE) as there,
        httpx.Client(base_url=there.url, timeout=patience(35)) as http,
    ):
        wait_until(lambda: http.get("/readyz").status_code == 200, 20)
        yield Api(http), data


@contextmanager
def elsewhere(settings: dict[str, str]) -> Iterator[Api]:
    """A client of a second service, in this process and without workers, over the store of the settings."""
    address = settings["REIBACH_REDIS_URL"]
    with redis.Redis.from_url(address) as client:
        deployment = open_deployment(client, SHARDS, "")
    with api_over(address, deployment) as api:
        yield api


# Export


def test_from_a_store_that_is_served(service: Service, finished: Table, lines: bytes, tmp_path: Path) -> None:
    """The bytes of HTTP, to standard output and into a file; nothing else is left in the folder."""
    ended = raw("export", finished.id, "--data", service.data)
    assert (ended.returncode, ended.stderr, ended.stdout) == (0, b"", lines)
    ended = raw("export", "--to", tmp_path / "a" / "b", finished.id, "--data", service.data)
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert ended.stderr == f"reibach: wrote 1 game to {tmp_path}/a/b\n".encode()
    assert (tmp_path / "a" / "b" / f"{finished.id}.ndjson").read_bytes() == lines
    assert len(list((tmp_path / "a" / "b").iterdir())) == 1


def test_a_running_game(service: Service, running: Table, finished: Table, lines: bytes, tmp_path: Path) -> None:
    """A running game is exported only on request; its file's name says so, and only its owner can read it."""
    assert_refused(run("export", running.id, "--data", service.data), 1, running.id, "--running")
    ended = run("export", running.id, finished.id, "--running", "--to", tmp_path, "--data", service.data)
    assert (ended.returncode, ended.stderr, ended.stdout) == (0, f"reibach: wrote 2 games to {tmp_path}\n", "")
    file = tmp_path / f"{running.id}.running.ndjson"
    assert sorted(tmp_path.iterdir()) == sorted([file, tmp_path / f"{finished.id}.ndjson"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    first, *_ = file.read_bytes().split(b"\n")
    assert json.loads(first)["data"]["server_seed"]


def test_all_games(service: Service, running: Table, finished: Table, lines: bytes, tmp_path: Path) -> None:
    """Every finished game; how many were written, and how many are running, is said."""
    ended = run("export", "--all", "--to", tmp_path, "--data", service.data)
    count = len([*tmp_path.iterdir()])
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith(f"reibach: wrote {count} game{'s' * (count != 1)} to {tmp_path}; ")
    assert "still running and left out" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert (tmp_path / f"{finished.id}.ndjson").read_bytes() == lines
    assert not list(tmp_path.glob(f"{running.id}*"))


@pytest.mark.parametrize("game", ["nosuchgame", "../../etc/passwd", "a\nb", "*"])
def test_no_such_game(service: Service, finished: Table, lines: bytes, game: str) -> None:
    """One line on standard error; the other games are still exported."""
    ended = raw("export", game, finished.id, "--data", service.data)
    assert (ended.returncode, ended.stdout) == (1, lines)
    assert ended.stderr.endswith(b": no such game\n")
    assert ended.stderr.count(b"\n") == 1


def test_wrong_use(tmp_path: Path, service: Service, finished: Table, file: Path) -> None:
    """Nothing named, or both; no folder to write to; no store."""
    assert_refused(run("export"), 2, "--all")
    assert_refused(run("export", "--all", "x"), 2, "--all")
    assert_refused(run("export", finished.id, "--to", file, "--data", service.data), 1, str(file))
    (tmp_path / "taken" / f"{finished.id}.ndjson").mkdir(parents=True)
    assert_refused(run("export", finished.id, "--to", tmp_path / "taken", "--data", service.data), 1, "can't write")
    assert len(list((tmp_path / "taken").iterdir())) == 1
    assert_refused(run("export", "--all", "--data", tmp_path / "nowhere"), 1, "nowhere")
    assert_refused(run("import", file, "--data", file), 1, str(file))
    assert_refused(run("import"), 2)


@pytest.mark.nightly
def test_a_closed_pipe(run_without_reader: Run, service: Service, finished: Table) -> None:
    ended = run_without_reader("export", *[finished.id] * 2, "--data", service.data)
    assert (ended.returncode, ended.stderr) == (0, b"")


# Import


def test_into_a_new_folder(tmp_path: Path, file: Path, lines: bytes) -> None:
    folder = tmp_path / "new" / "games"
    assert run("import", file, "--data", folder).returncode == 0
    assert raw("export", "--all", "--data", folder).stdout == lines
    assert_refused(run("export", "--all", "--data", tmp_path / "nowhere"), 1, "there is no store in")


def test_every_endpoint_answers_the_same(empty: dict[str, str], api: Api, finished: Table, file: Path) -> None:
    """To a spectator; only the receipts are signed with another key. Tokens of the other service are invalid here."""
    assert run("import", file, **empty).returncode == 0
    with elsewhere(empty) as there:
        versions = range(1, api.version(finished) + 1, 9)
        for place in (*PLACES, *(f"?at={version}" for version in versions)):
            ours, theirs = api.get(finished.path + place), there.get(finished.path + place)
            assert ours.status_code == theirs.status_code == 200
            if place == "/receipt":
                assert [ours.json()[name] == theirs.json()[name] for name in ("version", "hash", "key")] == [1, 1, 0]
            else:
                assert ours.content == theirs.content, place
        for form in ("application/x-ndjson", "text/event-stream"):
            ours, theirs = (one.get(f"{finished.path}/events", headers={"Accept": form}) for one in (api, there))
            assert ours.content == theirs.content
        for form in ("text/csv", "text/html"):
            ours, theirs = (one.get(f"{finished.path}/scores", headers={"Accept": form}) for one in (api, there))
            assert ours.content == theirs.content
        assert there.get(finished.path, finished.tokens[0]).status_code == 401
        assert there.get(f"{finished.path}/audit").json()["ok"]


def test_unreadable_files(empty: dict[str, str], tmp_path: Path, file: Path) -> None:
    """Exit code 2 and one line; the other file is still imported."""
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "nowhere", write(tmp_path / "nothing", b""), write(tmp_path / "x", b"\xff\n")):
        assert_refused(run("import", path, **empty), 2, path.name)
    assert_refused(run("import", tmp_path / "folder", **empty), 2, "no files *.ndjson", "folder")
    ended = run("import", tmp_path / "nowhere", file, **empty)
    assert ended.returncode == 2
    assert "imported" in ended.stdout
    assert ended.stderr.count("\n") == 1


def test_a_redacted_log(empty: dict[str, str], tmp_path: Path, api: Api, running: Table) -> None:
    for token in (None, running.tokens[0]):
        content = api.get(f"{running.path}/events", token, headers=NDJSON).content
        assert_refused(run("import", "--running", write(tmp_path / "game", content), **empty), 1, "redacted")
        assert holds_nothing(empty)


def test_an_imported_running_game_is_played_on(
    service: Service, api: Api, second: tuple[Api, Path], tmp_path: Path
) -> None:
    """It is played on with tokens of the importing service, from a bot's turn to the end, and the audit passes.

    The same holds for a game that still waits for a player.
    """
    table = api.create([{"name": "Anna"}, {"bot": "greedy"}, {"name": "Bert"}], starting_seat=0)
    play(api, table, "moves house", 20)
    exported = raw("export", "--running", table.id, "--data", service.data).stdout
    whole = [json.loads(line) for line in exported.splitlines()]
    bots_turn = max(e["version"] for e in whole if e["type"] == "TurnStarted" and e["data"]["seat"] == 1)
    file = write(tmp_path / "running", ndjson(whole[:bots_turn]))
    waiting = api.create([{"name": "Anna"}, {}])
    opened = raw("export", "--running", waiting.id, "--data", service.data).stdout
    there, data = second[0], ("--data", second[1])
    assert run("import", "--running", write(tmp_path / "open", opened), *data).returncode == 0
    assert_refused(run("import", file, *data), 1, "--running")
    ended = run("import", "--running", file, *data)
    assert ended.returncode == 0, ended.stderr
    tokens = dict(zip((0, 2), [line.rpartition(" ")[2] for line in ended.stderr.splitlines()], strict=True))
    assert there.join(waiting, "Carla") == 1
    assert there.view(waiting)["status"] == "playing"
    moved = Table(table.id, tokens, {})
    play(there, moved, "goes on", 10)
    wait_until(lambda: waits_for_a_person(there, moved))
    with log_over(EmbeddedStore(second[1]).url, Settings().shards) as log:
        finish(log, moved.id)
    assert there.view(moved)["status"] == "over"
    assert there.get(f"{moved.path}/audit").json()["ok"]
    assert there.get(moved.path, table.tokens[0]).status_code == 401
    text = there.get(f"{moved.path}/events", headers=NDJSON).content
    again = run("import", "--running", file, *data)
    assert again.returncode == 0
    assert "has gone on" in again.stdout
    assert again.stderr == ended.stderr
    assert raw("export", table.id, *data).stdout == text


def test_no_token_comes_back(service: Service, running: Table, empty: dict[str, str], tmp_path: Path) -> None:
    """Of a deployment to which the game returns neither its first tokens nor those of an earlier import are valid."""
    file = write(tmp_path / "running", raw("export", "--running", running.id, "--data", service.data).stdout)
    issued = []
    for _ in range(2):
        with redis.Redis.from_url(empty["REIBACH_REDIS_URL"]) as client:
            client.delete(*client.scan_iter(f"*:{running.id}"), "nothing")
        issued.append(run("import", "--running", file, **empty).stderr.split()[-1])
    with elsewhere(empty) as there, redis.Redis.from_url(empty["REIBACH_REDIS_URL"]) as client:
        first = Tokens(open_deployment(client, SHARDS, "").token_secrets).issue(running.id, 0)
        statuses = [there.get(running.path, token).status_code for token in (first, *issued)]
    assert statuses == [401, 401, 200]


def test_a_running_game_with_a_forged_deal(
    service: Service, running: Table, empty: dict[str, str], tmp_path: Path
) -> None:
    """An import compares seed and shuffle before the game is over, as the export holds the seed."""
    exported = raw("export", "--running", running.id, "--data", service.data).stdout
    seed = write(tmp_path / "seed", forged(exported, lambda log: log[0]["data"].update(commitment="0" * 64)))
    assert_refused(run("import", "--running", seed, **empty), 1, "commitment fails at version 1")

    def swap(log: list[dict[str, Any]]) -> None:
        dealt = next(event["data"] for event in log if event["type"] == "GameStarted")
        dealt["draw_pile"][-2:] = ["reibach", "gold"] if dealt["draw_pile"][-2] != "reibach" else ["gold", "reibach"]

    pile = write(tmp_path / "pile", forged(exported, swap))
    assert_refused(run("import", "--running", pile, **empty), 1, "shuffle fails at version")
    assert holds_nothing(empty)


@pytest.mark.nightly
def test_killed_while_importing(empty: dict[str, str], file: Path, lines: bytes) -> None:
    """Killed after ever longer times, until it succeeds: the store has the whole game or nothing of it."""
    patience, through = 0.3, False
    while not through:
        with redis.Redis.from_url(empty["REIBACH_REDIS_URL"]) as client:
            client.flushall()
        command = [*COMMAND, "import", str(file)]
        with subprocess.Popen(command, cwd=ROOT, env=environment(**empty), stdout=subprocess.DEVNULL) as process:
            try:
                through = process.wait(patience) == 0
            except subprocess.TimeoutExpired:
                process.kill()
        if through or not holds_nothing(empty):
            assert raw("export", "--all", **empty).stdout == lines
        patience *= 1.2


def test_a_key_of_another_kind(empty: dict[str, str], file: Path, finished: Table) -> None:
    """A store with a key of another kind under the game's name: one line, and the key stays."""
    assert run("import", file, **empty).returncode == 0
    with redis.Redis.from_url(empty["REIBACH_REDIS_URL"]) as client:
        stream = next(key for key in client.scan_iter(match=f"*:game:{finished.id}"))
        client.set(stream, "something else")
        assert_refused(run("import", file, **empty), 1, "something else")
        assert client.get(stream) == b"something else"
    assert_refused(run("export", finished.id, **empty), 1, "damaged at version 1")


# Imports of changed logs: messages anywhere pass, what no service writes is refused.


LATE_SEAT = 1  # of the fixture `finished`: the person who took a seat after the creation


def talk_in(log: list[dict[str, Any]]) -> None:
    """Put a message after every request: seats taken late, actions, scoring rounds begun and done, the end."""
    whole = list(log)
    log.clear()
    for event, following in zip(whole, [*whole[1:], {"type": "", "at": None}], strict=True):
        log.append(event)
        # Two requests may be of one millisecond; whatever follows these is a request of its own.
        late = following["type"] == "PlayerJoined" and following["data"]["seat"] == LATE_SEAT
        if event["at"] != following["at"] or event["type"] in {"TurnStarted", "ScoringStarted"} or late:
            data = {"seat": 0, "text": "well\n\u2028\x00\U0001f3b2", "salt": "0f" * 16}
            log.append({"version": 0, "type": "MessagePosted", "at": event["at"], "data": data, "hash": ""})
    for version, event in enumerate(log, 1):
        event["version"] = version


def test_a_game_with_messages(empty: dict[str, str], tmp_path: Path, lines: bytes) -> None:
    """Messages at any place, after the end too, are exported again with the same bytes."""
    talking = forged(lines, talk_in)
    kinds = [json.loads(line)["type"] for line in talking.splitlines()]
    for before, after in (("ScoringStarted", "RoundScored"), ("PlayerJoined", "PlayerJoined"), ("TurnStarted", "")):
        at = next(at for at in range(len(kinds)) if kinds[at : at + 2] == [before, "MessagePosted"])
        assert kinds[at + 2] == after or not after
    assert kinds[-2:] == ["GameEnded", "MessagePosted"]
    succeed("import", write(tmp_path / "talk", talking), **empty)
    assert raw("export", "--all", **empty).stdout == talking


LATER = "2999-01-01T00:00:00.000Z"
EARLIER = "1969-12-31T23:59:59.999Z"


def forging(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[bytes], bytes]:
    return lambda lines: forged(lines, change)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (forging(lambda log: log[0]["data"].update(game="../escaped")), "version 1"),
        (forging(lambda log: log[0]["data"].update(game="x" * 65)), "version 1"),
        (forging(lambda log: log[1]["data"].update(name="x" * 41)), "version 2"),
        (forging(lambda log: [event.update(at=LATER) for event in log]), "future"),
        (forging(lambda log: [event.update(at=EARLIER) for event in log]), "version 1"),
        (forging(lambda log: log[-1]["data"].update(more=1)), "fails at version"),
        (forging(lambda log: log.append(log[-1] | {"version": len(log) + 1, "type": "WeatherChanged"})), "Weather"),
        (lambda lines: lines.replace(b',"', b', "', 1), "line 1 "),
        (lambda lines: lines[:-1], "last line"),
        (lambda lines: lines[: len(lines) // 2], "is not as an export"),
        (lambda lines: b'{"a":' * 100_000 + lines, "line 1 "),
        (lambda lines: codecs.BOM_UTF8 + lines, "line 1 "),
        (lambda lines: lines + b" " * (64 << 20), "larger"),
    ],
)
def test_what_no_export_has_written_is_refused(
    empty: dict[str, str], tmp_path: Path, lines: bytes, change: Callable[[bytes], bytes], word: str
) -> None:
    """Texts that the API refuses, with valid hashes, and other bytes of the same log, as by `audit`."""
    assert_refused(run("import", write(tmp_path / "changed", change(lines)), **empty), 1, word)
    assert holds_nothing(empty)

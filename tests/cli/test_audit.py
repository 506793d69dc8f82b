"""`reibach audit` at a shell: files without a service, receipts and keys."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from domain.events import EventRecord
from service.signing.deployment import Deployment
from service.signing.receipts import Receipts
from tests.conftest import Service
from tests.domain.audit.erasures import FORGED, LAST, SHORTENED, TRUE
from tests.oracle.answers import events_as_seen
from tests.oracle.play import rechain
from tests.support import shell
from tests.support.client import Api
from tests.support.forks import copy_of
from tests.support.logs import ndjson, random_log
from tests.support.shell import Ended
from tests.support.waiting import patience

LOG = random_log(3, "carried away")
OLD = Deployment.new(1)
NEW = OLD.with_new_key()


def run(*argv: object) -> Ended:
    return shell.run("audit", *argv)


def succeed(*argv: object) -> Ended:
    return shell.succeed("audit", *argv)


def write(folder: Path, events: list[Any], name: str = "game.ndjson") -> Path:
    path = folder / name
    path.write_bytes(ndjson(events))
    return path


def save(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def receipt_for(version: int, deployment: Deployment = OLD) -> dict[str, Any]:
    return Receipts(deployment.signing_keys).sign(LOG[0]["data"]["game"], version, LOG[version - 1]["hash"])


def assert_fails(ended: Ended, version: int, name: str = "") -> None:
    """Exit code 1; the version is in the output, and in the one line on standard error."""
    assert ended.returncode == 1, (ended.stdout, ended.stderr)
    assert re.search(rf"^{name}.*failed at version {version}\b", ended.stdout, re.MULTILINE), ended.stdout
    assert re.fullmatch(rf"reibach: .* fails at version {version}\n", ended.stderr), ended.stderr


def assert_unreadable(ended: Ended, word: str) -> None:
    """Exit code 2, nothing else said, one line."""
    assert (ended.returncode, ended.stdout) == (2, ""), ended.stdout
    assert word in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert len([line for line in ended.stderr.splitlines() if not re.match(r"Usage: |Try '|$", line)]) == 1


def test_a_sound_file(tmp_path: Path) -> None:
    """All checks pass; without a receipt they prove consistency only."""
    ended = succeed(write(tmp_path, LOG))
    assert "consistency only" in ended.stdout
    for name in ("chain", "commitment", "shuffle", "rules", "scoring", "projection"):
        assert re.search(rf"^{name}: ok\b", ended.stdout, re.MULTILINE)
    assert ended.stdout.endswith("\nNo fault found.\n")


def test_a_line_separator_within_an_event(tmp_path: Path) -> None:
    """Unicode's other line separators are part of a text and don't end a line."""
    log = json.loads(json.dumps(LOG))
    data = {"seat": 0, "text": "a\u2028\u0085b", "salt": "0f" * 16}
    said = {"version": len(log) + 1, "type": "MessagePosted", "at": log[-1]["at"], "data": data}
    path = write(tmp_path, rechain([*log, {**said, "hash": ""}]))
    assert "\u2028" in path.read_text("utf-8")
    assert run(path).returncode == 0


def test_erased_words_hide_no_forgery_from_the_receipt_of_the_end(tmp_path: Path) -> None:
    """A log that an operator has erased words from is proved whole; every forged one fails where it was forged."""
    receipts = Receipts(OLD.signing_keys)
    proof = receipts.sign(TRUE[0]["data"]["game"], LAST, TRUE[-1]["hash"])
    options = "--receipt", save(tmp_path, "receipt", proof), "--keys", save(tmp_path, "keys", receipts.public_keys())
    honest = succeed(write(tmp_path, SHORTENED), *options)
    assert "Erased events: 3," in honest.stdout
    assert f"honoured at version {LAST}; its signature is good\nNo fault found.\n" in honest.stdout
    for version, forged in FORGED.values():
        ended = run(write(tmp_path, forged), *options)
        assert ended.returncode == 1
        assert re.search(rf"^chain: failed at version {version}: ", ended.stdout, re.MULTILINE), ended.stdout
        assert "not honoured" in ended.stdout


def test_a_cut_tail(tmp_path: Path) -> None:
    """Without a receipt the report says that the game has no end; a receipt shows the first missing version."""
    ends = [event["version"] for event in LOG[:-1] if event["type"] == "TurnStarted"]
    path = write(tmp_path, LOG[: ends[-1]])
    alone = succeed(path)
    assert "before the game does" in alone.stdout
    assert "consistency only" in alone.stdout
    ended = run(path, "--receipt", save(tmp_path, "receipt", receipt_for(len(LOG))))
    assert_fails(ended, ends[-1] + 1, "receipt")
    assert re.search(rf"\b{len(LOG)}\b", ended.stdout)


def test_a_copy_compared_with_its_parent(tmp_path: Path) -> None:
    parent = write(tmp_path, LOG, "parent.ndjson")
    copy = write(tmp_path, copy_of(LOG, 90), "copy.ndjson")
    alone, both = run(copy), run(copy, "--parent", parent)
    assert (alone.returncode, both.returncode) == (0, 0), both.stderr
    assert "needs its parent's log" in alone.stdout
    assert alone.stdout.endswith("No fault found; what a fork took over needs its parent's log (--parent).\n")
    assert "Events 1 to 90 are those of the parent." in both.stdout
    assert both.stdout.endswith("\nNo fault found.\n")
    later = [event | {"at": event["at"].replace("2026-", "2027-")} for event in copy_of(LOG, 90)]
    forged = write(tmp_path, rechain(later), "forged.ndjson")
    assert run(forged).returncode == 0
    assert_fails(run(forged, "--parent", parent), 1, "rules")


def test_a_parent_that_fails_its_audit(tmp_path: Path) -> None:
    """A parent that fails its own audit is named, with exit code 1; an unreadable one is exit code 2."""
    broken: list[EventRecord] = json.loads(json.dumps(LOG))
    broken[40]["hash"] = "0" * 64
    parent = write(tmp_path, broken, "parent.ndjson")
    ended = run(write(tmp_path, copy_of(LOG, 90)), "--parent", parent)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert re.fullmatch(r"reibach: \S+parent.ndjson, .* chain fails at version 41\n", ended.stderr)
    assert_unreadable(run(write(tmp_path, LOG), "--parent", tmp_path / "nowhere"), "nowhere")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda receipt: receipt,
        lambda receipt: {"applied": 1, "version": 3, "receipt": receipt, "game": {"receipt": {"version": 1}}},
        lambda receipt: {"game": {"id": "x", "receipt": {"version": receipt["version"], "hash": receipt["hash"]}}},
        lambda receipt: {"id": "x", "version": 9, "receipt": {"version": receipt["version"], "hash": receipt["hash"]}},
    ],
    ids=["receipt", "answer", "view in an answer", "view"],
)
def test_files_that_hold_a_receipt(tmp_path: Path, wrap: Callable[[dict[str, Any]], Any]) -> None:
    """A receipt, or any answer that holds one; the report says when no signature was checked."""
    ended = succeed(write(tmp_path, LOG), "--receipt", save(tmp_path, "kept", wrap(receipt_for(57))))
    assert "honoured at version 57" in ended.stdout
    assert re.search("signature was not checked|no signature", ended.stdout)


def test_a_receipt_covers_all_events_before_it(tmp_path: Path) -> None:
    """A log with the receipt's hash, but without the events that lead to it, fails."""
    log = json.loads(json.dumps(LOG))
    taken = next(event for event in log if event["type"] == "CardTaken")
    taken["data"]["card"] = "gold" if taken["data"]["card"] != "gold" else "oil"
    before, after = (receipt_for(taken["version"] + step) for step in (-1, 1))
    path = write(tmp_path, log)
    ended = run(path, "--receipt", save(tmp_path, "after", after))
    assert_fails(ended, taken["version"], "chain")
    assert "after: not honoured" in ended.stdout
    ended = run(path, "--receipt", save(tmp_path, "before", before))
    assert_fails(ended, taken["version"], "chain")
    assert f"before: honoured at version {taken['version'] - 1}" in ended.stdout


def test_a_receipt_of_a_running_game(tmp_path: Path) -> None:
    """Without the seed the events can't be hashed: the report says that the receipt doesn't prove them yet."""
    end = next(event["version"] for event in LOG[40:] if event["type"] == "TurnStarted")
    ended = succeed(
        write(tmp_path, events_as_seen(LOG, None, end)), "--receipt", save(tmp_path, "kept", receipt_for(30))
    )
    assert "honoured" not in ended.stdout
    assert "the log names its hash at version 30" in ended.stdout
    assert "Only the finished game's log can show" in ended.stdout


def test_signatures(tmp_path: Path) -> None:
    """Signatures by listed keys pass, retired keys too; forged ones, another game's and those of unlisted keys fail."""
    log = write(tmp_path, LOG)
    keys = save(tmp_path, "keys", Receipts(NEW.signing_keys).public_keys())
    old, new = (save(tmp_path, f"{n}", receipt_for(9 + n, by)) for n, by in enumerate((OLD, NEW)))
    ended = succeed(log, "--receipt", old, "--receipt", new, "--keys", keys)
    assert ended.stdout.count("its signature is good") == 2
    another = Receipts(OLD.signing_keys).sign("another game", 9, LOG[8]["hash"])
    unknown = receipt_for(9, Deployment.new(1))
    for forged in (another, unknown, receipt_for(9) | {"signature": "AAAA"}, receipt_for(9) | {"signature": 7}):
        assert_fails(run(log, "--receipt", save(tmp_path, "forged", forged), "--keys", keys), 9, "receipt")


@pytest.mark.parametrize("wrap", [lambda receipt: receipt, lambda receipt: {"game": {"receipt": receipt}}])
def test_a_receipt_whose_signature_was_removed(
    tmp_path: Path, wrap: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """With keys given it fails, for else any signature could be got rid of; without keys the output says it."""
    log, keys = write(tmp_path, LOG), save(tmp_path, "keys", Receipts(OLD.signing_keys).public_keys())
    stripped = {name: value for name, value in receipt_for(9).items() if name != "signature"}
    receipt = save(tmp_path, "stripped", wrap(stripped))
    ended = run(log, "--receipt", receipt, "--keys", keys)
    assert_fails(ended, 9, "receipt")
    assert "it has no signature" in ended.stdout
    assert "honoured" not in ended.stdout
    alone = run(log, "--receipt", receipt)
    assert alone.returncode == 0
    assert "honoured at version 9; it has no signature to check" in alone.stdout


@pytest.mark.parametrize(
    ("damage", "version"),
    [
        (lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]], 1),
        (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], 1),
        (lambda lines: [*lines[:-1], lines[-1][:-1]], len(LOG)),
        (lambda lines: [*lines[:1], lines[1].replace(b'"seat":0', b'"seat":-0'), *lines[2:]], 2),
        (lambda lines: [*lines[:1], re.sub(rb'("at":"[^"]*"),(.*)}\n', rb"{\2,\1}\n", lines[1])[1:], *lines[2:]], 2),
        (lambda lines: [*lines[:2], lines[2].replace(b",", b", ", 1), *lines[3:]], 3),
        (lambda lines: [*lines[:3], lines[3].replace(b'"seat"', b'"s\\u0065at"'), *lines[4:]], 4),
        (lambda lines: [*lines[:4], lines[4].replace(b'"version":5', b'"version":5.0'), *lines[5:]], 5),
        (lambda lines: [*lines[:4], lines[4].replace(b'"version":5', b'"version":5e0'), *lines[5:]], 5),
        (lambda lines: [*lines, b"\n"], len(LOG) + 1),
        (lambda lines: [lines[0][:-5] + b"\n", *lines[1:]], 1),
        (lambda lines: [*lines[:16], b"{\xff\n", *lines[17:]], 17),
        (lambda lines: [*lines[:59], b"\n", *lines[60:]], 60),
        (lambda lines: [*lines[:99], lines[99].replace(b'"at"', b'"at":"","at"'), *lines[100:]], 100),
    ],
    ids=[
        *("mark", "CRLF", "no line feed", "-0", "order", "space", "escape", "5.0", "5e0", "empty line"),
        *("cut line", "no text", "emptied line", "doubled name"),
    ],
)
def test_changed_bytes(tmp_path: Path, damage: Callable[[list[bytes]], list[bytes]], version: int) -> None:
    """What no export writes is named by its line, also where it means the same."""
    lines = ndjson(LOG).splitlines(keepends=True)
    path = tmp_path / "game.ndjson"
    path.write_bytes(b"".join(damage(lines)))
    assert path.read_bytes() != ndjson(LOG)
    assert_fails(run(path), version, "chain")
    assert run("--parent", path, write(tmp_path, LOG, "sound.ndjson")).returncode == 1


def test_a_running_game_as_a_spectator_has_it(tmp_path: Path) -> None:
    """Exit code 0 with a list of the checks that can't run yet; the scores are checked."""
    end = next(event["version"] for event in LOG if event["type"] == "RoundScored")
    end = next(event["version"] for event in LOG[end:] if event["type"] == "TurnStarted")
    seen = events_as_seen(LOG, None, end)
    ended = succeed(write(tmp_path, seen), "--receipt", save(tmp_path, "receipt", receipt_for(end)))
    assert ended.stdout.count("not checked, it needs the finished game") == 3
    assert ended.stdout.endswith("No fault found; 3 checks need the finished game.\n")
    scored = next(event for event in seen if event["type"] == "RoundScored")
    scored["data"]["totals"] = [total + 1 for total in scored["data"]["totals"]]
    assert_fails(run(write(tmp_path, seen)), scored["version"], "scoring")


@pytest.mark.parametrize(
    ("content", "word"),
    [(None, "No such file"), (b"", "no events"), (b"\x00\xff" * 99, "no events"), (b"[1, 2]\n7\n", "no events")],
    ids=["missing", "empty", "binary", "no events"],
)
def test_a_file_that_is_no_log(tmp_path: Path, content: bytes | None, word: str) -> None:
    path = tmp_path / "game.ndjson"
    if content is not None:
        path.write_bytes(content)
    assert_unreadable(run(path), word)
    assert_unreadable(run(tmp_path), "directory")


@pytest.mark.parametrize("option", ["--receipt", "--keys"])
@pytest.mark.parametrize("content", ["", "{", "7", "{}", '{"keys": [{"key": "a", "public_key": "?"}]}', "[" * 99999])
def test_malformed_receipts_and_key_lists(tmp_path: Path, option: str, content: str) -> None:
    path = tmp_path / "kept"
    path.write_text(content)
    assert_unreadable(run(write(tmp_path, LOG), option, path), "kept")


@pytest.mark.parametrize("argv", [[], ["--receipt"], ["a", "b"], ["--colour"], ["http://127.0.0.1:1/elsewhere"]])
def test_wrong_use(argv: list[str]) -> None:
    assert_unreadable(run(*argv), "")


class _Answers(BaseHTTPRequestHandler):
    """A service that isn't honest: it redirects, or never ends."""

    target = ""

    def do_GET(self) -> None:
        if self.path != "/v1/games/own" and self.target:
            self.send_response(302)
            self.send_header("Location", self.target)
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for _ in range(80):
                self.wfile.write(b" " * (1 << 20))

    def log_message(self, *_: object) -> None:  # type: ignore[override] # it would write to the test's error stream
        """Nothing."""


@pytest.fixture
def dishonest() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("command", ["audit", "replay"])
def test_a_service_is_not_trusted_with_memory(dishonest: str, command: str) -> None:
    """Of an answer 64 MiB are read, no redirect leads to another host, port or scheme, one within the service does."""
    for target, word in (
        ("", "more than 67108864 bytes"),
        ("/v1/games/own", "more than 67108864 bytes"),
        (f"http://localhost:{dishonest.rpartition(':')[2]}/v1/games/own", "redirects to"),
        ("https://127.0.0.1/v1/games/own", "redirects to"),
        ("ftp://127.0.0.1/own", "redirects to"),
        ("file:///etc/hosts", "answers with status 302"),
    ):
        _Answers.target = target
        assert_unreadable(shell.run(command, f"{dishonest}/v1/games/g"), word)


# Games of a running service.


@dataclass(frozen=True)
class Played:
    """A finished game of the running service, and the receipts that its player kept."""

    url: str
    log: list[EventRecord]
    answers: list[dict[str, Any]]
    keys: Any


@pytest.fixture(scope="module")
def played(service: Service) -> Played:
    import httpx

    with httpx.Client(base_url=service.url, timeout=patience(35)) as http:
        api = Api(http)
        table = api.create([{"name": "Anna", "entropy": "tulip"}, {"bot": "greedy"}])
        answers = [table.answer]
        chance = Random(1)
        while api.view(table)["status"] != "over":
            if legal := api.legal_actions(table, 0):
                answers.append(api.act(table, 0, chance.choice(legal)).json())
        lines = api.get(f"{table.path}/events", headers={"Accept": "application/x-ndjson"}).content
        log = [json.loads(line) for line in lines.split(b"\n") if line]
        return Played(service.url + table.path, log, answers, api.get("/v1/keys").json())


def test_a_game_of_a_running_service(played: Played, tmp_path: Path) -> None:
    """By its API address and by its page's, with every answer that was kept."""
    kept = [save(tmp_path, f"{number}", answer) for number, answer in enumerate(played.answers[:6])]
    receipts = [word for path in kept for word in ("--receipt", str(path))]
    keys = save(tmp_path, "keys", played.keys)
    for url in (played.url, played.url.replace("/v1/games/", "/g/") + "/"):
        ended = succeed(url, *receipts, "--keys", keys)
        assert ended.stdout.count("its signature is good") == len(kept)
        assert "the view and the scores as served follow from the log" in ended.stdout
    copy = write(tmp_path, copy_of(played.log, 9))
    assert "are those of the parent." in succeed(copy, "--parent", played.url).stdout


def test_a_service_that_has_no_such_game(service: Service) -> None:
    """Exit code 2 and one line, as for a service that isn't there."""
    assert_unreadable(run(f"{service.url}/v1/games/nowhere"), "there is no game at")
    assert_unreadable(run("http://127.0.0.1:1/v1/games/nowhere"), "can't be reached")

"""`reibach rotate-keys`: on a store that is served, on one that isn't, and on a keys file."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import open_deployment
from service.signing.verify import public_keys, signature_fault
from tests.cli.conftest import Run
from tests.conftest import Service
from tests.support.client import Api, Table, refused
from tests.support.in_process import api_over
from tests.support.shell import assert_refused, run, succeed
from tests.support.waiting import patience


def keys_of(api: Api) -> Any:
    return api.get("/v1/keys").json()


def a_receipt(api: Api) -> tuple[str, dict[str, Any]]:
    made = api.post("/v1/games", json={"seats": [{}, {}]}).json()
    return made["game"]["id"], made["receipt"]


@contextmanager
def started(data: Path) -> Iterator[Api]:
    """A client of a service in this process, on the embedded store of the folder; the store is stopped afterwards."""
    store = EmbeddedStore(data)
    store.start()
    try:
        with redis.Redis.from_url(store.url) as client:
            deployment = open_deployment(client, 2, "")
        with api_over(store.url, deployment) as api:
            yield api
    finally:
        store.stop()


def test_rotation_on_a_store(tmp_path: Path) -> None:
    """While it is served, then while it isn't: each time the next start signs anew, and old receipts verify."""
    data = tmp_path / "games"
    kept, listed = [], []
    for served in (True, False, True):
        with started(data) as api:
            kept.append(a_receipt(api))
            listed.append(keys_of(api))
            if served:
                said = succeed("rotate-keys", "--data", data).stdout
                assert "start" in said.lower()
                assert keys_of(api) == listed[-1]
                assert a_receipt(api)[1]["key"] == kept[-1][1]["key"]
        if not served:
            succeed("rotate-keys", "--data", data)
    assert [len(keys["keys"]) for keys in listed] == [1, 2, 3]
    assert [receipt["key"] for _, receipt in kept] == [key["key"] for key in listed[-1]["keys"]]
    known = public_keys(listed[-1])
    assert [signature_fault(game, receipt, known) for game, receipt in kept] == [""] * 3


def test_rotation_on_a_keys_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    assert_refused(run("rotate-keys", REIBACH_KEYS_FILE=str(path)), 1, str(path))
    assert not path.exists()
    open_deployment(None, 2, str(path))
    said = succeed("rotate-keys", REIBACH_KEYS_FILE=str(path)).stdout
    after = open_deployment(None, 2, str(path))
    assert after.signing_keys[1].id in said
    kept = json.loads(path.read_text())
    secrets = [kept["game_secret"], *kept["token_secrets"], kept["signing_keys"][1]["private"]]
    assert not [secret for secret in secrets if secret in said]


def test_rotation_without_a_store(tmp_path: Path) -> None:
    """No store is created; an address that doesn't answer is one line too."""
    assert_refused(run("rotate-keys", "--data", tmp_path / "nowhere"), 1, "nowhere")
    assert not (tmp_path / "nowhere").exists()
    assert_refused(run("rotate-keys", REIBACH_REDIS_URL=f"unix://{tmp_path}/nobody"), 1, "can't be reached")
    assert_refused(run("rotate-keys", "more"), 2)


# Tokens: the old ones are revoked, also for what is open, and the new ones work.


KEY = "the key that opened this game"
LINK = r"http://127\.0\.0\.1:8000/g/\w+#token=(\S+)"
SEATS = [{"name": "Anna"}, {"bot": "greedy"}, {"name": "Bert"}]


@pytest.fixture
def table(api: Api) -> Table:
    return api.create(SEATS, key=KEY + "!" * 8)


def rotate(service: Service, *argv: object) -> dict[int, str]:
    ended = run("rotate-tokens", *argv, "--data", service.data)
    assert ended.returncode == 0, ended.stderr
    assert "revoked" in ended.stderr
    return {int(seat): token for seat, token in re.findall(rf"seat (\d) \(\w+\): {LINK}", ended.stdout)}


def test_tokens_of_a_running_service(service: Service, api: Api, table: Table) -> None:
    """Requests, long polls and streams with the old token end; a repeated creation still shows that token."""
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {table.tokens[0]}"}
    with httpx.stream("GET", f"{service.url}{table.path}/events", headers=headers, timeout=patience(30)) as stream:
        new = rotate(service, table.id)
        assert new.keys() == {0, 2}
        for seat in (0, 2):
            assert {api.get(table.path, table.tokens[seat]).status_code for _ in range(9)} == {401}
            refused(api.get(f"{table.path}/legal-actions", table.tokens[seat]), 401, "invalid-token")
            assert api.get(table.path, new[seat]).json()["you"]["seat"] == seat
        assert api.act(Table(table.id, new, {}), 0, {"type": "draw"}).status_code == 201
        stream.read()  # it has ended
    assert api.create(SEATS, key=KEY + "!" * 8).tokens == table.tokens


def test_one_seat(service: Service, api: Api) -> None:
    table = api.create(SEATS)
    new = rotate(service, table.id, 2)
    assert new.keys() == {2}
    assert api.get(table.path, new[2]).status_code == 200
    assert api.get(table.path, table.tokens[0]).status_code == 200


@pytest.mark.nightly
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_terminal_knows_not_all_letters(run_alone: Run, encoding: str, service: Service, api: Api) -> None:
    """A name is written with escapes: a token that has ended by then would never be told."""
    table = api.create([{"name": "Łukasz \U0001f600"}, {"bot": "greedy"}])
    ended = run_alone("rotate-tokens", table.id, "--data", service.data, PYTHONIOENCODING=encoding)
    assert (ended.returncode, r"(\u0141ukasz \U0001f600): " in ended.stdout) == (0, True), ended.stderr
    assert api.get(table.path, ended.stdout.rpartition("#token=")[2].strip()).status_code == 200
    listed = run_alone("games", "--player", "ukasz", "--data", service.data, PYTHONIOENCODING=encoding)
    assert (listed.returncode, r"\u0141ukasz" in listed.stdout) == (0, True), listed.stderr


@pytest.mark.nightly
def test_a_token_that_cannot_be_told_stays(run_without_reader: Run, service: Service, api: Api) -> None:
    table = api.create(SEATS)
    run_without_reader("rotate-tokens", table.id, 0, "--data", service.data)
    assert api.get(table.path, table.tokens[0]).json()["you"]["seat"] == 0


def test_what_is_refused(service: Service, table: Table) -> None:
    assert_refused(run("rotate-tokens", "nowhere", "--data", service.data), 1, "nowhere")
    for seat in (1, 3):
        assert_refused(run("rotate-tokens", table.id, seat, "--data", service.data), 1, table.id)

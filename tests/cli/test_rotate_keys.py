"""`reibach rotate-keys`: on a store that is served, on one that isn't, and on a keys file."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import open_deployment
from service.signing.verify import public_keys, signature_fault
from tests.support.client import Api
from tests.support.in_process import api_over
from tests.support.shell import Ended, assert_refused, run


def ended_well(ended: Ended) -> str:
    """The output of a command that succeeded."""
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def keys_of(api: Api) -> Any:
    """The list of `/v1/keys`."""
    return api.get("/v1/keys").json()


def a_receipt(api: Api) -> tuple[str, dict[str, Any]]:
    """A new game's id and receipt."""
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
                said = ended_well(run("rotate-keys", "--data", data))
                assert "start" in said.lower()
                assert keys_of(api) == listed[-1]
                assert a_receipt(api)[1]["key"] == kept[-1][1]["key"]
        if not served:
            ended_well(run("rotate-keys", "--data", data))
    assert [len(keys["keys"]) for keys in listed] == [1, 2, 3]
    assert [receipt["key"] for _, receipt in kept] == [key["key"] for key in listed[-1]["keys"]]
    known = public_keys(listed[-1])
    assert [signature_fault(game, receipt, known) for game, receipt in kept] == [""] * 3


def test_rotation_on_a_keys_file(tmp_path: Path) -> None:
    """No store is needed; nothing that it says is a secret."""
    path = tmp_path / "keys.json"
    assert_refused(run("rotate-keys", REIBACH_KEYS_FILE=str(path)), 1, str(path))
    assert not path.exists()
    before = open_deployment(None, 2, str(path))
    said = ended_well(run("rotate-keys", REIBACH_KEYS_FILE=str(path)))
    after = open_deployment(None, 2, str(path))
    assert [key.id for key in after.signing_keys] == [before.signing_keys[0].id, after.signing_keys[1].id]
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

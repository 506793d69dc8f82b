"""Rotation of a deployment's signing key."""

import json
import stat
import threading
from pathlib import Path
from typing import Any

import fakeredis
import pytest

from service.signing.deployment import BadDeployment, Deployment, open_deployment, rotate_signing_key
from service.signing.receipts import Receipts
from service.signing.verify import public_keys, signature_fault

GAME, HASH = "g7", "5" * 64


def assert_rotated(before: Deployment, after: Deployment) -> None:
    """A new key signs; the others lose their private parts; all other secrets stay."""
    assert [key.id for key in after.signing_keys[:-1]] == [key.id for key in before.signing_keys]
    assert [key.private for key in after.signing_keys[:-1]] == [None] * len(before.signing_keys)
    assert after.signing_keys[-1].private is not None
    assert (after.token_secrets, after.game_secret) == (before.token_secrets, before.game_secret)
    assert after.shards == before.shards


def test_rotation_in_a_store() -> None:
    """Twice in a row; receipts by every key verify by the last list, and only the last key signs."""
    client = fakeredis.FakeRedis()
    deployments = [open_deployment(client, 2, "")]
    for _ in range(2):
        new = rotate_signing_key(client, "")
        deployments.append(open_deployment(client, 2, ""))
        assert deployments[-1].signing_keys[-1] == new
        assert_rotated(*deployments[-2:])
    known = public_keys(Receipts(deployments[-1].signing_keys).public_keys())
    for deployment in deployments:
        receipt = Receipts(deployment.signing_keys).sign(GAME, 3, HASH)
        assert receipt["key"] == deployment.signing_keys[-1].id
        assert signature_fault(GAME, receipt, known) == ""
        assert signature_fault("another", receipt, known)


class Interrupted:
    """A client that loses the race to another client, once."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.get = client.get
        self.quicker: list[str] = []

    def pipeline(self, **options: Any) -> Any:
        if not self.quicker:
            self.quicker.append(rotate_signing_key(self.client, "").id)
        return self.client.pipeline(**options)


def test_two_rotations_at_once() -> None:
    client = Interrupted(fakeredis.FakeRedis())
    first = open_deployment(client.client, 2, "")
    new = rotate_signing_key(client, "")
    kept = open_deployment(client.client, 2, "")
    assert [key.id for key in kept.signing_keys] == [first.signing_keys[0].id, *client.quicker, new.id]


def test_rotation_in_a_keys_file(tmp_path: Path) -> None:
    """Eight operators at once: nine keys; the file stays its owner's alone, and no temporary file is left."""
    path = tmp_path / "keys.json"
    before = open_deployment(None, 2, str(path))
    threads = [threading.Thread(target=rotate_signing_key, args=(None, str(path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = open_deployment(None, 2, str(path))
    assert len(after.signing_keys) == 9
    assert after.signing_keys[0].id == before.signing_keys[0].id
    assert [key.private is None for key in after.signing_keys] == [True] * 8 + [False]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["keys.json"]


def test_rotation_without_keys_is_refused(tmp_path: Path) -> None:
    """No keys are created, and a file that is no deployment stays unchanged."""
    client = fakeredis.FakeRedis()
    path = tmp_path / "keys.json"
    with pytest.raises(BadDeployment):
        rotate_signing_key(client, "")
    assert client.keys() == []
    path.write_text(json.dumps({"shards": 2}))
    with pytest.raises(BadDeployment):
        rotate_signing_key(None, str(path))
    assert json.loads(path.read_text()) == {"shards": 2}

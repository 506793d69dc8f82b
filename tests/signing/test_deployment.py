"""The deployment's secrets: created once, the same for all processes, in the store or in a file."""

import base64
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from service.connections.clients import Client, connect
from service.signing.deployment import BadDeployment, Deployment, open_deployment
from tests.gamelog.ledger import SHARDS
from tests.support.cases import cases
from tests.support.samples import with_nightly
from tests.support.waiting import patience

ROOT = Path(__file__).parents[2]
OPEN = cases(__file__, "open")


def test_a_deployment_is_created_once(client: Client) -> None:
    """The first process makes the secrets and the number of shards; all later ones find them."""
    first = open_deployment(client, SHARDS, "")
    assert first == open_deployment(client, SHARDS + 1, "")
    assert first.shards == SHARDS
    assert first != Deployment.new(SHARDS)
    assert Deployment.from_json(first.to_json()) == first


def test_a_file_keeps_the_secrets_out_of_the_store(client: Client, tmp_path: Path) -> None:
    """With a keys file the store gets what identifies the deployment, and other users can't read the file."""
    path = tmp_path / "keys.json"
    first = open_deployment(client, SHARDS, str(path))
    assert open_deployment(client, SHARDS + 1, str(path)) == first
    assert client.keys() == [b"reibach:store"]
    assert client.get("reibach:store").decode() == first.identity not in path.read_text("utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("in_file", with_nightly([True, False]))
def test_processes_that_start_at_once_agree(real_client: Client, tmp_path: Path, in_file: bool) -> None:
    """Six processes that find no secrets at the same moment end up with the same ones."""
    url = f"unix://{real_client.connection_pool.connection_kwargs['path']}"
    path = str(tmp_path / "keys.json") if in_file else ""
    argv = [sys.executable, "-c", OPEN, url, path]
    starting = [
        subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    for one in starting:
        assert one.stdout is not None
        one.stdout.readline()  # it is about to look
    answers = {one.communicate("go\n", timeout=patience(30))[0] for one in starting}
    assert len(answers) == 1
    assert Deployment.from_json(answers.pop()) == open_deployment(connect(url), SHARDS, path)
    if in_file:
        assert [(one.name, one.stat().st_mode & 0o777) for one in tmp_path.iterdir()] == [("keys.json", 0o600)]


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"shards": 4}', '{"shards": "x", "signing_keys": []}'])
def test_malformed_secrets_are_refused(client: Client, tmp_path: Path, content: str) -> None:
    """Secrets of another form are refused rather than replaced, and the message holds none of them."""
    path = tmp_path / "keys.json"
    path.write_text(content)
    with pytest.raises(BadDeployment, match="not of the known form"):
        open_deployment(client, SHARDS, str(path))
    client.set("reibach:deployment", content)
    with pytest.raises(BadDeployment):
        open_deployment(client, SHARDS, "")
    assert path.read_text() == content == client.get("reibach:deployment").decode()


def test_repr_holds_no_secret() -> None:
    deployment = Deployment.new(SHARDS)
    shown = repr(deployment)
    assert deployment.token_secrets[0] not in shown
    assert repr(deployment.game_secret) not in shown
    assert repr(deployment.signing_keys[0].private) not in shown


def test_game_ids_cant_be_guessed() -> None:
    """120 random bits; with a key the same id again, which tells nothing without the deployment's secret."""
    deployment, other = Deployment.new(SHARDS), Deployment.new(SHARDS)
    key = "k" * 22
    ids = [deployment.new_game_id(None) for _ in range(500)]
    raw = [base64.b32decode(name.upper()) for name in ids]
    assert {len(bits) for bits in raw} == {15}
    assert all(len({bits[place] for bits in raw}) > 100 for place in range(15))  # no byte is a constant or a counter
    assert len({*ids, deployment.new_game_id(key), deployment.new_game_id(key), other.new_game_id(key)}) == 502


def test_a_flipped_bit_is_noticed() -> None:
    """A deployment with another number of shards would find few of its games, and with other secrets no token."""
    deployment = Deployment.new(16).with_new_key()
    text = deployment.to_json().encode()
    changed = []
    for place in range(len(text)):
        for bit in range(8):
            damaged = text[:place] + bytes([text[place] ^ 1 << bit]) + text[place + 1 :]
            with suppress(BadDeployment):
                if Deployment.from_json(damaged) != deployment:
                    changed.append((place, bit))
    assert changed == []

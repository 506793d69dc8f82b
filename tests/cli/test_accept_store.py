"""`reibach accept-store`."""

import shutil
from pathlib import Path

import pytest
import redis

from service.runtime.embedded import EmbeddedStore, StoreError
from service.signing.deployment import BadDeployment, open_deployment
from tests.support.servers import running_store
from tests.support.shell import assert_refused, run, succeed


def test_a_folder_whose_store_is_gone_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    """By the store itself, so by every command; its files put back are as good."""
    store = EmbeddedStore(tmp_path / "games")
    store.start()
    store.stop()
    kept = (tmp_path / "games" / "appendonlydir").rename(tmp_path / "kept")
    with pytest.raises(StoreError, match="is gone"):
        store.start()
    assert_refused(run("doctor", "--data", store.data), 1, "accept-store")
    shutil.copytree(kept, tmp_path / "games" / "appendonlydir")
    store.start()
    store.stop()

    shutil.rmtree(tmp_path / "games" / "appendonlydir")
    ended = succeed("accept-store", "--data", store.data)
    assert "0 games" in ended.stdout
    assert run("doctor", "--data", store.data).returncode == 0


def test_a_store_made_with_a_keys_file_says_so(tmp_path: Path) -> None:
    """Commands and processes without it name the setting, and make no new secrets; `accept-store` does."""
    data, file = tmp_path / "games", str(tmp_path / "keys.json")
    with running_store(data) as store, redis.Redis.from_url(store.url) as client:
        open_deployment(client, 4, file)
        for command in (["doctor"], ["rotate-keys"], ["rotate-tokens", "g"], ["web"], ["post"], ["serve"]):
            assert_refused(run(*command, REIBACH_REDIS_URL=store.url), 1, "REIBACH_KEYS_FILE isn't set")
        with pytest.raises(BadDeployment, match="REIBACH_KEYS_FILE isn't set"):
            open_deployment(client, 4, "")
        assert client.keys() == [b"reibach:store"]
        succeed("accept-store", "--data", data)
        succeed("doctor", "--data", data)

"""`reibach accept-store`."""

import shutil
from pathlib import Path

import pytest
import redis

from service.runtime.embedded import EmbeddedStore, StoreLost
from service.signing.deployment import WrongStore, open_deployment
from tests.support.shell import assert_refused, run, succeed


def test_a_folder_whose_store_is_gone_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    """By the store itself, so by every command; its files put back are as good."""
    store = EmbeddedStore(tmp_path / "games")
    store.start()
    store.stop()
    kept = (tmp_path / "games" / "appendonlydir").rename(tmp_path / "kept")
    with pytest.raises(StoreLost):
        store.start()
    assert_refused(run("doctor", "--data", store.data), 1, "accept-store")
    shutil.copytree(kept, tmp_path / "games" / "appendonlydir")
    store.start()
    store.stop()

    shutil.rmtree(tmp_path / "games" / "appendonlydir")
    ended = succeed("accept-store", "--data", store.data)
    assert "0 games" in ended.stdout
    assert run("doctor", "--data", store.data).returncode == 0


def test_an_emptied_store_is_refused_by_its_keys_file_until_it_is_accepted(tmp_path: Path) -> None:
    """The file knows that it had a store."""
    data, file = tmp_path / "games", str(tmp_path / "keys.json")
    store = EmbeddedStore(data)
    store.start()
    try:
        with redis.Redis.from_url(store.url) as client:
            open_deployment(client, 4, file)
            client.flushdb()
            with pytest.raises(WrongStore):
                open_deployment(client, 4, file)
            assert run("accept-store", "--data", data, REIBACH_KEYS_FILE=file).returncode == 0
            open_deployment(client, 4, file)
    finally:
        store.stop()

"""`reibach accept-store`, and what `doctor` says of losses."""

import shutil
from pathlib import Path
from random import Random

import pytest
import redis

from service.gamelog.losses.ledger import LossLedger
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore, StoreLost
from service.signing.deployment import WrongStore, open_deployment
from tests.gamelog.copies import OlderCopy
from tests.gamelog.ledger import ack_of, any_act, new_game, open_games
from tests.support.shell import assert_refused, run


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
    ended = run("accept-store", "--data", store.data)
    assert (ended.returncode, ended.stderr) == (0, "")
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


def test_doctor_names_the_games_that_have_lost_events(tmp_path: Path) -> None:
    """With the number of events, and nothing that is in them."""
    store = EmbeddedStore(tmp_path / "games")
    store.start()
    try:
        with redis.Redis.from_url(store.url) as client:
            deployment = open_deployment(client, 4, "")
            games = open_games(client)
            ledger = LossLedger(Store(client, deployment.shards))
            games.on_loss.append(ledger.note)
            head = games.create(new_game("unlucky")).head
            copy = OlderCopy(client)
            lost = ack_of(games.handle("unlucky", any_act(head, Random(1))))
            copy.restore()
            games.load("unlucky")
            ledger.record()
    finally:
        store.stop()
    said = run("doctor", "--data", store.data)
    assert said.returncode == 0
    events = lost.last - lost.first + 1
    assert f"unlucky: lost {events} acknowledged event" in said.stdout
    assert f"of versions {lost.last} to {lost.last}" in said.stdout

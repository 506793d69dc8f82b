"""A store that isn't the deployment's any more: each process that can know refuses it, until an operator accepts it."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from config.settings import Settings
from service import app, bootstrap
from service.api.protocol.metrics import LOST_EVENTS
from service.app import open_web
from service.bootstrap import Services, open_services
from service.connections.clients import Client, connect
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.health.guard import StoreGuard, WrongStoreReached
from service.runtime.shared import SHARED_FOLDER_VARIABLE
from service.signing import deployment
from service.signing.deployment import Deployment, KeysUnreadable, WrongStore, accept_store, open_deployment
from tests.gamelog.ledger import SHARDS, any_act, new_game, open_games
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
PLACE = "reibach:deployment"


CHANGES: dict[str, Callable[[Client], object]] = {
    "all is lost": lambda client: client.flushdb(),
    "the secrets are lost": lambda client: client.delete(PLACE),
    "another deployment's": lambda client: client.set(PLACE, Deployment.new(SHARDS).to_json()),
    "unreadable": lambda client: client.set(PLACE, "{"),
}


@pytest.fixture
def own(real_client: Client) -> Iterator[Client]:
    """A client of the process under test; `real_client` is the operator's."""
    pool = real_client.connection_pool.connection_kwargs
    with connect(f"unix://{pool['path']}") as client:
        yield client


@pytest.mark.parametrize("change", CHANGES)
def test_a_warm_process_refuses_another_store(change: str, real_client: Client, own: Client) -> None:
    """New connections at once, those of before with the next look; when the right store is back it serves on."""
    games, told = open_games(own), []
    guard = StoreGuard(
        own, open_deployment(own, SHARDS, ""), "", (games.store.scripts.disconnect, lambda: told.append(""))
    )
    games.create(new_game("g"))
    guard.check()
    assert not guard.is_wrong
    right = real_client.get(PLACE)

    CHANGES[change](real_client)
    with pytest.raises(WrongStoreReached):
        guard.check()
    assert guard.is_wrong
    assert told
    for request in (
        lambda: games.load("g"),
        lambda: games.create(new_game("new")),
        lambda: games.handle("g", any_act(games.load_cached("g").game, Random(1))),
    ):
        with pytest.raises(StoreUnavailable):
            request()
    assert not real_client.exists(games.store.keys("new").head)

    real_client.set(PLACE, right)
    guard.check()
    assert not guard.is_wrong
    games.create(new_game("later"))


def test_a_new_connection_is_refused_before_any_command(real_client: Client, own: Client) -> None:
    """Nobody has looked at the store since it was emptied."""
    guard = StoreGuard(own, open_deployment(own, SHARDS, ""), "")
    games = open_games(own)
    real_client.flushdb()
    own.connection_pool.disconnect()
    with pytest.raises(StoreUnavailable):
        games.create(new_game("g"))
    assert guard.is_wrong
    assert real_client.dbsize() == 0


def test_rotated_keys_are_the_same_deployments(real_client: Client, own: Client) -> None:
    """A new key for receipts is no other store."""
    deployment = open_deployment(own, SHARDS, "")
    guard = StoreGuard(own, deployment, "")
    real_client.set(PLACE, deployment.with_new_key().to_json())
    guard.check()
    assert deployment.with_new_key().identity == deployment.identity != Deployment.new(SHARDS).identity


def test_a_keys_file_knows_its_store(real_client: Client, tmp_path: Path) -> None:
    """The first store is taken; then no empty or foreign one, until it is accepted."""
    file = str(tmp_path / "keys.json")
    deployment = open_deployment(real_client, SHARDS, file)
    assert open_deployment(real_client, SHARDS, file).identity == deployment.identity
    Path(file).rename(away := tmp_path / "away")  # as on a disk that comes late: no other secrets are made for it
    with pytest.raises(KeysUnreadable, match="is missing, and this store was made with one"):
        open_deployment(real_client, SHARDS, file)
    away.rename(file)
    foreign = Deployment.new(SHARDS).identity
    for change in (real_client.flushdb, lambda: real_client.set("reibach:store", foreign)):
        change()
        with pytest.raises(WrongStore):
            open_deployment(real_client, SHARDS, file)
        accept_store(real_client, SHARDS, file)
        assert open_deployment(real_client, SHARDS, file).identity == deployment.identity


def test_a_keys_file_of_before_takes_the_store_that_it_finds(
    real_client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an upgrade does; a file that can't be written serves, too, and the log says what that means."""
    file = tmp_path / "keys.json"
    made = open_deployment(None, SHARDS, str(file))
    assert not made.has_store
    with monkeypatch.context() as patched, capture_logs() as lines:
        patched.setattr(deployment, "_write_draft", refuse_to_write)
        open_deployment(real_client, SHARDS, str(file))
    assert [line["event"] for line in lines] == ["an emptied store would be taken for a new one"]
    open_deployment(real_client, SHARDS, str(file))
    assert open_deployment(None, SHARDS, str(file)).has_store


def refuse_to_write(*_: object) -> Path:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def test_a_process_that_takes_anothers_place_knows_the_store(
    real_client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A web process that crashed is replaced: the new one opens no empty store."""
    monkeypatch.setattr(bootstrap, "start_polling", lambda *_: None)  # its thread would outlive the test
    monkeypatch.setenv(SHARED_FOLDER_VARIABLE, str(tmp_path))
    url = f"unix://{real_client.connection_pool.connection_kwargs['path']}"
    services = open_services(Settings(redis_url=url))
    assert services.guard is not None
    assert not services.guard.is_wrong
    real_client.flushdb()
    with pytest.raises(WrongStore):
        open_services(Settings(redis_url=url))
    assert not real_client.exists(PLACE)


def test_a_web_process_is_whole_when_it_is_made(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its store knows how many threads may wait, lost events are counted, and a wrong store ends the waiting."""
    opened, at_end = list[Services](), list[Callable[[], None]]()
    monkeypatch.setattr(bootstrap, "start_polling", lambda *_: None)
    monkeypatch.setattr(app, "open_web", lambda services, places: opened.append(services) or open_web(services, places))
    stop: Any = SimpleNamespace(call=at_end.append)
    url = f"unix://{real_client.connection_pool.connection_kwargs['path']}"
    app._open_app(Settings(redis_url=url, web_threads=60), stop)
    (services,), (close,) = opened, at_end
    assert (services.store.breaker.limit(), services.games._locks._limit()) == (20, 20)
    assert services.games._count_lost == LOST_EVENTS.inc
    services.games.create(new_game("g"))
    with services.hub.watch(services.games.load("g")) as watcher:
        real_client.delete(PLACE)
        assert services.guard is not None
        with pytest.raises(WrongStoreReached):
            services.guard.check()
        assert watcher.now.lost
    close()

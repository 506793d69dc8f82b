"""Fixtures that several test folders share: the running service, a real store, a client."""

import functools
import gc
import os
import signal
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from werkzeug.routing import Rule

from config.settings import Settings
from service.gamelog.log import GameLog
from service.runtime.embedded import EmbeddedStore
from tests.faults.served import Served as Service
from tests.faults.served import served
from tests.support.client import Api
from tests.support.in_process import log_over
from tests.support.profiles import register_profiles
from tests.support.servers import running_store, write_lazily
from tests.support.waiting import patience, wait_until

pytest_plugins = ["tests.support.connections", "tests.support.selection", "tests.support.stores"]
register_profiles()
# httpx reads the system's certificates for each client, 25 ms; all clients here speak plain HTTP.
ssl.create_default_context = functools.cache(ssl.create_default_context)
# Five hundred apps here have the same routes, each of which werkzeug compiles to two functions: 40 ms an app.
_compiled: dict[tuple[str, str, bool], Any] = {}
_compile = Rule._compile_builder


def _compile_once(rule: Rule, append_unknown: bool = True) -> Any:
    key = (rule.rule, repr(rule.defaults), append_unknown)
    if key not in _compiled:
        _compiled[key] = _compile(rule, append_unknown)
    return _compiled[key]


Rule._compile_builder = _compile_once  # type: ignore[method-assign]
# The tests start hundreds of processes: without bytecode files each would compile everything.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# nohup, or a shell that starts the tests in the background, has these signals ignored, also by all that they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

SETTINGS = {
    "REIBACH_ALLOW_FIXED_SEED": "1",
    "REIBACH_RATE_LIMIT": "0",
    "REIBACH_BOT_DELAY": "0",
    "REIBACH_WEBHOOK_ALLOW_PRIVATE": "1",
    "REIBACH_PUBLIC_URL": "https://play.example.org",  # without such a one no device is told
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--pictures`, here since options of a folder's own conftest are unknown until the folder is collected."""
    parser.addoption("--pictures", type=Path, metavar="DIR", help="folder for pictures of the pages (tests/browser)")


gc.disable()  # imports and collected tests stay; the collector would walk them again and again


def pytest_collection_finish() -> None:
    """What the collected tests hold stays: the garbage collector need not walk it, nor come as often."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    gc.freeze()


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A store of the test's own, which it may suspend or fill."""
    with running_store(tmp_path / "store") as store:
        yield store


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The whole service on a free port; seeds may be fixed, requests are not limited, bots play at once."""
    usual = {"REIBACH_WEB_THREADS": str(Settings().web_threads), "REIBACH_POLL_LIMIT": str(Settings().poll_limit)}
    argv = [sys.executable, "-m", "service.cli", "serve"]
    with served(argv, tmp_path_factory.mktemp("served") / "games", **SETTINGS, **usual) as service:
        wait_until(lambda: httpx.get(f"{service.url}/readyz").status_code == 200, 20)
        write_lazily(EmbeddedStore(service.data).url)
        yield service
        assert service.process.poll() is None, "the service ended during the tests"


@pytest.fixture(scope="session")
def service_log(service: Service) -> Iterator[GameLog]:
    with log_over(EmbeddedStore(service.data).url, Settings().shards) as log:
        yield log


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real embedded store, shared by the session: use game ids of your own."""
    store = EmbeddedStore(tmp_path_factory.mktemp("valkey") / "store")
    store.start()
    yield store.url
    store.stop()


@pytest.fixture(scope="session")
def api(service: Service) -> Iterator[Api]:
    with httpx.Client(base_url=service.url, timeout=patience(35)) as http:
        yield Api(http)

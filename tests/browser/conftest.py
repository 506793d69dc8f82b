"""Fixtures of the tests in a real browser. Where it can't be had they are skipped, but with `CI` set they fail."""

import os
import shutil
from collections.abc import Iterator
from typing import Final

import pytest

from service.gamelog.log import GameLog
from tests.browser.checks import inspect
from tests.browser.players import LONGEST, SHORT_GAME
from tests.browser.tables import Tables
from tests.browser.windows import Browser, Inspect, Windows
from tests.conftest import Service
from tests.support.client import Api, Table
from tests.support.waiting import patience

_PROGRAMS: Final = ("chromium-headless-shell", "chromium", "google-chrome", "chromium-browser")
_FLAGS: Final = (
    "--no-sandbox",  # containers of continuous integration run as root; the pages are our own
    "--disable-gpu",
    "--in-process-gpu",  # containers have no graphics card, and each process takes time
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no test can reach another host
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, without a window on any screen: the system's, else the one that Playwright has installed."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _do_without("Playwright isn't installed: tests/requirements-ci.lock has it")
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        except Error as error:
            _do_without(
                f"no Chromium: install it, or run `playwright install chromium` ({error.message.splitlines()[0]})"
            )
        yield browser
        browser.close()


def is_nightly(config: pytest.Config) -> bool:
    return bool(config.getoption("--hypothesis-profile") == "nightly")


def _do_without(reason: str) -> None:
    """Skip the test, or fail it in continuous integration. Never returns."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def windows(request: pytest.FixtureRequest, browser: Browser, service: Service) -> Iterator[Windows]:
    """Windows of the browser; the test fails at its end if anything was wrong in one of them.

    Service workers are started where the test is about them; nightly everywhere.
    """
    opened = Windows(browser, service.url, patience(LONGEST), start_workers=is_nightly(request.config))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tables(api: Api, service_log: GameLog) -> Tables:
    return Tables(api, service_log)


@pytest.fixture
def table(tables: Tables) -> Table:
    """A game of Anna, who begins, and Bert."""
    return tables.open("Anna", "Bert")


@pytest.fixture(scope="module")
def finished(tables: Tables) -> Table:
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    tables.play_to_end(table)
    return table


@pytest.fixture
def inspect_page(request: pytest.FixtureRequest) -> Inspect:
    """`inspect_page(page, name)`: see `inspect`; nightly all looks; pictures with `--pictures DIR`."""
    folder = request.config.getoption("--pictures")
    is_thorough = folder is not None or is_nightly(request.config)
    return lambda page, name: inspect(page, name, folder, is_thorough=is_thorough)

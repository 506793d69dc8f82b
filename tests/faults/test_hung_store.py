"""`reibach serve` over a store that hangs: what doesn't need it is answered, and few threads wait for it."""

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import httpx
import pytest

from service.web.assets import asset_path
from tests.faults.parts import part
from tests.faults.served import Served, served
from tests.support.client import Api
from tests.support.servers import suspended
from tests.support.waiting import patience, wait_until

THREADS: Final = 60
REQUESTS: Final = 4 * THREADS


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    few = {"REIBACH_WEB_THREADS": str(THREADS), "REIBACH_POLL_LIMIT": "8"}
    command = [sys.executable, "-m", "service.cli", "serve"]
    with served(command, tmp_path_factory.mktemp("hung") / "games", **few) as service:
        yield service


def timed(request: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
    began = time.monotonic()
    return request(), time.monotonic() - began


@pytest.mark.nightly
def test_a_store_that_hangs(serving: Served) -> None:
    """Four times as many requests as there are threads, reads, writes and a poll: each gets 503.

    Meanwhile `/healthz` and what needs no store, such as assets, are answered, and most threads are
    free. Then all is as before.
    """
    with httpx.Client(base_url=serving.url, timeout=patience(30), limits=httpx.Limits(max_connections=None)) as http:
        api = Api(http)
        table = api.create(2, seed=None)

        def ask(number: int) -> httpx.Response:
            if number % 2:
                return api.get(table.path)
            return api.post(f"{table.path}/messages", table.tokens[0], json={"text": "still there?"})

        with ThreadPoolExecutor(REQUESTS + 1) as pool, suspended(part(serving, "store")):
            poll = pool.submit(timed, partial(api.get, table.path, params={"wait": 30}))
            pending = [poll] + [pool.submit(timed, partial(ask, number)) for number in range(REQUESTS)]
            others = [timed(partial(api.get, path)) for path in ("/healthz", "/v1/bots", asset_path("game.js")) * 10]
            answers = [answer.result() for answer in pending]
            assert api.get("/readyz").json()["status"] == "no-store"
        assert {answer.status_code for answer, _ in others} == {200}
        assert {answer.status_code for answer, _ in answers} == {503}
        assert {answer.headers["Retry-After"] for answer, _ in answers} <= {"1", "2"}
        longest = max(seconds for _, seconds in answers)
        assert max(seconds for _, seconds in others) < longest / 2
        assert sum(seconds < longest / 2 for _, seconds in answers) > REQUESTS / 2
        wait_until(lambda: api.get(table.path).status_code == 200)
        wait_until(lambda: api.get("/readyz").status_code == 200)
        assert api.act(table, 0, {"type": "draw"}).status_code == 201

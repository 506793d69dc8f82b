"""Who may read the metrics, and what pages tell other sites."""

import pytest

from config.settings import Settings
from tests.api.worlds import World
from tests.support.cases import cases

TOKEN = "the operator's token"
LOCAL = {"REMOTE_ADDR": "127.0.0.1"}


@pytest.fixture(scope="module")
def world() -> World:
    return World(settings=Settings(rate_limit=0, metrics_token=TOKEN))


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_the_machine_itself_may_read_the_metrics(world: World, host: str) -> None:
    assert world.ask("GET", "/metrics", headers={"Host": host}, environ_overrides=LOCAL).status_code == 200


@pytest.mark.parametrize(
    "headers",
    cases(__file__, "what_came_through_a_proxy_needs_the_token"),
    ids=lambda headers: " ".join(*headers.items()),
)
def test_what_came_through_a_proxy_needs_the_token(world: World, headers: dict[str, str]) -> None:
    sent = {"Host": "127.0.0.1:8000"} | headers
    refused = world.ask("GET", "/metrics", headers=sent, environ_overrides=LOCAL)
    assert (refused.status_code, refused.get_json()["type"]) == (403, "/problems/forbidden")
    sent["Authorization"] = f"Bearer {TOKEN}"
    assert world.ask("GET", "/metrics", headers=sent, environ_overrides=LOCAL).status_code == 200


@pytest.mark.parametrize("path", ["/docs", "/problems/not-found"])
def test_pages_tell_other_sites_nothing(world: World, path: str) -> None:
    page = world.ask("GET", path)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]

"""A seat that holds a live stream open, as the web process says it."""

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from config.settings import Settings
from service.app import create_app, open_web
from service.bootstrap import Services, assemble
from service.connections.clients import Client
from service.post.presence import Presence
from service.signing.deployment import Deployment
from tests.gamelog.ledger import SHARDS, new_game, open_games


@pytest.fixture
def services(real_client: Client) -> Services:
    games = open_games(real_client)
    games.create(new_game("g", 3))
    return assemble(Settings(rate_limit=0), Deployment.new(SHARDS), games)


@pytest.fixture
def http(services: Services) -> Iterator[FlaskClient]:
    web = open_web(services)
    yield create_app(web).test_client()
    web.services.hub.close()


def test_streams_are_marked_while_they_are_open(services: Services, http: FlaskClient) -> None:
    """Those of each seat, until the last one ends, and nothing of a spectator's."""
    presence = Presence(services.store)

    def watch(seat: int) -> list[bool]:
        headers = {"Authorization": f"Bearer {services.tokens.issue('g', seat)}", "Accept": "text/event-stream"}
        streams = [http.get("/v1/games/g/events", headers=headers, buffered=False) for _ in range(2)]
        assert {stream.status_code for stream in streams} == {200}
        seen = [presence.is_watching("g", seat)]
        for stream in streams:
            stream.close()
            seen.append(presence.is_watching("g", seat))
        return seen

    assert watch(0) == watch(1) == [True, True, False]
    http.get("/v1/games/g/events", headers={"Accept": "text/event-stream"}, buffered=False).close()
    assert not list(services.store.client.scan_iter(match="*watching*"))


def test_a_wish_counts_for_streams_that_are_open(services: Services) -> None:
    """At once: each open stream has a mark, whatever its player wants; and it ends by itself."""
    presence = Presence(services.store)
    with presence.watching("g", 1):
        assert presence.is_watching("g", 1)
        assert not presence.is_watching("g", 0)
        left = services.store.client.pttl(services.store.watching("g", 1))
        assert 0 < left <= 30_000
    assert not presence.is_watching("g", 1)

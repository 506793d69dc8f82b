"""Subscriptions that can't be read: their seats get no notices, and all others get theirs."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from structlog.testing import CapturingLogger

from service.post import subscriptions as subscriptions_module
from service.post.subscriptions import _encode
from tests.post.processes import World, notices_of, wish
from tests.support.cases import cases
from tests.support.receivers import Receiver
from tests.support.world import Process

FORM: dict[str, Any] = json.loads(_encode(wish(email="anna@example.org")))
UNREADABLE: list[str] = [
    *(" ", '{"email":"anna@example.org"', "\udcff", "[]", "7", "null", "[" * 100_000, "{}"),
    *(json.dumps(FORM | changes) for changes in cases(__file__, "changed").values()),
    json.dumps(FORM | {"webhook": FORM["webhook"] | {"format": "matrix"}}),
]


@pytest.fixture
def http(world: World) -> FlaskClient:
    return Process(world.games, world.settings, services={"deployment": world.deployment}).http


def write(world: World, game: str, seat: str, text: str) -> None:
    """Store a subscription as another version of the service might."""
    world.client.hset(world.games.store.post(game), seat, text.encode(errors="surrogateescape"))


def test_the_others_are_served(world: World, monkeypatch: pytest.MonkeyPatch, found: Receiver) -> None:
    """In the same batch of the feed, and in the same game; each is logged once, by game and seat alone."""
    logger, bad = CapturingLogger(), [f"bad{number}" for number in range(len(UNREADABLE))]
    monkeypatch.setattr(subscriptions_module, "logger", logger)
    for name in (*bad, "good"):
        world.create(name)
    for name, text in zip(bad, UNREADABLE, strict=True):
        write(world, name, "0", text)
    write(world, bad[1], "nobody", "{}")
    for name in (bad[0], "good"):
        world.subscriptions.save(name, 1, wish(found.port, "turn"))
    running = [world.end_turn(name) for name in (*bad, "good")]
    world.send()
    wanted = [running[0], running[-1]]
    assert sorted(notices_of(found.requests)) == sorted(("turn.started", 1, game.turn_version) for game in wanted)
    world.end_turn(bad[0])
    world.send()
    logged = [(call.kwargs["game"], call.kwargs["seat"]) for call in logger.calls]
    assert sorted(logged) == sorted([*((name, "0") for name in bad), (bad[1], "nobody")])
    assert "anna" not in str(logger.calls)


@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: ascii(text[:40]))
def test_its_player_finds_none_and_can_replace_it(world: World, http: FlaskClient, text: str) -> None:
    """Or delete it; a link in an old mail finds nothing either."""
    world.create()
    headers = {"Authorization": f"Bearer {world.issue_token('g', 0)}"}
    kept, path = world.subscriptions, "/v1/games/g/notifications"
    write(world, "g", "0", text)
    assert http.get(path, headers=headers).status_code == 404
    assert http.get(f"{path}/deliveries", headers=headers).status_code == 200
    assert not kept.confirm("g", 0, "first")
    kept.end("g", 0, "anna@example.org")
    assert world.client.hexists(world.games.store.post("g"), "0")
    wanted = {"webhook": {"url": "http://127.0.0.1:9/"}, "on": ["turn"]}
    assert http.put(path, headers=headers, json=wanted).status_code == 200
    assert kept.load("g")[0].on == {"turn"}
    write(world, "g", "0", text)
    assert http.delete(path, headers=headers).status_code == 204
    assert not world.client.exists(world.games.store.post("g"))

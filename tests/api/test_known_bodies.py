"""Bodies of accepted actions are known by their bytes; nothing else makes one known, and no answer changes by it."""

from typing import Any

import pytest

from service.api.protocol.body import KnownBodies
from service.api.routes.playing import actions
from tests.api.worlds import World

TAKE = b'{"type": "take", "slot": 0}'
SPELLINGS = (b'{"type":"take","slot":0}', b'{"slot": 0, "type": "take"}', TAKE + b" ", b'{"type": "take", "slot": 0.0}')


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> KnownBodies[Any]:
    bodies: KnownBodies[Any] = KnownBodies()
    monkeypatch.setattr(actions, "_KNOWN", bodies)
    return bodies


@pytest.fixture
def known_actions(monkeypatch: pytest.MonkeyPatch) -> KnownBodies[Any]:
    """The known actions of the route's lists, none at first; the lists themselves are never known."""
    known: KnownBodies[Any] = KnownBodies()
    monkeypatch.setattr(actions, "_KNOWN_ACTIONS", known)
    monkeypatch.setattr(actions, "_KNOWN", KnownBodies(longest=0))
    return known


@pytest.fixture
def world() -> World:
    """A service with a game in which seat 0 is on turn."""
    return World().open([{"name": "Anna"}, {"name": "Bert"}])


def act(world: World, seat: int, body: bytes, **headers: str) -> Any:
    sent = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return world.ask("POST", f"{world.path}/actions", seat, data=body, headers=sent)


def test_a_body_is_known_by_all_of_its_bytes_once_it_was_accepted(known: KnownBodies[Any], world: World) -> None:
    """Another spelling is another body; both mean the same."""
    assert act(world, 0, TAKE).status_code == 201
    (action,) = known.find(TAKE)[1]
    assert action.slot == 0
    assert [known.find(other) for other in SPELLINGS] == [None] * len(SPELLINGS)


@pytest.mark.parametrize(
    ("seat", "body", "status"),
    [
        (1, TAKE, 409),
        (0, b'{"type": "take", "slot": 9}', 422),
        (0, b'{"type": "take"', 400),
        (0, b'{"type": "append", "card": "gold", "row": 7}', 409),
        (0, b'{"actions": [{"type": "draw"}, {"type": "append", "card": "gold", "row": 7}]}', 201),
        (0, b" " * 250 + TAKE, 201),
    ],
)
def test_a_refused_or_long_body_is_not_kept(
    known: KnownBodies[Any], world: World, seat: int, body: bytes, status: int
) -> None:
    """Nor is one that was refused in part: what a seat could not do was never seen by others."""
    assert act(world, seat, body).status_code == status
    assert known.find(body) is None


def test_a_known_body_is_judged_as_if_it_were_new(known: KnownBodies[Any], world: World) -> None:
    """By the seat, by the conditions, and by the idempotency key, whose repeat must have the same JSON value."""
    assert act(world, 0, TAKE).status_code == 201
    assert known.find(TAKE) is not None
    assert act(world, 1, TAKE).get_json()["type"] == "/problems/not-your-turn"
    assert act(world, 0, TAKE, If_Match='"1"').status_code == 412
    other = b'{"type": "take", "slot": 1}'
    assert act(world, 0, other, Idempotency_Key="k").status_code == 201
    assert act(world, 0, TAKE, Idempotency_Key="k").get_json()["type"] == "/problems/idempotency-key-reused"
    repeat = act(world, 0, b'{"slot": 1, "type": "take"}', Idempotency_Key="k")
    assert (repeat.status_code, repeat.headers["Idempotency-Replayed"]) == (201, "true")


def test_there_is_a_limit() -> None:
    """A client that varies its bodies fills the memory only so far."""
    bodies: KnownBodies[int] = KnownBodies(capacity=10, longest=3)
    for number in range(1000):
        bodies.keep(b"%d" % number, number)
    assert len(bodies._known) <= 10
    assert bodies.find(b"999") == 999
    bodies.keep(b"1000", 1000)
    assert bodies.find(b"1000") is None


def test_a_list_of_known_actions_is_not_validated_again(
    known_actions: KnownBodies[Any], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were accepted alone or in another list; the list is judged as if it were new."""
    assert act(world, 0, TAKE).status_code == 201
    assert act(world, 0, b'{"actions": [{"type": "take", "slot": 1}, {"type": "take", "slot": 2}]}').status_code == 201
    monkeypatch.setattr(actions, "validate_body", None)  # to call it would fail
    turn = b'{"actions": [{"type": "take","slot": 2}, {"type": "take", "slot": 0}]}'
    assert act(world, 0, turn).get_json()["type"] == "/problems/not-your-turn"
    answer = act(world, 1, turn)
    assert (answer.status_code, answer.get_json()["applied"]) == (201, 2)


OTHER_LISTS = {
    "empty": b"[]",
    "four": b'[{"type": "take", "slot": 0}, {"type": "take", "slot": 0}, {"type": "draw"}, {"type": "draw"}]',
    "boolean": b'[{"type": "take", "slot": false}]',
    "member": b'[{"type": "take", "slot": 0, "more": 1}]',
    "huge number": b'[{"type": "take", "slot": 100000000000000000000000}]',
    "one of two": b'[{"type": "take", "slot": 0}, {"type": "take", "slot": 7}]',
    "object": b'{"0": {"type": "take", "slot": 0}}',
    "list": b'[[{"type": "take", "slot": 0}]]',
}


@pytest.mark.parametrize("name", OTHER_LISTS)
def test_a_list_that_is_not_valid_is_refused_whatever_is_known(
    known_actions: KnownBodies[Any], world: World, name: str
) -> None:
    """As when nothing was known: with the same answer."""
    body = b'{"actions": ' + OTHER_LISTS[name] + b"}"
    before = act(world, 0, body)
    assert act(world, 0, TAKE).status_code == 201
    assert known_actions._known
    after = act(world, 0, body)
    assert (before.status_code, before.get_json()["errors"]) == (422, after.get_json()["errors"])
    assert act(world, 0, b'{"actions": [{"type": "take", "slot": 0}], "more": 1}').status_code == 422


def test_actions_of_a_list_that_was_refused_in_part_are_not_kept(known_actions: KnownBodies[Any], world: World) -> None:
    """What a seat could not do was never seen by others."""
    body = b'{"actions": [{"type": "draw"}, {"type": "append", "card": "gold", "row": 7}]}'
    assert act(world, 0, body).status_code == 201
    assert not known_actions._known

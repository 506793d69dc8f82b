"""A repeat is answered from what was stored: even a body that passed for the first one's would learn nothing."""

from typing import Any

import pytest

from domain.cards import HAND_CARDS
from service.gamelog.idempotency import IdempotencyKey
from tests.api.worlds import World, as_seen, twins

SEAT = 0
OTHERS: list[dict[str, Any]] = [
    {"actions": [{"type": "draw"}, {"type": "append", "card": card, "row": 8}]} for card in HAND_CARDS
]
OTHERS += [{"type": "draw"}, {"type": "take", "slot": 2}]
SECRET_KEY = "a key that is long enough to bring tokens"


@pytest.fixture
def worlds(monkeypatch: pytest.MonkeyPatch) -> tuple[World, World]:
    """Two games that seat 0, whose turn it is, can't distinguish; every body has the same fingerprint."""
    monkeypatch.setattr(IdempotencyKey, "fingerprint", bytes(16))
    one, other, game, _ = twins(SEAT, 2, "repeats", 17)
    assert (game.turn_seat, game.scoring, game.action_points) == (SEAT, None, 3)
    return one, other


def test_another_body_gets_the_first_answer(worlds: tuple[World, World]) -> None:
    """Byte for byte, whatever it asks for, in both worlds alike, at once and after later actions."""
    one, other = worlds
    card = one.game.seats[SEAT].hand[0]
    lay = {"actions": [{"type": "lay_businessmaker", "card": card}, {"type": "append", "card": card, "row": 9}]}
    first = [world.act(SEAT, lay, 100) for world in worlds]
    assert (first[0].status_code, first[0].get_json()["applied"]) == (201, 1)
    assert first[0].get_json()["problem"]["type"] in {"/problems/no-such-row", "/problems/card-not-in-hand"}
    version = one.game.version
    for body in (lay, *OTHERS):
        again = [world.act(SEAT, body, 100) for world in worlds]
        assert [answer.headers["Idempotency-Replayed"] for answer in again] == ["true"] * 2
        assert [answer.data for answer in again] == [answer.data for answer in first]
        assert as_seen(again[0]) == as_seen(again[1])
    assert one.game.version == other.game.version == version
    one.act(SEAT, {"type": "take", "slot": 0}, 101)
    assert one.act(SEAT, OTHERS[0], 100).data == first[0].data


def test_another_creation_joining_and_message_get_the_first_answer(worlds: tuple[World, World]) -> None:
    """Also where the key opens a game or a fork, takes a seat or writes: nothing of the repeat's body is done."""
    world = worlds[0]
    name, version = world.game.id, world.game.version

    def ask(path: str, seat: int | None, body: dict[str, Any]) -> Any:
        return world.ask("POST", path, seat, json=body, headers={"Idempotency-Key": f"{SECRET_KEY} {path} {seat}"})

    seats = [{"name": "Anna"}, {}]
    opened = ask("/v1/games", None, {"seats": seats})
    table = opened.headers["Location"]
    fork = {"fork": {"game": name, "version": version}}
    requests: list[tuple[str, int | None, dict[str, Any], dict[str, Any]]] = [
        ("/v1/games", None, {"seats": seats}, {"seats": [{"name": "Zoe"}, {}, {}], "listed": True}),
        (f"{table}/seats", None, {"name": "Bert"}, {"name": "Zoe"}),
        ("/v1/games", SEAT, fork | {"seats": [{"name": "A"}] * 2}, fork | {"seats": [{"bot": "greedy"}] * 2}),
        (f"{world.path}/messages", SEAT, {"text": "Hello"}, {"text": "x" * 2000}),
    ]
    for path, seat, body, different in requests:
        first = ask(path, seat, body)
        again = ask(path, seat, different)
        assert (first.status_code, again.headers["Idempotency-Replayed"]) == (201, "true"), path
        assert again.data == first.data
    assert world.game.version == version + 1

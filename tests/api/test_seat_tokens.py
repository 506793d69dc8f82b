"""Seats that change hands over HTTP: handed over with their own token, or taken by a new person once abandoned."""

from typing import Any

import pytest

from service.gamelog.log import GameLog
from tests.api.test_pace import PACE, PEOPLE
from tests.api.worlds import World
from tests.conftest import Service
from tests.support.absence import abandon, pass_hour, pass_turn
from tests.support.client import Api, Table, refused

KEY = {"Idempotency-Key": "a key of at least 22 characters"}


def hand_over(api: Api, table: Table, seat: int, token: str, **more: Any) -> Any:
    return api.post(f"{table.path}/seats/{seat}/handover", token, **more)


def test_a_seat_is_handed_over(api: Api) -> None:
    """The new token acts at once, the old one no more; the log has nothing of it, and no other seat can do it."""
    table = api.create(PEOPLE)
    version = api.version(table)
    old = table.tokens[0]
    refused(hand_over(api, table, 1, old), 403, "not-your-seat")
    refused(api.post(f"{table.path}/seats/0/handover"), 401, "missing-token")
    refused(hand_over(api, table, 0, old, json={"to": "Cleo"}), 422, "invalid-request")
    refused(hand_over(api, table, 0, old, headers={"Idempotency-Key": "short"}), 422, "invalid-request")
    answer = hand_over(api, table, 0, old, headers=KEY)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    content = answer.json()
    assert (content.keys(), content["seat"]) == ({"seat", "token", "game", "receipt"}, 0)
    assert content["game"]["you"]["hand"]
    assert content["token"] != old
    for _ in range(6):  # whichever process answers
        assert api.get(table.path, content["token"]).json()["you"]["seat"] == 0
    assert {api.get(table.path, old).status_code for _ in range(9)} == {401}
    again = hand_over(api, table, 0, old, headers=KEY)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (content, "true")
    refused(hand_over(api, table, 0, old), 401, "invalid-token")
    refused(
        hand_over(api, table, 0, old, headers={"Idempotency-Key": KEY["Idempotency-Key"] + "!"}), 401, "invalid-token"
    )
    assert api.version(table) == version


def test_a_person_hands_a_seat_over_so_often(service: Service, api: Api) -> None:
    table = api.create(PEOPLE)
    token = table.tokens[1]
    for _ in range(20):
        token = hand_over(api, table, 1, token).json()["token"]
    refused(hand_over(api, table, 1, token), 409, "too-many-handovers", api.version(table))
    assert api.get(table.path, token).status_code == 200


def abandoned_table(world: World, **more: Any) -> tuple[str, list[str], GameLog]:
    """A game of two whose seat 0 is abandoned, and on turn: its path, its tokens and its log."""
    made = world.ask("POST", "/v1/games", json={"seats": PEOPLE, "pace": PACE, **more}).get_json()
    game = made["game"]["id"]
    late = abandon(world.log, game)
    pass_turn(late, game)
    return f"/v1/games/{game}", [seat["token"] for seat in made["seats"]], late


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_new_person_takes_an_abandoned_seat(world: World) -> None:
    """Not within the first hour, of which the view tells."""
    path, tokens, late = abandoned_table(world, replaceable=True)
    view = world.ask("GET", path).get_json()
    body = {"name": "Cleo", "entropy": "ignored"}
    early = world.ask("POST", f"{path}/seats", json=body, headers=KEY)
    assert (early.status_code, early.get_json()["type"]) == (409, "/problems/no-open-seat")
    pass_hour(late, view["id"])
    assert (view["replaceable"], view["seats"][0]["free_from"]) == (True, view["turn"]["deadline"])
    answer = world.ask("POST", f"{path}/seats", json=body, headers=KEY)
    content = answer.get_json()
    assert (answer.status_code, content["seat"], content["game"]["seats"][0]["name"]) == (201, 0, "Cleo")
    assert content["game"]["you"]["hand"]
    assert world.ask("GET", path, headers=bearer(content["token"])).get_json()["you"]["seat"] == 0
    for method, word in (("GET", ""), ("POST", "/reclaim")):
        old = world.ask(method, path + word, headers=bearer(tokens[0]))
        assert (old.status_code, old.get_json()["type"]) == (401, "/problems/invalid-token")
    again = world.ask("POST", f"{path}/seats", json=body, headers=KEY)
    assert (again.get_json(), again.headers["Idempotency-Replayed"]) == (content, "true")
    full = world.ask("POST", f"{path}/seats", json={"name": "Dora"})
    assert (full.status_code, full.get_json()["type"]) == (409, "/problems/no-open-seat")
    assert world.ask("GET", f"{path}/audit").get_json()["ok"]
    assert world.ask("POST", f"{path}/cancel", headers=bearer(content["token"])).status_code == 201


@pytest.mark.parametrize("pace", [None, {"turn_seconds": 60, "on_timeout": "wait"}])
def test_only_a_game_that_abandons_seats_is_replaceable(api: Api, pace: Any) -> None:
    answer = api.post("/v1/games", json={"seats": PEOPLE, "replaceable": True, "pace": pace})
    assert list(refused(answer, 422, "invalid-request")["errors"]) == ["replaceable"]

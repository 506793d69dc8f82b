"""The devices of a seat: five at most, each once, nobody else's to see, and gone with the token."""

from typing import Any

import httpx
import pytest

from service.api.docs.members import TEXTS
from service.post.channels.push import decode
from tests.api.desks import MAIL, PEOPLE, URL, House
from tests.api.test_void_tokens import hand_over, renew, rotate
from tests.gamelog.ledger import finish
from tests.support.client import Table, refused

KEYS = TEXTS["examples"]["addDevice"]["keys"]


def add(house: House, table: Table, number: int = 1, method: str = "POST", **more: Any) -> httpx.Response:
    token, headers = table.tokens[more.pop("seat", 0)], more.pop("headers", {})
    body = {"endpoint": f"https://example.org/push/{number}", "keys": KEYS, "language": "de"} | more
    return house.api.request(method, f"{table.path}/notifications/push", token, json=body, headers=headers)


def hosts(house: House, table: Table) -> list[str]:
    return [one["host"] for one in house.get(table).json()["push"]]


def test_five_devices_alone_or_beside_the_rest(house: House) -> None:
    """Each endpoint once; a subscription to them alone can be changed, and ends with the last one."""
    table = house.api.create(PEOPLE)
    assert len(decode(house.api.get("/v1/push").json()["public_key"])) == 65
    for number in range(1, 6):
        assert (add(house, table, number).status_code, house.desk.told[-1]) == (201, (table.id, 0))
    refused(add(house, table, 6), 409, "too-many-devices")
    again = add(house, table, 3, language="fr")
    assert (again.status_code, again.json(), again.headers["Cache-Control"]) == (200, {"devices": 5}, "no-store")
    assert house.subscription(table).devices["3"].language == "fr"
    assert house.put(table, on=["turn"], while_watching=False).status_code == 200
    shown = house.get(table).json()
    assert (shown["email"], shown["webhook"], shown["on"], shown["language"]) == (None, None, ["turn"], "en")
    assert hosts(house, table) == ["example.org"] * 5
    house.put(table, webhook={"url": URL})
    refused(house.get(table, 1), 404, "not-found")
    assert "example.org/push" not in house.get(table).text
    for number in (1, 2, 2):
        ended = add(house, table, number, "DELETE", keys=None)
        refused(ended, 422, "invalid-request")
        path, body = f"{table.path}/notifications/push", {"endpoint": f"https://example.org/push/{number}"}
        assert house.api.request("DELETE", path, table.tokens[0], json=body).status_code == 204
    assert (add(house, table, 6).status_code, len(hosts(house, table))) == (201, 4)
    finish(house.log, table.id)
    refused(add(house, table, 7), 409, "game-over")


def test_a_repeat_gets_the_first_answer(house: House) -> None:
    """Each seat has keys of its own, and another body is refused."""
    table, key = house.api.create(PEOPLE), {"headers": {"Idempotency-Key": "k"}}
    first, _, again = add(house, table, **key), add(house, table, 2), add(house, table, **key)
    assert (again.status_code, again.json()) == (first.status_code, first.json()) == (201, {"devices": 1})
    assert again.headers["Idempotency-Replayed"] == "true"
    refused(add(house, table, 3, **key), 422, "idempotency-key-reused")
    assert add(house, table, 3, seat=1, **key).json() == {"devices": 1}
    assert len(hosts(house, table)) == 2


@pytest.mark.parametrize("end", [hand_over, renew, rotate])
def test_devices_end_with_the_token(house: House, end: Any) -> None:
    """Of which a confirmed address was told; that of a renewed token stays."""
    table = house.api.create(PEOPLE)
    house.put(table, email=MAIL)
    house.confirm(table)
    for _ in range(2):
        add(house, table)
    assert house.desk.receivers == [("device", table.id, 0, "example.org", 0)]
    former = house.subscription(table)
    table.tokens[0] = end(house, table)
    if end is renew:
        assert hosts(house, table) == []
    else:
        refused(house.get(table), 404, "not-found")
        house.services.registrar.subscriptions.save(table.id, 0, former)  # as an earlier release could leave it
        assert add(house, table, 2).status_code == 201
        assert (house.get(table).json()["email"], hosts(house, table)) == (None, ["example.org"])


def test_nothing_is_offered_without_a_contact(house: House, without_mail: House) -> None:
    """A device would be told of nothing: push services refuse what comes without one."""
    table, other = without_mail.api.create(PEOPLE), house.api.create(PEOPLE)
    said = refused(without_mail.api.get("/v1/push"), 404, "not-found")["detail"]
    assert refused(add(without_mail, table), 422, "invalid-request")["errors"] == {"endpoint": [said]}
    for where, game, offers in ((house, other, True), (without_mail, table, False)):
        assert (" data-push" in where.api.get(f"/g/{game.id}").text) is offers


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"endpoint": "http://example.org/"}, "endpoint"),
        ({"endpoint": "https://inside.example.org/"}, "endpoint"),
        ({"endpoint": None}, "endpoint"),
        ({"endpoint": "https://example.org/" + "a" * 2000}, "endpoint"),
        ({"keys": {}}, "keys.auth"),
        ({"keys": {**KEYS, "auth": "AAAA"}}, "keys"),
        ({"keys": {**KEYS, "auth": "ä" * 22}}, "keys"),
        ({"keys": {**KEYS, "p256dh": KEYS["p256dh"][:-2] + "A4"}}, "keys"),
        ({"keys": {**KEYS, "p256dh": "A" * 87}}, "keys"),
        ({"keys": {**KEYS, "p256dh": "A" * 101}}, "keys.p256dh"),
        ({"language": "it"}, "language"),
        ({"expirationTime": None}, "expirationTime"),
    ],
    ids=str,
)
def test_what_is_no_device_is_refused(house: House, body: dict[str, Any], field: str) -> None:
    table = house.api.create(PEOPLE)
    problem = refused(add(house, table, **body), 422, "invalid-request")
    assert field in problem["errors"]
    refused(house.get(table), 404, "not-found")

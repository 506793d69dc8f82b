"""Where webhooks may not lead: asked for by `PUT …/notifications`, and again when a notice is sent.

The addresses are those of tests/post/test_address.py, by the route and through the whole sender.
"""

import json
import socket
from typing import Any

import pytest

from service.post.channels import webhook as webhook_module
from service.post.channels.connection import HttpAnswer
from tests.api.desks import PEOPLE, House, house_on
from tests.post.test_address import NOT_PUBLIC, PUBLIC, REFUSED, resolver
from tests.support.client import refused
from tests.support.waiting import patience
from workers.post.process import open_post

PUBLIC_ADDRESS = PUBLIC.split()[0]
MORE_REFUSED = (
    "https://example.org:6379/",
    "https://ex\u0430mple.org/",
    "https://\u2488\u2489.0.0.1/",
    "https://example.org/\r\nHost: inside",
    "https://metadata.google.internal:80/",
)
"""Beside those of test_address: a letter of another alphabet, digits with dots, a header, an unusual port."""


class Resolver:
    """Knows each name by the same addresses, which a test may change, and numbers by themselves."""

    def __init__(self) -> None:
        self.addresses: tuple[str, ...] = (PUBLIC_ADDRESS,)

    def __call__(self, host: str, port: int) -> list[Any]:
        try:
            return list(socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST))
        except socket.gaierror:
            return resolver(*self.addresses)(host, port)


@pytest.fixture
def names() -> Resolver:
    return Resolver()


@pytest.fixture
def open_house(server: Any, names: Resolver) -> House:
    """A service with its outbox, which may not call private addresses."""
    house = house_on(server("valkey"), delivers=True, resolve_host=names)
    assert not house.services.settings.webhook_allow_private
    return house


def test_a_url_that_leads_inside_is_refused(open_house: House, names: Resolver) -> None:
    """Written as a number or in any other form, and by a name: 422 with the field, nothing kept, nothing repeated."""
    table = open_house.api.create(PEOPLE)
    urls = [line.split(maxsplit=1)[1] for line in REFUSED.strip().splitlines()]
    urls += [f"https://[{one}]/" if ":" in one else f"https://{one}/" for one in NOT_PUBLIC.split()]
    for url in [*urls, *MORE_REFUSED]:
        problem = refused(open_house.put(table, webhook={"url": url}), 422, "invalid-request")
        assert list(problem["errors"]) == ["webhook.url"], url
    said = set()
    for address in NOT_PUBLIC.split():
        for names.addresses in (address,), (PUBLIC_ADDRESS, address):
            answer = open_house.put(table, webhook={"url": "https://example.org/"})
            refused(answer, 422, "invalid-request")
            said.add(answer.content)
    assert len(said) == 1, "the answer tells addresses apart"
    refused(open_house.get(table), 404, "not-found")
    names.addresses = (PUBLIC_ADDRESS,)
    assert open_house.put(table, webhook={"url": "https://example.org/"}).status_code == 200


@pytest.mark.slow
def test_a_name_that_leads_inside_later_is_not_called(
    open_house: House, names: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name was public when it was asked for. The attempt fails without a connection; its player sees why.

    With the name public again the notice goes to that address.
    """
    called: list[str] = []

    def send(_: str, destination: Any, *__: object) -> HttpAnswer:
        called.extend(address.sockaddr[0] for address in destination.addresses)
        return HttpAnswer(204, None)

    monkeypatch.setattr(webhook_module, "send_request", send)
    process = open_post(open_house.services, is_steady=lambda: True, threads=4)

    def send() -> dict[str, Any]:
        while process.pool.send_due():
            assert process.pool.wait(patience(20))
        line: dict[str, Any] = open_house.get(table, more="/deliveries").json()["deliveries"][0]
        return line

    table = open_house.api.create(PEOPLE)
    assert open_house.put(table, webhook={"url": "https://example.org/hook"}).status_code == 200
    for address in NOT_PUBLIC.split():
        names.addresses = (PUBLIC_ADDRESS, address)
        _put_forward(open_house)
        failed = send()
        assert (failed["status"], failed["error"]) == ("retry", "address-refused"), address
        assert not called
        assert address not in json.dumps(failed)
    names.addresses = (PUBLIC_ADDRESS,)
    _put_forward(open_house)
    assert send()["status"] == "delivered"
    assert called == [PUBLIC_ADDRESS]


def _put_forward(house: House) -> None:
    """Have the notice be due now, as if no attempt had been made."""
    store = house.services.store
    client = store.client
    for key in store.shard_keys("retries"):
        for member, _ in client.zrange(key, 0, -1, withscores=True):
            game, _, name = member.decode().partition("|")
            record = json.loads(client.hget(store.outbox(game), name))
            client.hset(store.outbox(game), name, json.dumps(record | {"attempts": 0, "first": 0}))
            client.zadd(key, {member: 0})

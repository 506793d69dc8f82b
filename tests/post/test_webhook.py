"""What a webhook sends, and where to, against real receivers."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from service.post.channels.address import AddressCheck
from service.post.channels.connection import Fault
from service.post.channels.results import SendResult
from tests.support.receivers import answer, client_context, receiver, server_context
from tests.support.waiting import patience
from tests.support.webhooks import BODY, SECRET, SHORT, deliver, fault_of, message, now, resolve_to, sender


@pytest.fixture(autouse=True)
def _no_other_resolver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the resolver that was handed in resolves a name."""
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **kw: real(host, *rest, **kw) if host == "127.0.0.1" else 1 / 0
    )


# What is sent


def test_the_receiver_can_check_the_signature() -> None:
    """With the standard's own library; a changed body fails."""
    with receiver(answer()) as found:
        assert sender().send(message(found.port)) == SendResult()
    [(line, headers, body)] = found.requests
    assert line == "POST /hook?a=b HTTP/1.1"
    assert Webhook(SECRET).verify(body, headers) == json.loads(BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body + b" ", headers)
    assert headers["host"] == f"example.org:{found.port}"
    assert headers["content-type"] == "application/json"
    assert (headers["webhook-id"], headers["connection"]) == ("g7.57.1.webhook", "close")


def test_a_retry_keeps_the_id() -> None:
    """Receivers drop what they have had; the time and the signature are the attempt's."""
    clock = iter([now() - 60_000, now()]).__next__
    with receiver(answer()) as found:
        for _ in range(2):
            sender(clock=clock).send(message(found.port))
    (_, first, body), (_, second, _) = found.requests
    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) in (60, 61)
    for headers in (first, second):
        Webhook(SECRET).verify(body, headers)


def test_a_message_shows_no_secret() -> None:
    """What a logger may print of it has no key, no path of a chat service's URL and nothing of a view."""
    assert repr(message(1)) == "Message(id='g7.57.1.webhook')"
    target = AddressCheck(resolve_host=resolve_to(), allow_private=True).parse(message(1).url)
    assert "hook" not in repr(target)


# Where it is sent


def test_tls_asks_for_the_name_and_checks_it(tmp_path: Path) -> None:
    """The connection goes to an address, SNI and certificate are those of the URL's host."""
    with receiver(answer(), server_context("example.org", tmp_path)) as found:
        assert sender().send(message(found.port, "https")) == SendResult()
    assert found.names == ["example.org"]
    assert Webhook(SECRET).verify(found.requests[0][2], found.headers)


@pytest.mark.parametrize("trusted", ["example.org", "other.example"])
def test_a_wrong_certificate(trusted: str, tmp_path: Path) -> None:
    """Of another host, or by an issuer that isn't known: nothing is sent."""
    host = {"example.org": "other.example", "other.example": "example.org"}[trusted]
    with receiver(answer(), server_context(host, tmp_path)) as found:
        outcome = sender(context=client_context(trusted)).send(message(found.port, "https"))
    assert fault_of(outcome) is Fault.TLS
    assert not found.requests


def test_a_receiver_without_tls() -> None:
    with receiver(answer("400 Bad Request")) as found:
        outcome = sender(timeout=SHORT).send(message(found.port, "https"))
    assert fault_of(outcome) in {Fault.TLS, Fault.TIMEOUT}
    assert BODY not in [body for _, _, body in found.requests]


def test_an_answer_of_the_resolver_that_flips() -> None:
    """The name is resolved once, and the connection goes to that answer: a second one would lead inside."""
    answers = iter(["127.0.0.1", "127.0.0.2"])

    def resolve(host: str, port: int) -> list[Any]:
        return resolve_to(next(answers))(host, port)

    with receiver(answer()) as found:
        check = AddressCheck(resolve_host=resolve, allow_private=True)
        assert sender(check=check).send(message(found.port)) == SendResult()
    assert found.connections == 1
    assert list(answers) == ["127.0.0.2"]


def test_a_name_that_has_become_private_is_not_called() -> None:
    """The check is made at each delivery, not only at the registration."""
    answers = iter(["8.8.8.8", "127.0.0.1"])

    def resolve(host: str, port: int) -> list[Any]:
        return resolve_to(next(answers))(host, port)

    check = AddressCheck(resolve_host=resolve)
    url = "https://example.org:8443/"
    assert check.check(url, patience(5)).addresses[0].sockaddr == ("8.8.8.8", 8443)
    outcome = sender(check=check).send(message(1, url=url))
    assert fault_of(outcome) is Fault.ADDRESS
    assert next(answers, None) is None


def test_the_next_address_is_called() -> None:
    check = AddressCheck(resolve_host=resolve_to("127.0.0.9", "127.0.0.1"), allow_private=True)
    with receiver(answer()) as found:
        assert sender(check=check).send(message(found.port)) == SendResult()


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert deliver(answer()) == SendResult()


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_a_redirect_inward_is_a_failure(status: str) -> None:
    with receiver(answer()) as inner:
        outcome = deliver(answer(status, f"Location: http://127.0.0.1:{inner.port}/"))
        assert fault_of(outcome) is Fault.REDIRECT
        assert inner.connections == 0

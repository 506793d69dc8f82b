"""An outage of a mail server or of a webhook's host is told once, with its words, and so is its end."""

import pytest
from structlog.testing import capture_logs

from service.post.channels.results import SendResult
from service.post.channels.smtp import send_mail
from service.post.notices import EMAIL, WEBHOOK
from service.post.sending.outages import _MOST, Outages
from tests.post.test_smtp import HELLO, MAIL, answering, behaving, plain
from tests.support.ports import free_port


def test_dead_mail_is_told_once() -> None:
    """Nobody listens, then a server wants a log-in first; addresses in its words stay out."""
    noted: list[bool] = []
    outages = Outages(noted.append)

    def attempt(*answers: bytes) -> None:
        with behaving(answering(*answers)) as server:
            outages.record(EMAIL, "mail", send_mail(MAIL, server))

    refusal = b"530 5.7.0 Log in first, reibach@example.org\r\n"
    with capture_logs() as lines:
        outages.record(EMAIL, "mail", SendResult())
        outages.record(EMAIL, "mail", send_mail(MAIL, plain(free_port())))
        attempt(refusal)
        attempt(*HELLO[:3], b"550 no such user\r\n")
        attempt(refusal)
    assert noted == [True, False, True, False]
    told = [(line["log_level"], line.get("reason"), line.get("said")) for line in lines]
    assert told == [
        ("warning", "no connection", None),
        ("info", None, None),
        ("warning", "server refused: 530", "5.7.0 Log in first, ..."),
    ]


def test_hosts_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players name them: a status below 500 is no outage, and of many that fail the oldest is forgotten."""
    outages = Outages(lambda _is_up: pytest.fail("this is no mail"))
    outages.record(WEBHOOK, "one", SendResult("status 404"))
    assert not outages._failing
    for number in range(3 * _MOST):
        outages.record(WEBHOOK, f"host {number}", SendResult("status 503", is_failing=True))
    assert [*outages._failing] == [f"host {number}" for number in range(2 * _MOST, 3 * _MOST)]

"""A new token for a lost one: by a confirmed address, once, and without a word to anyone else."""

import re
from dataclasses import replace

import pytest

from service.gamelog.store.generations import rotate_token
from service.post.quotas import MAILS_OF_ADDRESS, MAILS_OF_SEAT
from service.post.recovery import REPEAT_MS
from tests.api.desks import MAIL, PEOPLE, House
from tests.api.test_confirmed_by_mail import links
from tests.support.client import Table, refused


def confirmed(house: House, email: str = MAIL) -> Table:
    """A game whose first seat has confirmed its address; the mail that asked for that is away."""
    table = house.api.create(PEOPLE)
    house.put(table, email=email, on=[], language="de")
    house.confirm(table)
    house.send()
    house.mails.clear()
    return table


def ask(house: House, table: Table, email: str = MAIL) -> None:
    answer = house.api.post(f"{table.path}/lost-token", json={"email": email})
    assert (answer.status_code, answer.json()) == (202, {"valid_hours": 24})
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_lost_token_is_replaced_once(delivering: House) -> None:
    """By the page's button, not by opening it; the old token is revoked then."""
    house = delivering
    table = confirmed(house)
    ask(house, table)
    house.send()
    [mail] = house.mails
    assert mail["To"] == MAIL
    assert house.get(table, more="/deliveries").json() == {"deliveries": []}  # a thief would be warned
    assert mail["Subject"] == "Reibach & Co.: ein neuer Link zu deinem Platz"
    [path] = links(mail).values()
    asking = house.api.get(path)
    assert house.api.request("HEAD", path).status_code == 200
    assert asking.headers["Content-Language"] == "de"
    assert '<form method="post">' in asking.text
    assert house.get(table).status_code == 200
    shown = house.api.post(path)
    assert shown.status_code == 200
    assert shown.headers["Cache-Control"] == "no-store"
    [token] = re.findall(r"<pre><code>([^<]*)</code></pre>", shown.text)
    refused(house.get(table), 401, "invalid-token")
    table.tokens[0] = token
    assert house.get(table).json()["confirmed"] is True
    assert house.api.get(path).status_code == 404
    assert house.get(table).status_code == 200
    assert not any(token in str(one) for one in house.mails)


def test_capital_letters_of_an_address_do_not_matter(delivering: House) -> None:
    ask(delivering, confirmed(delivering, "Lia@example.org"), "lia@Example.ORG")
    delivering.send()
    assert [mail["To"] for mail in delivering.mails] == ["Lia@example.org"]


def test_nobody_learns_whose_an_address_is(delivering: House) -> None:
    """The outbox gets one notice in each case, and nobody but the confirmed address a mail."""
    house = delivering
    table, unconfirmed = confirmed(house), house.api.create(PEOPLE)
    house.put(unconfirmed, email=MAIL)
    house.send()
    house.mails.clear()
    for game, email in ((table, "other@example.org"), (unconfirmed, MAIL), (house.api.create(PEOPLE), MAIL)):
        ask(house, game, email)
    house.send()
    assert house.mails == []
    assert house.get(table, more="/deliveries").json() == {"deliveries": []}


def test_a_link_ends(house: House) -> None:
    table = confirmed(house)
    ask(house, table)
    [(_, details)] = house.desk.sent
    nonce, generation, until = details[0].split()
    good = (table.id, 0, nonce, int(generation), int(until))
    make = house.services.links.token
    assert house.api.get(f"/token/{make(*good)}").status_code == 200
    for bad in (
        (*good[:4], house.services.outside.clock() - 1),
        (*good[:3], 1, good[4]),
        (*good[:2], "other", *good[3:]),
        (table.id, 1, *good[2:]),
        ("gone", *good[1:]),
    ):
        for method in ("GET", "POST"):
            assert house.api.request(method, f"/token/{make(*bad)}").status_code == 404
    assert house.api.get(f"/confirm/{make(*good)}").status_code == 404
    assert house.get(table).status_code == 200
    assert house.services.recovery.renew(table.id, 0, 0, "another link") == 1
    assert house.services.recovery.renew(table.id, 0, 0, "a third one") is None
    assert house.api.post(f"/token/{make(*good)}").status_code == 404


def test_a_button_pressed_twice_shows_the_same_token(house: House) -> None:
    """For a short time, by any process, while that token is valid; another link of the lost token gives none."""
    table = confirmed(house)
    nonce, now = house.subscription(table).nonce, house.services.outside.clock()
    first, other = (
        f"/token/{house.services.links.token(table.id, 0, nonce, 0, now + more)}" for more in (10**8, 10**9)
    )
    shown = [house.api.post(first) for _ in range(2)]
    assert [answer.status_code for answer in shown] == [200, 200]
    assert shown[0].text == shown[1].text
    [token] = re.findall(r"<pre><code>([^<]*)</code></pre>", shown[1].text)
    assert house.api.post(other).status_code == 404
    table.tokens[0] = token
    assert house.get(table).status_code == 200
    stored = house.log.store.client.hgetall(house.log.store.keys(table.id).idempotency)
    assert not any(token.encode() in text or first.encode() in text for pair in stored.items() for text in pair)
    late = replace(house.services.recovery, clock=lambda: house.services.clock.now_ms() + REPEAT_MS)
    assert late.renew(table.id, 0, 0, first.removeprefix("/token/")) is None
    assert house.api.post(first).text == shown[0].text
    rotate_token(house.log.store, table.id, 0)
    assert house.api.post(first).status_code == 404


def test_what_is_asked_too_often(house: House) -> None:
    """Is refused for an address in one game, whether or not it is a seat's; in several games it is held back."""
    table = confirmed(house)
    for email in (MAIL, "other@example.org"):
        for _ in range(MAILS_OF_SEAT):
            ask(house, table, email)
        refused(house.api.post(f"{table.path}/lost-token", json={"email": email}), 429, "too-many-requests")
    nonce = house.subscription(table).nonce
    sent = [details[0].split()[0] == nonce for _, details in house.desk.sent]
    assert sent == [True] * MAILS_OF_ADDRESS + [False] * MAILS_OF_SEAT
    other = house.api.create(PEOPLE)
    house.put(other, email="anna+x@example.org")
    house.confirm(other)
    ask(house, other, "anna+x@example.org")
    assert house.desk.sent[-1][1][0].split()[0] != house.subscription(other).nonce


@pytest.mark.parametrize("body", [{}, {"email": "anna"}, {"email": None}, {"email": MAIL, "seat": 0}, {"email": 1}])
def test_what_is_no_address_is_refused(house: House, body: object) -> None:
    table = house.api.create(PEOPLE)
    refused(house.api.post(f"{table.path}/lost-token", json=body), 422, "invalid-request")
    refused(house.api.post("/v1/games/gone/lost-token", json={"email": MAIL}), 404, "no-such-game")

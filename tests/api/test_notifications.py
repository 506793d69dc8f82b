"""What a seat asks to be told: stored and shown as asked, checked at the door, and known to no other seat."""

import json
from typing import Any

import pytest
from standardwebhooks import Webhook

from service.post.quotas import MAILS_OF_ADDRESS, MAILS_OF_CLIENT, MAILS_OF_DOMAIN, MAILS_OF_SEAT, MOST_WAITING
from service.runtime import logs
from tests.api.desks import MAIL, PEOPLE, URL, House
from tests.gamelog.ledger import finish
from tests.support.cases import cases
from tests.support.client import refused

# Asking, showing, ending


def test_what_was_asked_for_is_shown(house: House) -> None:
    """By `PUT` and `GET` alike, to that seat alone; with the webhook's secret and whether the address is confirmed."""
    hours = {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"}
    table = house.api.create(PEOPLE, pace={"turn_seconds": 3600, "hours": hours})
    body = {
        "email": MAIL,
        "webhook": {"url": URL},
        "on": ["turn", "reminder", "scoring", "over", "message", "people"],
        "language": "de",
        "zone": "America/New_York",
        "quiet": {"from": "22:00", "to": "08:00"},
        "while_watching": False,
        "receipts": False,
    }
    refused(house.get(table), 404, "not-found")
    put, got = house.put(table, **body), house.get(table)
    assert (put.status_code, got.status_code) == (200, 200)
    shown = got.json()
    assert shown == put.json()
    assert Webhook(shown["webhook"].pop("secret"))
    assert shown == {**body, "confirmed": False, "refused": False, "push": []}
    for answer in (put, got, house.get(table, more="/deliveries")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert "ETag" not in answer.headers
    refused(house.get(table, 1), 404, "not-found")
    usual = {"email": None, "confirmed": None, "quiet": None, "while_watching": True, "receipts": True, "push": []}
    usual |= {"refused": False, "on": body["on"], "language": "en", "zone": "Europe/Berlin"}
    theirs = house.put(table, 1, webhook={"url": URL}).json()
    assert theirs == {**usual, "webhook": house.get(table, 1).json()["webhook"]}
    house.confirm(table)
    assert house.get(table).json()["confirmed"] is True
    ended = house.api.request("DELETE", f"{table.path}/notifications", table.tokens[0])
    assert (ended.status_code, ended.content) == (204, b"")
    assert "Content-Type" not in ended.headers
    refused(house.get(table), 404, "not-found")
    again = house.api.request("DELETE", f"{table.path}/notifications", table.tokens[0])
    assert again.status_code == 204
    assert house.get(table, 1).status_code == 200
    assert house.desk.forgotten == [(table.id, 0)] * 2


def test_a_secret_stays_with_its_url(house: House) -> None:
    """And is another one for each URL and seat; the forms of chat services show none."""
    table = house.api.create(PEOPLE)

    def secret(url: str, seat: int = 0, **more: str) -> str | None:
        found: str | None = house.put(table, seat, webhook={"url": url, **more}).json()["webhook"].get("secret")
        return found

    first = secret(URL)
    assert first
    assert secret(URL, format="standard") == first
    assert secret(URL, 1) not in {first, None}
    assert secret(URL, format="discord") is None
    assert house.get(table).json()["webhook"] == {"url": URL, "format": "discord"}
    assert secret(URL, format="slack", mention="W012A3CDE") is None
    assert house.get(table).json()["webhook"] == {"url": URL, "format": "slack", "mention": "W012A3CDE"}
    assert secret(URL) == first
    assert secret(f"{URL}c") not in {first, None}
    assert secret(URL) not in {first, None}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        *cases(__file__, "what_cannot_be"),
        (json.dumps({"email": "a" * 255}), "email"),
        (json.dumps({"webhook": {"url": "https://" + "a" * 2000}}), "webhook.url"),
    ],
)
def test_what_cannot_be_is_refused(house: House, body: str, field: str) -> None:
    """The field is named, the address and the URL's host are not repeated, and nothing is kept."""
    table = house.api.create(PEOPLE)
    answer = house.put(table, **json.loads(body))
    if field != "malformed":
        problem = refused(answer, 422, "invalid-request")
        assert list(problem["errors"]) == [field]
        assert not any(word in answer.text for word in ("anna", "10.0.0.1", "inside", "Bcc"))
    assert answer.status_code in {400, 422}
    refused(house.get(table), 404, "not-found")
    assert house.desk.asked == house.desk.told == []


@pytest.mark.parametrize("language", ["en", "de", "nl", "fr"])
def test_a_refused_url_is_explained(house: House, language: str) -> None:
    """In the language of the request, each fault in other words."""
    table = house.api.create(PEOPLE)
    urls = ["http://example.org", "https://inside.example.org", "https://a@example.org", "https://example.org:22"]
    urls += ["https://127.1/", "https://[::", "https://ä.org"]
    path, headers = f"{table.path}/notifications", {"Accept-Language": language}
    said = set()
    for url in urls:
        answer = house.api.request("PUT", path, table.tokens[0], json={"webhook": {"url": url}}, headers=headers)
        said.update(refused(answer, 422, "invalid-request")["errors"]["webhook.url"])
    assert len(said) == len(urls)
    inside, unknown = (house.put(table, webhook={"url": f"https://{name}.example.org/"}) for name in ("inside", "none"))
    assert inside.content == unknown.content  # as one that doesn't exist


def test_without_a_mail_server_an_address_is_refused(without_mail: House) -> None:
    table = without_mail.api.create(PEOPLE)
    problem = refused(without_mail.put(table, email=MAIL), 422, "invalid-request")
    assert problem["errors"] == {"email": ["This service sends no email: give a webhook instead."]}
    assert without_mail.put(table, webhook={"url": URL}).status_code == 200


def test_who_may_ask(house: House) -> None:
    """A seat of this game, with its own token; refusals come in the contract's order."""
    table, other = house.api.create(PEOPLE), house.api.create(PEOPLE)
    path = f"{table.path}/notifications"
    for method, where in (("PUT", path), ("GET", path), ("DELETE", path), ("GET", f"{path}/deliveries")):
        more = {"json": {"webhook": {"url": URL}}} if method == "PUT" else {}
        refused(house.api.request(method, where, **more), 401, "missing-token")
        refused(house.api.request(method, where, "nonsense", **more), 401, "invalid-token")
        refused(house.api.request(method, where, other.tokens[0], **more), 403, "not-your-game")
        gone = house.services.tokens.issue("gone", 0)
        refused(house.api.request(method, where.replace(table.id, "gone"), gone, **more), 404, "no-such-game")
    refused(house.api.request("POST", path, table.tokens[0], json={}), 405, "method-not-allowed")
    refused(house.api.request("PUT", path, table.tokens[0], content=b"x"), 415, "unsupported-media-type")


def test_a_game_that_is_over_takes_no_subscription(house: House) -> None:
    """What was asked for before stays: there may be messages; it can still be shown and ended."""
    bots = house.api.create([{"name": "Anna"}, {"bot": "greedy"}])
    house.put(bots, webhook={"url": URL})
    finish(house.log, bots.id)
    refused(house.put(bots, webhook={"url": f"{URL}c"}), 409, "game-over")
    assert house.get(bots).json()["webhook"]["url"] == URL
    assert house.api.request("DELETE", f"{bots.path}/notifications", bots.tokens[0]).status_code == 204


# Nobody else learns of it


def test_no_other_seat_learns_of_it(house: House) -> None:
    """Views, tags, events and exports of the others are byte for byte what they were; so are their refusals."""
    table = house.api.create(PEOPLE)
    paths = ("", "/events", "/scores", "/recap", "/legal-actions", "/receipt", "/notifications")

    def seen() -> list[tuple[Any, ...]]:
        answers = [house.api.get(table.path + path, table.tokens[1]) for path in paths]
        answers += [house.api.get(table.path + path) for path in paths]
        return [(answer.status_code, answer.content, answer.headers.get("ETag")) for answer in answers]

    before = seen()
    house.put(table, email=MAIL, webhook={"url": URL})
    house.confirm(table)
    assert seen() == before
    assert house.api.view(table, 0) is not None
    assert all(MAIL not in str(house.api.get(table.path + path, table.tokens[0]).content) for path in paths[:-1])


def test_nothing_of_it_stands_in_the_log(house: House, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither address nor URL nor secret, also where the service fails."""
    table = house.api.create(PEOPLE)
    secret = house.put(table, email=MAIL, webhook={"url": URL}).json()["webhook"]["secret"]

    def fail(*_: object) -> None:
        raise RuntimeError

    logs.configure("text")
    house.desk.notify_turn = fail  # type: ignore[method-assign]  # as a fault of ours would
    assert house.put(table, email="bert@example.org", webhook={"url": f"{URL}c"}).status_code == 500
    printed = "".join(capfd.readouterr())
    assert "unforeseen error" in printed
    assert not any(word in printed for word in ("anna@", "bert@", "hook?", secret, table.tokens[0]))


# Mails to addresses that have not agreed


def test_a_new_address_is_asked_once(house: House) -> None:
    """One mail for each address that is new or changed; a confirmed one that stays is not asked again."""
    table = house.api.create(PEOPLE)
    house.put(table, email=MAIL)
    house.put(table, email=MAIL, language="fr")
    assert len(set(house.desk.asked)) == 1
    house.confirm(table)
    assert house.put(table, email=MAIL, on=["turn"], webhook={"url": URL}).json()["confirmed"] is True
    assert len(set(house.desk.asked)) == 1
    old = house.subscription(table).nonce
    assert house.put(table, email="other@example.org").json()["confirmed"] is False
    assert len(set(house.desk.asked)) == 2
    assert house.put(table, email=MAIL).json()["confirmed"] is False
    assert len(set(house.desk.asked)) == 3
    assert house.subscription(table).nonce != old
    assert {nonce for _, _, nonce in house.desk.asked} >= {house.subscription(table).nonce}


def spellings(number: int) -> list[str]:
    """Of one mailbox, as the one or the other mail server has it."""
    return [f"an.na{'+-='[word % 3]}{word}@{'googlemail' if word % 2 else 'gmail'}.com" for word in range(number)]


def test_an_address_gets_few_mails_a_day(house: House) -> None:
    """Across games and in whatever spelling, and so does a domain; each attempt of one mail counts once."""
    may_ask = house.services.registrar.quotas.may_ask
    asked = [[may_ask(address, address, "g/0") for _ in range(2)] for address in spellings(MAILS_OF_ADDRESS + 2)]
    assert asked == [[True] * 2] * MAILS_OF_ADDRESS + [[False] * 2] * 2
    names = [may_ask(f"name{number}@example.org", f"mail {number}", "g/0") for number in range(MAILS_OF_DOMAIN + 1)]
    assert names == [True] * MAILS_OF_DOMAIN + [False]
    assert may_ask("berta@gmail.com", "another", "g/0")


def test_a_seat_asks_few_addresses_a_day(house: House) -> None:
    """Refused with the time to wait; nothing changes then, and a webhook is still taken."""
    table = house.api.create(PEOPLE)
    for number in range(MAILS_OF_SEAT):
        assert house.put(table, email=f"a{number}@example.org").status_code == 200
    late = house.put(table, email="late@example.org")
    refused(late, 429, "too-many-requests")
    assert 0 < int(late.headers["Retry-After"]) <= 24 * 3600
    assert house.get(table).json()["email"] == f"a{MAILS_OF_SEAT - 1}@example.org"
    assert house.put(table, email=f"a{MAILS_OF_SEAT - 1}@example.org", on=[]).status_code == 200
    assert house.put(table, webhook={"url": URL}).status_code == 200
    assert house.put(table, 1, email="bert@example.org").status_code == 200


def test_a_client_asks_few_addresses_a_day(limited: House) -> None:
    """Across games and seats, each once, whoever else has named it; without limits of a client, seats keep theirs."""
    house, statuses = limited, []
    assert house.services.registrar.quotas.may_ask("a3@example.org", "another client's", "g/0")
    for number in range(MAILS_OF_CLIENT + 1):
        if number % MAILS_OF_SEAT == 0:
            table = house.api.create(PEOPLE)
        statuses.append(house.put(table, email=f"a{number}@example.org").status_code)
    assert statuses == [200] * MAILS_OF_CLIENT + [429]
    house.services.registrar.answer(house.services.registrar.quotas.digest("a7@example.org"), ["g/0"])
    assert [house.put(table, email=f"b{number}@example.org").status_code for number in range(2)] == [200, 429]
    assert house.put(house.api.create(PEOPLE), email="a3@example.org").status_code == 200


def test_who_names_an_address_often_displaces_nobody_else(house: House) -> None:
    """Of too many seats that wait the older ones of the client go that has most."""
    quotas = house.services.registrar.quotas
    for game, client in [("anna", "a"), *((f"eve{number}", "e") for number in range(MOST_WAITING)), ("late", "b")]:
        quotas.name(game, 0, MAIL, client, ("", "nonce"))
    quotas.may_ask(MAIL, "mail", "late/0")
    waiting, _ = quotas.list_waiting(quotas.digest(MAIL), "mail", "late/0")
    kept = ["anna", *(f"eve{number}" for number in range(2, MOST_WAITING)), "late"]
    assert waiting == {f"{game}/0": "nonce" for game in kept}


def test_the_counts_hold_no_address(house: House) -> None:
    """Nor does any other key or value but the subscription itself; all counts end."""
    table = house.api.create(PEOPLE)
    house.put(table, email=MAIL)
    client = house.log.store.client
    counts = [key for key in client.keys("*") if key.startswith(b"{mails}")]
    assert len(counts) == 3
    assert all(0 < client.ttl(key) <= (7 if b"waiting" in key else 1) * 24 * 3600 for key in counts)
    house.api.request("DELETE", f"{table.path}/notifications", table.tokens[0])
    for key in client.keys("*"):
        assert b"anna" not in key.lower()
        if client.type(key) == b"string":
            assert b"anna@" not in client.get(key)
        elif client.type(key) == b"hash":
            assert b"anna@" not in b"".join(client.hvals(key))


def test_a_client_has_few_names_resolved_a_minute(limited: House) -> None:
    table = limited.api.create(PEOPLE)
    statuses = [limited.put(table, webhook={"url": URL}).status_code for _ in range(30)]
    assert statuses.index(429) == statuses.count(200)
    assert statuses.count(200) >= 20

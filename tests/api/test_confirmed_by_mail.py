"""From a `PUT` to the first mail and its end, through outbox and sender, with the links as the mails have them."""

import re
from contextlib import nullcontext
from datetime import UTC, datetime
from email.message import EmailMessage
from unittest.mock import Mock

import httpx
import pytest

from domain.clock.timestamps import milliseconds
from service.gamelog.store.errors import StoreUnavailable
from service.post.channels.results import SendResult
from service.post.quotas import INVITES_MS, MAILS_OF_ADDRESS, MAILS_OF_CLIENT, MailQuotas, TooManyMails
from service.post.subscriptions import Subscription
from tests.api.desks import FORM, MAIL, PEOPLE, House
from tests.post.mails import text_of
from tests.support.cases import cases
from tests.support.client import Table, refused


def links(mail: EmailMessage) -> dict[str, str]:
    """By the first word of its path, each link of the plain text that leads to a page with a button."""
    body = mail.get_body(("plain",))
    assert body is not None
    found = re.findall(r"https://reibach\.test(/(confirm|unsubscribe|token)/\S+)", body.get_content())
    return {word: path for path, word in found}


def test_an_address_is_asked_confirmed_told_and_left_alone(delivering: House) -> None:
    """One mail until the button is pressed; then the turn that is on; none after the other button."""
    house, mails = delivering, delivering.mails
    table = house.api.create(PEOPLE)
    house.put(table, email=MAIL, on=["turn"], language="fr")
    house.put(table, email=MAIL, on=["turn", "over"], language="nl")
    house.send()
    [asking] = mails
    assert asking["To"] == MAIL
    assert not any(seat["name"] in str(asking) for seat in PEOPLE)
    assert list(links(asking)) == ["confirm"]
    assert [house.press(links(asking)["confirm"]).status_code for _ in range(2)] == [200] * 2
    house.send()
    [turn] = mails[1:]
    assert turn["Message-ID"].startswith("<turn.")
    path = links(turn)["unsubscribe"]
    assert turn["List-Unsubscribe"] == f"<https://reibach.test{path}>"
    assert house.api.post(path, content=b"List-Unsubscribe=One-Click", headers=FORM).status_code == 200
    assert house.get(table).status_code == 404
    assert house.api.act(table, 0, {"type": "draw"}).status_code == 201
    house.send()
    assert len(mails) == 2
    deliveries = house.get(table, more="/deliveries").json()["deliveries"]
    assert [(one["channel"], one["type"], one["status"]) for one in deliveries] == [
        ("email", "turn.started", "delivered"),
        ("email", "confirmation", "delivered"),
    ]


def test_an_address_is_told_of_a_webhook_that_is_added_beside_it(delivering: House) -> None:
    """Once for each, five times a day, by its host alone; an address that isn't confirmed is told nothing."""
    house, mails = delivering, delivering.mails
    table = house.api.create(PEOPLE, starting_seat=1)
    hook = {"url": "https://example.org/secret-path"}
    house.put(table, email=MAIL, on=["over"], webhook=hook)
    house.send()
    assert house.api.post(links(mails[0])["confirm"]).status_code == 200
    for number in range(7):
        hook = {"url": f"https://example.org/secret-path-{number}"}
        for _ in range(2):
            assert house.put(table, email=MAIL, on=["over"], language="de", webhook=hook).status_code == 200
        house.send()
    told = [mail for mail in mails[1:] if "Webhook" in mail["Subject"]]
    assert (len(told), len(mails)) == (5, 6)
    assert len({mail["Message-ID"] for mail in told}) == 5
    assert all("gehen jetzt auch an example.org" in " ".join(str(mail).split()) for mail in told)
    assert not any("secret-path" in mail.as_string() for mail in told)


def asks(house: House, table: Table, seat: int = 0) -> list[tuple[str, str]]:
    """Type and status of the seat's deliveries."""
    deliveries = house.get(table, seat, more="/deliveries").json()["deliveries"]
    return [(one["type"], one["status"]) for one in deliveries]


def boxes(page: str) -> dict[str, bool]:
    """By value, whether the box is ticked."""
    return {value: bool(ticked) for value, ticked in re.findall(r'name="seat" value="(\S+)"( checked)?>', page)}


def test_one_mail_serves_all_seats_that_wait_for_an_address(delivering: House) -> None:
    """Its page lists them and confirms those that are ticked. No seat learns of the others from what it is shown."""
    house, mails = delivering, delivering.mails
    tables = [house.api.create(PEOPLE, name=f"Table <{number}>") for number in range(3)]
    answers = [house.put(tables[0], email=MAIL, on=["turn"]).json()]
    house.send()
    answers += [house.put(table, email=MAIL, on=["turn"]).json() for table in tables[1:]]
    assert answers == [answers[0]] * 3
    house.send()
    for table in tables[1:]:  # nor is one sent to a seat that asks again
        assert house.put(table, email=MAIL, on=["turn"]).json() == answers[0]
        assert house.api.request("DELETE", f"{table.path}/notifications", table.tokens[0]).status_code == 204
        assert house.put(table, email=MAIL, on=["turn"]).json() == answers[0]
    house.put(tables[0], 1, email="bert@example.org")
    house.send()
    assert [mail["To"] for mail in mails] == [MAIL, "bert@example.org"]
    assert "Table" not in mails[0].as_string()
    assert asks(house, tables[0]) == asks(house, tables[2]) == [("confirmation", "delivered")]
    path = links(mails[0])["confirm"]
    page = house.api.get(path).text
    first, second, third = (f"{table.id}/0" for table in tables)
    assert boxes(page) == {first: True, second: False, third: False}
    assert "Table &lt;1&gt; (Anna, Bert): Anna" in page
    assert boxes(house.api.post(path, content=b"list=1", headers=FORM).text) == boxes(page)
    done = house.press(path, first, third)
    assert [f'href="/g/{table.id}#seat=0"' in done.text for table in tables] == [True, False, True]
    assert "You can tick the other games later" in done.text
    assert [house.get(table).json()["confirmed"] for table in tables] == [True, False, True]
    house.send()
    assert len(mails) == 4
    assert house.api.request("DELETE", tables[0].path + "/notifications", tables[0].tokens[0]).status_code == 204
    assert house.api.post(path).status_code == 404  # its own seat is none any more, and of others the next mail asks
    late = house.api.create(PEOPLE)
    house.put(late, email=MAIL)
    house.send()
    assert boxes(house.api.get(links(mails[-1])["confirm"]).text) == {f"{late.id}/0": True, second: False}
    assert house.press(path, second).status_code == 404
    house.forget_quotas()  # and nothing was answered
    house.put(late, email=MAIL)
    house.send()
    assert [mail["Message-ID"].partition(".")[0] for mail in mails[-2:]] == ["<confirmation"] * 2


@pytest.mark.parametrize(("form", "city"), [("zone=Asia%2FTokyo", "Tokio"), ("zone=Mars", "New York")])
def test_a_guest_gets_a_seat_by_mail(delivering: House, form: str, city: str) -> None:
    """Its link, by a page's button, and the seat's mails, in the browser's zone or the opener's, who never has it."""
    house, mails = delivering, delivering.mails
    seats = [{"name": "Anna"}, {"name": "Bert", "invite": MAIL, "language": "de", "zone": "America/New_York"}]
    pace = {"turn_seconds": 86_400, "hours": {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"}}
    body = {"name": "club.example", "starting_seat": 1, "seats": seats, "pace": pace}
    key = {"Idempotency-Key": "a key that opens one game"}
    made = [house.api.post("/v1/games", json=body, headers=key) for _ in range(7)]
    assert {answer.status_code for answer in made} == {201}
    assert [seat["seat"] for seat in made[-1].json()["seats"]] == [0]
    house.send()
    [invitation] = mails
    assert (invitation["To"], invitation["Subject"]) == (MAIL, "Reibach & Co.: eine Einladung")
    facts = "mit Anna und Bert. Für jeden Zug ist so lange Zeit: 1 Tag; danach spielt ein Bot ihn zu Ende."
    assert f"Der Tisch: „club.\u2060example“, {facts}" in " ".join(text_of(invitation).split())
    game, old = made[0].json()["game"]["id"], links(invitation)["confirm"]
    listed, anna = f"/v1/games/{game}/invitations", made[-1].json()["seats"][0]["token"]
    for _ in range(2):
        again = house.api.request("PUT", f"{listed}/1", anna)
        (shown,) = again.json()["invitations"]
        assert (shown["seat"], shown["name"], shown["error"]) == (1, "Bert", None)
        house.send()
        house.forget_quotas()
    assert len(mails) == 2
    path = links(mails.pop())["confirm"]
    assert house.api.get(old).status_code == 404
    assert "club.example (Anna, Bert): Bert" in (page := house.api.get(path).text)
    assert "token=" not in page
    for _ in range(2):
        done = house.api.post(path, content=form, headers=FORM).text
        found = re.search(r'href="/g/(\w+)#seat=1&amp;token=([^"]+)"', done)
        assert found is not None
        assert found[1] == game
    assert house.api.get(f"/v1/games/{game}", found[2]).json()["you"]["seat"] == 1
    answered = house.api.get(listed, anna)
    (shown,) = answered.json()["invitations"]
    assert (shown["seat"], shown["status"], shown["until"]) == (1, "taken", None)
    refused(house.api.request("PUT", f"{listed}/1", anna), 404, "not-found")
    house.send()
    (turn,) = mails[1:]
    assert turn["Message-ID"].startswith("<turn.")
    assert f"({city})" in text_of(turn)
    guest = Table(game, {1: found[2]}, {})
    assert house.api.request("DELETE", f"{guest.path}/notifications", guest.tokens[1]).status_code == 204
    assert house.api.get(listed, anna).content == answered.content  # that the guest wants no mails is nobody's business
    guest.tokens[1] = house.api.post(f"{guest.path}/seats/1/handover", guest.tokens[1]).json()["token"]
    assert house.api.post("/v1/games", json=body, headers=key).status_code == 201
    assert house.get(guest, 1).status_code == 404
    house.send()
    assert len(mails) == 2


def test_the_first_turns_clock_begins_with_the_last_guest(delivering: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose button gives the seat in any case; pressed again, it makes up for what has failed, and adds nothing."""
    house, guests = delivering, ["bert@example.org", "cleo@example.org"]
    seats = [{"name": "Anna"}, *({"name": address[:4], "invite": address} for address in guests)]
    pace = {"turn_seconds": 3600, "reminder_seconds": 600}
    table = house.api.create(seats, pace=pace, starting_seat=1)
    house.send()
    paths = {mail["To"]: links(mail)["confirm"] for mail in house.mails}

    def press(address: str, accepted: int) -> list[int]:
        """Seconds from the last event, of so many acceptances, to deadline and reminder."""
        assert "token=" in house.press(paths[address]).text
        *_, last = events = house.api.events(table)
        assert [event["type"] for event in events[6:]] == ["SeatsInvited", *["InvitationAccepted"] * accepted]
        store, until = house.log.store, milliseconds(house.api.view(table)["turn"]["deadline"])
        plans = [
            at for key in store.shard_keys("reminders") for _, at in store.client.zrange(key, 0, -1, withscores=True)
        ]
        return [(int(at) - milliseconds(last["at"])) // 1000 for at in (until, *plans)]

    assert press(guests[0], 1)[0] in range(7100, 7201)
    with monkeypatch.context() as patch:
        patch.setattr(house.services.games, "handle", Mock(side_effect=StoreUnavailable("it is gone")))
        assert press(guests[1], 1)[0] in range(7100, 7201)
    for _ in range(2):
        assert press(guests[1], 2) == [3600, 3000]
    house.send()
    assert [mail["To"] for mail in house.mails[2:]] == ["bert <bert@example.org>"]  # whose turn it is, and nobody else


@pytest.mark.nightly
def test_a_repeat_invites_where_a_process_has_crashed(delivering: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that was done; but not a day later."""
    registrar = delivering.services.registrar
    body, key = {"seats": [{"name": "Bert", "invite": MAIL}, {}]}, {"Idempotency-Key": "a key that opens one game"}
    with monkeypatch.context() as patch:
        patch.setattr(registrar.subscriptions, "change", lambda *_: 1 / 0)
        assert delivering.api.post("/v1/games", json=body, headers=key).status_code == 500
        loaded = delivering.log.load(delivering.services.deployment.new_game_id(*key.values()))
        registrar.invite(
            loaded, {0: Subscription(email=MAIL, language="de", zone="")}, ["nonce"], loaded.game.created + INVITES_MS
        )
    assert delivering.api.post("/v1/games", json=body, headers=key).status_code == 201
    delivering.send()
    assert [mail["To"] for mail in delivering.mails] == [MAIL]


def test_a_link_opens_only_its_own_seat(delivering: House) -> None:
    """Not those of other invitations, which come by mails of their own; and nothing that came after it.

    Neither its own one's new token; nor its first, but for the two minutes after the button.
    """
    house, mails = delivering, delivering.mails

    def invite(name: str) -> str:
        table = house.api.create([{"name": "Anna"}, {"name": "Bert", "invite": MAIL}], name=name)
        house.send()
        return f"{table.id}/1"

    first, path = invite("Club").partition("/")[0], links(mails[0])["confirm"]
    link = house.services.links.read_confirm(path.rpartition("/")[2])
    assert link is not None
    assert 0 < link.until - house.services.outside.clock() <= 7 * 24 * 3_600_000
    ended = house.services.links.confirm(*link[:4], house.services.outside.clock() - 1)
    assert [house.api.request(method, f"/confirm/{ended}").status_code for method in ("GET", "POST")] == [404] * 2
    assert ["token=" in house.api.post(path).text for _ in range(2)] == [True] * 2
    second = invite("Secret")
    asking = next(links(mail)["confirm"] for mail in mails[1:] if "confirm" in links(mail))
    taken = house.press(path, second)
    assert not re.search("token=|Secret", taken.text + house.api.get(path).text)
    assert house.services.recovery.renew(first, 1, 0, "a lost token") == 1
    assert "token=" not in house.api.post(path).text
    other = invite("Third")
    house.log.store.client.delete(*house.log.store.client.keys("{mails}:guest:*"))  # two minutes later
    assert "token=" not in house.api.post(path).text
    assert boxes(house.api.get(asking).text) == {}
    done = house.press(asking, second, other).text
    assert (done.count("token="), other.partition("/")[0] in done) == (1, False)
    assert "for each of them an email with its own link is on its way" in done
    for _ in range(2):  # pressed again, it sends no other
        house.send()
        assert house.press(asking, second).status_code == 200
    (own,) = (mail for mail in mails if "confirm" in links(mail) and links(mail)["confirm"] not in {path, asking})
    assert "don\u2019t pass it on" in " ".join(text_of(own).split())
    assert f"/g/{other.partition('/')[0]}#seat=1&amp;token=" in house.api.post(links(own)["confirm"]).text


UNKNOWN = SendResult("recipient refused: 550", is_refused=True)


def test_an_invitation_that_fails_is_heard_and_corrected(delivering: House) -> None:
    """By who invites; another address may be given once the mailbox has refused a mail, and not before."""
    house, now = delivering, delivering.services.outside.clock()
    table = house.api.create([{"name": "Anna"}, {"name": "Bert", "invite": "bert@exmaple.org"}])

    def invitation() -> tuple[str, bool, str | None]:
        (shown,) = house.api.get(f"{table.path}/invitations", table.tokens[0]).json()["invitations"]
        return shown["status"], shown["until"] is not None, shown["error"]

    def correct(**body: str) -> httpx.Response:
        return house.api.request("PUT", f"{table.path}/invitations/1", table.tokens[0], json=body)

    assert invitation() == ("waiting", True, None)
    answer = refused(correct(email=MAIL), 422, "invalid-request")
    assert list(answer["errors"]) == ["email"]
    house.fault = UNKNOWN
    house.send()
    assert invitation() == ("waiting", True, "recipient refused")
    kept = house.subscription(table, 1)
    for body in ({}, {"email": "no address"}, {"mail": MAIL}):
        refused(correct(**body), 422, "invalid-request")
    note = house.services.registrar.subscriptions.note_mailbox
    assert note(table.id, 1, "bert@exmaple.org", now + 2 * 86_400_000, 86_400_000)  # a day later
    house.log.store.client.delete(*house.log.store.shard_keys("retries"))
    assert invitation() == ("refused", False, "recipient refused")
    house.fault = None
    assert correct(email=MAIL).status_code == 200
    house.send()
    assert invitation() == ("sent", False, None)
    assert [mail["To"] for mail in house.mails] == [MAIL]
    assert house.services.links.confirm(table.id, 1, kept.nonce) not in text_of(house.mails[0])
    assert "token=" in house.api.post(links(house.mails[0])["confirm"]).text
    assert invitation() == ("taken", False, None)
    refused(correct(email="eve@example.org"), 404, "not-found")


def test_one_client_blocks_no_mail_of_another(delivering: House) -> None:
    """Its own wait, and are seen to; within the day's limit of the address each client's first goes at once."""
    house, register = delivering, delivering.services.registrar.register
    wish = Subscription(email=MAIL, language="en", zone="")
    tables = [house.api.create(PEOPLE) for _ in range(2 * MAILS_OF_ADDRESS)]
    for number, table in enumerate(tables):
        token = house.services.tokens.read(table.tokens[0])
        assert token is not None
        register(house.log.load(table.id).game, token, wish, f"client {number // 2}")
        house.send()
    assert len(house.mails) == MAILS_OF_ADDRESS
    asked = [links(mail)["confirm"] for mail in house.mails]
    assert all(boxes(house.api.get(path).text)[f"{tables[0].id}/0"] in {True, False} for path in asked)
    invited = house.api.create([{"name": "Anna"}, {"name": "Bert", "invite": MAIL}])
    house.send()
    (shown,) = house.api.get(f"{invited.path}/invitations", invited.tokens[0]).json()["invitations"]
    assert (shown["status"], shown["until"][:10] > f"{datetime.now(UTC):%Y-%m-%d}") == ("waiting", True)


@pytest.mark.parametrize(("seat", "field"), cases(__file__, "bad_invitations"))
def test_bad_invitations_are_refused(house: House, seat: dict[str, str], field: str) -> None:
    answer = house.api.post("/v1/games", json={"seats": [{"name": "Anna"}, seat]})
    assert list(refused(answer, 422, "invalid-request")["errors"]) == [field]


def test_invitations_need_mail_and_have_limits(without_mail: House, limited: House) -> None:
    """Those of mails to new addresses: 20 a day for a client, and no game is opened then."""
    seats = [[{"name": "Anna"}, {"name": "Bert", "invite": f"bert{number}@example.org"}] for number in range(21)]
    refused(without_mail.api.post("/v1/games", json={"seats": seats[0]}), 422, "invalid-request")
    statuses = [limited.api.post("/v1/games", json={"seats": one}).status_code for one in seats]
    assert statuses == [201] * 20 + [429]
    assert limited.api.post("/v1/games", json={"seats": seats[0]}).status_code == 201


def test_a_whole_club_behind_one_address_is_told_by_mail(limited: House) -> None:
    """Only addresses that don't answer count against it, and the host may set how many."""
    for number in range(MAILS_OF_CLIENT + 5):
        table = limited.api.create(PEOPLE)
        assert limited.put(table, email=f"member{number}@example.org").status_code == 200
        link = limited.services.links.confirm(
            table.id,
            0,
            limited.subscription(table).nonce,
            limited.services.registrar.quotas.digest(f"member{number}@example.org"),
            2**52,
        )
        assert limited.api.post(f"/confirm/{link}").status_code == 200
    quotas = MailQuotas(limited.log.store, b"", 2)
    for number in range(3):
        with pytest.raises(TooManyMails) if number == 2 else nullcontext():
            quotas.name("g", number, f"a{number}@example.org", "one", ("", "nonce"))

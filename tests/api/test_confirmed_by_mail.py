"""From a `PUT` to the first mail and its end, through outbox and sender, with the links as the mails have them."""

import re
from email.message import EmailMessage

from tests.api.desks import MAIL, PEOPLE, House
from workers.post.process import PostProcess, open_post


def send(process: PostProcess) -> None:
    while process.pool.send_due():
        assert process.pool.wait(30)


def links(mail: EmailMessage) -> dict[str, str]:
    """By the first word of its path, each link of the plain text that leads to a page with a button."""
    body = mail.get_body(("plain",))
    assert body is not None
    found = re.findall(r"https://reibach\.test(/(confirm|unsubscribe|token)/\S+)", body.get_content())
    return {word: path for path, word in found}


def test_an_address_is_asked_confirmed_told_and_left_alone(delivering: House) -> None:
    """One mail until the button is pressed; then the turn that is on; none after the other button."""
    house, mails = delivering, delivering.mails
    process = open_post(house.services)
    table = house.api.create(PEOPLE)
    house.put(table, email=MAIL, on=["turn"], language="fr")
    house.put(table, email=MAIL, on=["turn", "over"], language="nl")
    send(process)
    [asking] = mails
    assert asking["To"] == MAIL
    assert not any(seat["name"] in str(asking) for seat in PEOPLE)
    assert list(links(asking)) == ["confirm"]
    assert house.api.post(links(asking)["confirm"]).status_code == 200
    assert house.api.post(links(asking)["confirm"]).status_code == 200
    send(process)
    [turn] = mails[1:]
    assert turn["Message-ID"].startswith("<turn.")
    path = links(turn)["unsubscribe"]
    assert turn["List-Unsubscribe"] == f"<https://reibach.test{path}>"
    one_click = {"Content-Type": "application/x-www-form-urlencoded"}
    assert house.api.post(path, content=b"List-Unsubscribe=One-Click", headers=one_click).status_code == 200
    assert house.get(table).status_code == 404
    assert house.api.act(table, 0, {"type": "draw"}).status_code == 201
    send(process)
    assert len(mails) == 2
    deliveries = house.get(table, more="/deliveries").json()["deliveries"]
    assert [(one["channel"], one["type"], one["status"]) for one in deliveries] == [
        ("email", "turn.started", "delivered"),
        ("email", "confirmation", "delivered"),
    ]


def test_an_address_is_told_of_a_webhook_that_is_added_beside_it(delivering: House) -> None:
    """Once for each, five times a day, by its host alone; an address that isn't confirmed is told nothing."""
    house, mails = delivering, delivering.mails
    process = open_post(house.services)
    table = house.api.create(PEOPLE, starting_seat=1)
    hook = {"url": "https://example.org/secret-path"}
    house.put(table, email=MAIL, on=["over"], webhook=hook)
    send(process)
    assert house.api.post(links(mails[0])["confirm"]).status_code == 200
    for number in range(7):
        hook = {"url": f"https://example.org/secret-path-{number}"}
        for _ in range(2):
            assert house.put(table, email=MAIL, on=["over"], language="de", webhook=hook).status_code == 200
        send(process)
    told = [mail for mail in mails[1:] if "Webhook" in mail["Subject"]]
    assert (len(told), len(mails)) == (5, 6)
    assert len({mail["Message-ID"] for mail in told}) == 5
    assert all("gehen jetzt auch an example.org" in " ".join(str(mail).split()) for mail in told)
    assert not any("secret-path" in mail.as_string() for mail in told)

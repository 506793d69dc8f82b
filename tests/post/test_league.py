"""A league that one organiser sets up within the default limits: 20 games of four among twelve people."""

import re
from collections import Counter
from typing import Any

import pytest

from domain.commands import GiveConsent
from service.bootstrap import Outside
from service.connections.clients import Client
from tests.gamelog.ledger import finish
from tests.post.mails import text_of
from tests.post.processes import mail_settings
from tests.post.test_smtp import Inbox, serving
from tests.support.client import Table
from tests.support.waiting import patience
from tests.support.world import Clock, Process
from workers.post.process import PostProcess, open_post

PEOPLE = [f"Player {number}" for number in range(12)]
TABLES = [[PEOPLE[(game + 3 * seat) % 12] for seat in range(4)] for game in range(20)]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def address(name: str) -> str:
    return f"{name.replace(' ', '').lower()}@example.org"


def send(post: PostProcess, clock: Clock) -> None:
    """Send all that is due now, and what is put off because others are being sent."""
    idle = 0
    while idle < 2:
        is_busy = post.follower.follow() or post.pool.send_due()
        assert post.pool.wait(patience(30))
        idle = 0 if is_busy else idle + 1
        clock.now += 1000


def set_up(house: Process, number: int) -> Table:
    """Open a table: of half of them the organiser has all links, and names the addresses; of the others they invite."""
    seats = [{"name": name} for name in TABLES[number]]
    if number % 2:
        seats = [{**seat, "invite": address(seat["name"])} for seat in seats]
    table = house.api.create(seats, seed=None, name=f"Round {number + 1}")
    for seat, token in table.tokens.items():
        body: dict[str, Any] = {"email": address(TABLES[number][seat]), "on": ["over"]}
        assert house.api.request("PUT", f"{table.path}/notifications", token, json=body).json()["confirmed"] is False
    return table


@pytest.mark.nightly
def test_a_league_is_set_up_by_one_and_confirmed_by_one_click_each(real_client: Client) -> None:
    """Twelve mails ask; after one click each the others' invitations come, each with its own seat's link.

    Then all 80 seats are told of the end, and the games can be added up. Two of them are played, which takes longest;
    the players of the others cancel.
    """
    mailbox, clock = Inbox(), Clock()
    with serving(mailbox) as port:
        house = Process(real_client, mail_settings(port), services={"outside": Outside(clock=clock)}, clock=clock)
        post = open_post(house.services)
        guests: list[tuple[str, str]] = []
        opened = {}
        for number in [*range(0, 20, 2), *range(1, 20, 2)]:  # the first twelve mails are no invitations
            opened[number] = set_up(house, number)
            send(post, clock)
        tables = [opened[number] for number in range(20)]
        assert Counter(str(mail["To"]) for mail in mailbox.mails) == Counter(map(address, PEOPLE))
        pressed = 0
        while pressed < len(mailbox.taken):
            mail, pressed = mailbox.mails[pressed], pressed + 1
            found = re.search(r"https://play\.example\.com(/confirm/\S+)", text_of(mail))
            if found is None:  # of a guest's turn
                continue
            boxes = re.findall(r'name="seat" value="(\S+)"', house.api.get(found[1]).text)
            form = "&".join(["list=1", *(f"seat={box}" for box in boxes)]) if boxes else ""
            shown = house.api.post(found[1], content=form, headers=FORM).text
            own = re.findall(r"/g/(\w+)#seat=(\d)&amp;token=", shown)
            assert len(own) == mail["Message-ID"].startswith("<invitation.")
            guests += own
            send(post, clock)
        assert sorted(guests) == sorted((table.id, str(seat)) for table in tables[1::2] for seat in range(4))
        for table in tables[:2]:
            finish(house.log, table.id)
        for table in tables[2:]:
            for seat in range(4):
                house.log.handle(table.id, GiveConsent(seat=seat, to="cancel"))
        send(post, clock)
    told = Counter(
        re.findall(r"<over\.\d+(?:-\d+)?\.(\d)\.(\w+)@", "".join(str(mail["Message-ID"]) for mail in mailbox.mails))
    )
    assert told == Counter({(str(seat), table.id): 1 for table in tables for seat in range(4)})
    games = house.api.get(f"/v1/games?ids={','.join(table.id for table in tables)}").json()["games"]
    assert [(game["id"], len(game["winners"]) > 0) for game in games] == [
        (table.id, number < 2) for number, table in enumerate(tables)
    ]

"""Answers to real mails by way of a relay that renames their ids, and drops references: known by their address."""

import smtplib
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage

import pytest

from domain.commands import GiveConsent, PostMessage
from service.connections.clients import Client
from tests.post.inbox import letter
from tests.post.processes import World, by_mail, mail_settings
from tests.post.test_smtp import Inbox, serving
from tests.support.ports import free_port
from tests.support.waiting import patience

RENAMED = "<0100018f-000000@eu-west-1.amazonses.com>"


@pytest.fixture
def mailbox() -> Inbox:
    return Inbox()


@pytest.fixture
def world(real_client: Client, mailbox: Inbox) -> Iterator[World]:
    with serving(mailbox) as port:
        settings = replace(mail_settings(port), reply_domain="in.example.org", inbox_port=free_port())
        world = World(real_client, settings=settings)
        assert world.process.inbox is not None
        world.process.inbox.start()
        try:
            yield world
        finally:
            world.process.inbox.stop()


def write(world: World, mail: EmailMessage, text: str) -> None:
    """Answer a mail, and let what that causes be sent."""
    content = letter(text, name=f"{len(text)}.{mail['Message-ID'][1:9]}", answers=RENAMED)
    with smtplib.SMTP("127.0.0.1", world.settings.inbox_port, timeout=patience(10)) as client:
        assert client.sendmail("anna@example.net", [mail["Reply-To"]], content) == {}
    world.later(1)
    world.later(600)


def test_each_mail_is_known_by_the_address_for_its_answers(world: World, mailbox: Inbox) -> None:
    """A number by an older turn's mail plays nothing; a message stays one; `yes` does what its own mail asked, once."""
    first = world.create(pace=None)
    seat = first.turn_seat
    world.subscribe("g", seat, by_mail("turn", "message", "people"))
    world.send()
    world.end_turn()
    world.end_turn()
    world.send()
    world.games.handle("g", PostMessage(seat=1 - seat, text="At eight?"))
    world.send()
    old, new, message = mailbox.mails
    assert len({str(mail["Reply-To"]) for mail in mailbox.mails}) == 3
    before = world.games.load("g").game.version
    write(world, old, "take 1")
    assert world.games.load("g").game.version == before
    assert "older email" in mailbox.mails[-1].as_string()
    write(world, message, "Fine with me.")
    assert world.games.load_events("g", before)[1][-1]["data"]["text"] == "Fine with me."
    write(world, new, "take 1")
    assert world.games.load("g").game.version > before + 1
    world.games.handle("g", GiveConsent(seat=1 - seat, to="pause"))
    world.send()
    asked = mailbox.mails[-1]
    write(world, asked, "resign")
    assert world.games.load("g").game.seats[seat].away is None
    question = mailbox.mails[-1]
    write(world, asked, "Yes")
    assert world.games.load("g").game.paused_since is not None
    assert world.games.load("g").game.seats[seat].away is None
    write(world, question, "Yes!")
    assert world.games.load("g").game.seats[seat].away == "resigned"

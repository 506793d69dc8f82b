"""Which mail is answered says its address, whatever a relay makes of ids and references."""

import smtplib
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage

import pytest

from domain.commands import GiveConsent, PostMessage, ResumeGame, WithdrawConsent
from domain.words.wording import words_of
from service.connections.clients import Client
from service.gamelog.store.generations import rotate_token
from tests.post.inbox import GAME, Table, letter
from tests.post.processes import World, by_mail, mail_settings
from tests.post.test_inbox_talk import agree
from tests.post.test_inbox_talk import write as write_mail
from tests.post.test_smtp import Inbox, serving
from tests.support.ports import free_port
from tests.support.waiting import patience

RENAMED = "<0100018f-000000@eu-west-1.amazonses.com>"


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


@pytest.mark.parametrize(("kind", "to"), [("cancel", "cancel"), ("people", "pause")])
def test_yes_counts_once(table: Table, kind: str, to: str) -> None:
    """Whoever has taken it back since is asked anew."""
    agree(table, to)
    asking = table.address(0, kind=kind)
    other = "pause" if kind == "cancel" else "cancel"
    agree(table, other, seat=0)
    table.games.handle(GAME, WithdrawConsent(seat=0, to=other))
    if kind == "cancel":
        table.games.handle(GAME, WithdrawConsent(seat=1, to=to))
    assert write_mail(table, "yes", asking).is_done
    if kind == "cancel":
        table.games.handle(GAME, WithdrawConsent(seat=0, to=to))
    else:
        table.games.handle(GAME, ResumeGame(seat=1))
        agree(table, to)
    before = table.version
    assert write_mail(table, "yes", asking, name="2").refusal.name == "reply.no-yes"
    assert table.version == before


@pytest.mark.parametrize("answers", [None, "<0100@eu-west-1.amazonses.com>", f"<game.0.{GAME}@example.org>"])
def test_where_it_is_not_known_what_is_answered_numbers_are_asked_back(table: Table, answers: str | None) -> None:
    """And words are played: at the seat's address, with no references of this service's mails."""
    display, before, to = table.games.load(GAME).game.display, table.version, table.address(0)
    for text in ("take 2", "draw\ntake 1", "add gold to row 1"):
        asked = write_mail(table, text, to, name=text[:4], answers=answers)
        assert (asked.refusal.name, table.version) == ("reply.number", before)
    wrong = next(card for card in ("art", "oil", "gold", "shares") if card != display[0])
    for card, name in ((wrong, "reply.moved"), (display[0], None)):
        answer = write_mail(table, f"take 1 ({words_of('en').cards[card or '']})", to, name=str(name), answers=answers)
        assert (answer.refusal.name if answer.refusal else None) == name
    assert write_mail(table, "draw", to, name="draw", answers=answers).is_done


def test_a_mark_is_good_as_long_as_the_seats_token(table: Table) -> None:
    """A mark of a token that was lost counts no more: what its mail asked isn't answered by it."""
    before, asking = table.version, table.address(0, kind="resign")
    kept = table.subscriptions.load_seat(GAME, 0)
    assert kept is not None
    rotate_token(table.games.store, GAME, 0, sent=0, kept=table.subscriptions.keep_address(GAME, 0, 1))
    assert write_mail(table, "yes", asking).refusal.name == "reply.no-yes"
    assert table.version == before
    assert write_mail(table, "draw", asking, name="2").is_done

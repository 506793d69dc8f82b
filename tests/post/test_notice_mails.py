"""Mails from the outbox to a real SMTP server: confirmed first, told once, ended by a refusal, and never in a log."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from domain.commands import CompleteScoring, PostMessage, TimeOut
from service.connections.clients import Client
from service.gamelog.notes import put_note
from service.gamelog.reader import GameReader
from service.gamelog.store.analyses import Analyses
from service.signing.tokens import SeatToken
from tests.gamelog.ledger import any_act
from tests.post.mails import text_of
from tests.post.processes import PACE, World, by_mail, mail_settings, wish
from tests.post.test_smtp import Inbox, serving
from tests.support.absence import pass_turn
from tests.support.receivers import answer, receiver

ADDRESS = "anna.secret@example.org"


@pytest.fixture
def world(real_client: Client, mailbox: Inbox) -> Iterator[World]:
    with serving(mailbox) as port:
        yield World(real_client, settings=mail_settings(port))


def test_every_type_goes_by_mail(world: World, mailbox: Inbox) -> None:
    game = world.create(pace=None)
    seat = game.turn_seat
    world.subscribe("g", seat, by_mail(language="de"))
    world.subscribe("g", 1 - seat, by_mail("scoring"))
    world.games.handle("g", PostMessage(seat=1 - seat, text="Guten Tag"))
    world.send()
    (turn,) = mailbox.mails  # which tells the message, too
    body = turn.get_body(("plain",))
    assert body is not None
    assert "Guten Tag" in body.get_content()
    token = world.issue_token("g", seat)
    assert f"https://play.example.com/g/g#seat={seat}" in body.get_content().replace("\n", "")
    assert token in body.get_content().replace("\n", "")
    assert turn["List-Unsubscribe"].startswith("<https://play.example.com/unsubscribe/")
    while not (game := world.end_turn()).over:
        world.send()
        world.later(1)
    found = {"turns": [{"turn": 14, "loss": 1.52}], "seats": [{"worst": [14]}] * 2}
    analyses = Analyses(world.games.store)
    analyses.restart("g")
    world.send()
    assert not [mail for mail in mailbox.mails if "<over." in mail["Message-ID"]]
    analyses.finish("g", json.dumps(found).encode())
    world.later(1)
    world.send()
    world.later(1)
    last = next(text_of(mail) for mail in mailbox.mails if "<over." in mail["Message-ID"])
    assert ("Zug 14, etwa 1,5\u00a0Mio." in last, f"/g/g/replay#analysis={seat}\n" in last) == (True, True)
    kinds = [mail["Message-ID"].partition(".")[0].lstrip("<") for mail in mailbox.mails]
    assert kinds.count("over") == 1
    # The last one and the end are one mail, for who asked for both.
    assert kinds.count("scoring") == len(game.rounds) - 1 + len(game.rounds)
    assert len({mail["Subject"] for mail in mailbox.mails}) == 2  # one in each language
    assert len({mail["Message-ID"] for mail in mailbox.mails}) == len(mailbox.mails)


@pytest.mark.parametrize(("on", "kind"), [((), "turn"), (("people",), "people")])
def test_late_and_turn_are_one_mail(world: World, mailbox: Inbox, on: tuple[str, ...], kind: str) -> None:
    """It waits for the bot that plays on; a turn of which nothing is played isn't `still` the reader's."""
    game = world.create(pace=PACE)
    world.subscribe("g", 1 - game.turn_seat, by_mail(*on))
    world.clock.now += 1000 * PACE.turn_seconds
    world.games.handle("g", TimeOut(turn=game.turn))
    if not on:
        world.send()
        assert mailbox.mails == []
    pass_turn(world.games, "g", by_bot=True)
    for _ in range(3):
        world.later(1)
    (mail,) = mailbox.mails
    assert mail["Message-ID"].startswith(f"<{kind}.")
    assert "It\u2019s your turn: 3" in text_of(mail)
    assert "has run out of time" in " ".join(text_of(mail).split())


def test_a_note_stands_in_the_turn_mails_of_its_own_seat(world: World, mailbox: Inbox) -> None:
    game = world.create(pace=None)
    for seat in (0, 1):
        world.subscribe("g", seat, by_mail())
        put_note(world.games.store, SeatToken("g", seat, 0), f"Look <here>:\n\nseat {seat}")
    world.send()
    (turn,) = mailbox.mails
    text, page = text_of(turn), turn.get_body(("html",))
    assert f"\nYour note\n  Look <here>:\n\n  seat {game.turn_seat}\n" in text
    assert f"seat {1 - game.turn_seat}" not in text
    assert page is not None
    assert "Look &lt;here&gt;:" in page.get_content()


def test_a_turn_that_a_scoring_round_has_interrupted_goes_on(world: World, mailbox: Inbox) -> None:
    """Its player hears of it by the mail about the round, which has the actions then: the turn was told before."""
    chance, went_on = Random("interrupted"), 0
    world.create(pace=None)
    for seat in (0, 1):
        world.subscribe("g", seat, by_mail("scoring"))
    while not (game := world.games.load("g").game).over:
        world.games.handle("g", CompleteScoring(round=game.scoring) if game.scoring else any_act(game, chance))
        if game.scoring and (game := world.games.load("g").game).end is None:
            world.send()
            told = [text_of(mail) for mail in mailbox.mails[-2:]]
            assert sum("It\u2019s still your turn: " in text for text in told) == (game.action_points < 3)
            assert sum("What you can do" in text for text in told) == (game.action_points < 3)
            went_on += game.action_points < 3
    assert went_on


def while_composed(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Have something happen once, when a mail's events are about to be read."""
    load, changes = GameReader.load_events, iter([change])

    def load_late(games: GameReader, name: str, after: int, limit: int | None = None) -> Any:
        for happen in changes:
            happen()
        return load(games, name, after, limit)

    monkeypatch.setattr(GameReader, "load_events", load_late)


def test_a_mail_shows_the_game_on_which_it_was_judged(
    world: World, mailbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What happens in its turn while it is composed isn't described by half."""
    game = world.create(pace=None)
    world.subscribe("g", game.turn_seat, by_mail("turn"))
    said = PostMessage(seat=1 - game.turn_seat, text="hello")
    while_composed(monkeypatch, lambda: world.games.handle("g", said))
    world.send()
    assert world.games.load("g").game.version > game.version
    (mail,) = mailbox.mails
    body = mail.get_body(("plain",))
    assert f"&version={game.version}&token=" in body.get_content()


def test_an_address_is_asked_first(world: World, mailbox: Inbox) -> None:
    """Nothing else is sent until it is confirmed; then the notice of the turn that is on is sent."""
    game = world.create(pace=replace(PACE, bank_seconds=48 * 3600))
    seat = game.turn_seat
    subscription = by_mail("turn", zone="America/New_York")
    world.subscribe("g", seat, replace(subscription, is_confirmed=False))
    world.queue().send_mails("confirmation", "g", {seat: "held"})  # no subscription has this nonce
    for _ in range(2):
        world.queue().send_mails("confirmation", "g", {seat: "first"})
        world.send()
    (asked,) = mailbox.mails
    body = asked.get_body(("plain",))
    assert "https://play.example.com/confirm/" in body.get_content()
    assert "References" not in asked
    assert world.subscriptions.confirm("g", seat, "first")
    world.queue().notify_turn(game, seat, subscription)
    world.send()
    (_, turn) = mailbox.mails
    said = " ".join(turn.get_body(("plain",)).get_content().split())
    assert " (New York); then your reserve runs, until " in said


def test_who_waits_for_another_ones_mail_gets_their_own_later(world: World, mailbox: Inbox) -> None:
    """When that one's day is over, for three days; the seat is shown the same as if its mail had left at once."""
    world.create(pace=None)
    for seat, nonce in enumerate(("first", "second")):
        world.subscribe("g", seat, replace(by_mail("turn"), is_confirmed=False, nonce=nonce))
        world.queue().send_mails("confirmation", "g", {seat: nonce})
        world.send()
    shown = world.outbox.list_deliveries("g", 1)
    assert ([line["status"] for line in shown], len(mailbox.mails)) == (["delivered"], 1)
    mailbox.mail = "451 later"
    [asked] = world.client.keys("{mails}:asked:*")
    world.client.delete(asked)  # a day later
    world.later(24 * 3600)
    assert (len(mailbox.mails), world.outbox.list_deliveries("g", 1)) == (2, shown)
    world.client.set(asked, "another mail")
    for _ in range(4):
        world.later(24 * 3600)
    world.client.delete(asked)
    world.later(24 * 3600)
    assert (len(mailbox.mails), world.outbox.list_deliveries("g", 1)) == (2, shown)


@pytest.mark.parametrize("reply", ["451 later", "554 this looks like spam"])
def test_a_mail_that_is_not_taken_is_tried_again(world: World, mailbox: Inbox, reply: str) -> None:
    """With the same id. A filter that dislikes what another player wrote ends no player's mails."""
    game = world.create(pace=None)
    mailbox.mail = reply
    world.subscribe("g", game.turn_seat, by_mail("turn"))
    world.games.handle("g", PostMessage(seat=1 - game.turn_seat, text="Buy now!"))
    world.send()
    (line,) = world.outbox.list_deliveries("g", game.turn_seat)
    assert (line["channel"], line["status"]) == ("email", "retry")
    assert len(world.subscriptions.load("g")) == 1
    world.later(10)
    assert len(mailbox.mails) == 2
    assert len({mail.as_bytes() for mail in mailbox.mails}) == 1


UNKNOWN = "550 5.1.1 no such user"


def statuses(world: World, seat: int) -> list[str]:
    return [line["status"] for line in world.outbox.list_deliveries("g", seat) if line["channel"] == "email"]


def test_a_mailbox_that_refuses_for_a_day_ends_its_address(world: World, mailbox: Inbox) -> None:
    """One refusal ends nothing; a mail that is taken meanwhile begins anew. Other channels say that it has ended."""
    with receiver(answer()) as found:
        seat = world.create(pace=None).turn_seat
        world.subscribe("g", seat, wish(found.port, "turn", email=ADDRESS, is_confirmed=True))
        mailbox.recipient = UNKNOWN
        world.send()
        world.later(10)
        assert statuses(world, seat) == ["retry"] * 2
        mailbox.recipient = "250 OK"
        world.later(20 * 3600)
        assert statuses(world, seat)[0] == "delivered"
        mailbox.recipient = UNKNOWN
        world.end_turn()
        world.end_turn()
        world.send()
        for _ in range(12):
            world.later(2 * 3600)
        kept = world.subscriptions.load("g")[seat]
        assert (kept.confirmed_email, kept.is_refused) == (ADDRESS, False)
        world.later(24 * 3600)
        assert statuses(world, seat)[0] == "refused"
        ended = world.subscriptions.load("g")[seat]
        assert (ended.email, ended.confirmed_email, ended.is_refused) == (ADDRESS, None, True)
        assert world.subscriptions.confirm("g", seat, kept.nonce) == replace(kept, refused_at=0)  # its reader is there
        world.subscriptions.save("g", seat, ended)
        mailbox.recipient, tried = "250 OK", len(mailbox.mails)
        world.end_turn()
        world.end_turn()
        world.later(24 * 3600)
        assert len(mailbox.mails) == tried
        told = [json.loads(body)["data"].get("email") for _, _, body in found.requests]
    assert told == [None, None, "refused"]


def test_a_quota_of_the_hosts_own_server_ends_no_address(
    world: World, mailbox: Inbox, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """It is an outage, told with the server's words; after two days the mail leaves."""
    seat = world.create(pace=None).turn_seat
    world.subscribe("g", seat, by_mail("turn", email=ADDRESS))
    mailbox.recipient = "550 Domain example.org has exceeded the max emails per hour (101/100) allowed"
    world.send()
    for _ in range(20):
        world.later(2 * 3600)
    assert {*statuses(world, seat)} == {"retry"}
    assert world.subscriptions.load("g")[seat].refused_at == 0
    mailbox.recipient = "250 OK"
    world.later(20 * 3600)
    assert statuses(world, seat)[0] == "delivered"
    printed = capfd.readouterr()  # a process logs to either, as the tests before have configured it
    assert "max emails per hour" in printed.out + printed.err + caplog.text


def test_an_address_that_nobody_has_confirmed_is_refused_likewise(world: World, mailbox: Inbox) -> None:
    seat = world.create(pace=None).turn_seat
    mailbox.recipient = UNKNOWN
    world.subscribe("g", seat, by_mail("turn", is_confirmed=False))
    world.queue().send_mails("confirmation", "g", {seat: "first"})
    world.send()
    for _ in range(25):
        world.later(2 * 3600)
    kept = world.subscriptions.load("g")[seat]
    assert (kept.is_confirmed, kept.is_refused, statuses(world, seat)[0]) == (False, True, "refused")


def test_no_log_line_or_delivery_names_a_receiver(
    world: World, mailbox: Inbox, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever fails: addresses, URLs, secrets, tokens and texts stay where they are."""
    game = world.create()
    mailbox.recipient = f"550 5.7.1 {ADDRESS} or Anna.Secret: no relay"
    with receiver(answer("410 Gone")) as found:
        for seat in (0, 1):
            world.subscribe("g", seat, wish(found.port, email=ADDRESS, is_confirmed=True))
        world.games.handle("g", PostMessage(seat=0, text="a word of a player"))
        world.send()
        world.later(1)
        world.later(400)
        shown = json.dumps([world.outbox.list_deliveries("g", seat) for seat in (0, 1)])
    printed = capfd.readouterr()
    said = printed.out + printed.err + caplog.text + shown
    assert "refused" in shown
    secrets = [ADDRESS, "ecret", "whsec_", str(found.port), "/hook", "a word of", world.issue_token("g", 0)]
    assert [word for word in secrets if word in said] == []
    assert "no relay" in said
    assert {kept.webhook for kept in world.subscriptions.load("g").values()} == {None}
    assert game.turn == 1

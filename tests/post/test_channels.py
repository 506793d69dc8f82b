"""Channels of chats that several seats of a game name: each event once, whatever becomes of the seats meanwhile."""

import json
from typing import Any

import pytest

from domain.clock.hours import Hours
from domain.commands import GiveConsent, PostMessage
from service.connections.clients import Client
from service.post.channels.chat import CHAT_FORMS
from service.post.claim import FIRST
from service.post.presence import Presence
from service.post.subscriptions import WebhookTarget
from tests.post.mails import text_of
from tests.post.processes import World, wish, world_with_mails
from tests.support.receivers import Connection, Receiver, answer, receiver
from tests.support.webhooks import SECRET

LANGUAGES = ("de", "en", "nl", "fr")
NAMES = [f"player {seat}" for seat in range(4)]


def chat(port: int, seat: int, *on: str, form: str = "discord", mention: str | None = None, **more: Any) -> Any:
    """A seat's, to a channel that all seats name, each in a language of its own."""
    target = WebhookTarget(url=f"http://127.0.0.1:{port}/hook", secret=SECRET, format=form, mention=mention)
    return wish(1, *on, webhook=target, language=LANGUAGES[seat], **more)


def texts(found: Receiver) -> list[str]:
    return [json.loads(body)["content"].rpartition("\n")[0] for _, _, body in found.requests]


def test_four_seats_with_one_channel_are_told_once(world: World, found: Receiver) -> None:
    """Of each event, in the language of the lowest seat, with points and winner; a turn pings its player alone."""
    world.create(pace=None, seats=4)
    for seat in range(4):
        world.subscribe("g", seat, chat(found.port, seat, mention="123456789012345678" if seat == 2 else None))
    world.games.handle("g", PostMessage(seat=0, text="hello"))
    world.games.handle("g", GiveConsent(seat=1, to="cancel"))
    world.send()
    turns = 1
    while not (game := world.end_turn()).over:
        turns += 1
        world.later(2)
    for _ in range(3):  # two notices of a game leave at a time, and others are looked at again later
        world.later(60)
    said = texts(found)
    assert [text for text in said if "schreibt" in text] == ["player 0 schreibt: hello"]
    (text,) = (text for text in said if "Am Tisch" in text)
    assert text == f"Am Tisch von {', '.join(NAMES)}: player 1 stimmt zu\\, das Spiel abzubrechen\\."
    for number, done in enumerate(game.rounds):
        (text,) = (text for text in said if text.startswith(f"Zahltag {number + 1}, in Millionen: "))
        totals = [sum(each.seats[seat]["income"] for each in game.rounds[: number + 1]) for seat in range(4)]
        points = [f"{done.seats[seat]['income']:+}".replace("-", "\u2212") for seat in range(4)]
        assert text.endswith(", ".join(f"{NAMES[seat]} {points[seat]} ({totals[seat]})" for seat in range(4)) + ".")
    rounds = [at for at, text in enumerate(said) if text.startswith("Zahltag 3")]
    (text,) = (text for text in said[rounds[0] :] if "aus" in text)  # it is due with it, and comes after it
    sums = ", ".join(f"{name} {seat.total}" for name, seat in zip(NAMES, game.seats, strict=True))
    winners = ", ".join(NAMES[seat] for seat in game.winners or ())
    assert text == f"Das Spiel ist aus. Gewonnen: {winners}. In Millionen: {sums}."
    assert len([text for text in said if "an der Reihe" in text]) == len(said) - 6 == turns
    for text, (_, _, body) in zip(said, found.requests, strict=True):
        pings = {"users": ["123456789012345678"]} if "player 2 ist an der Reihe" in text else {}
        assert json.loads(body)["allowed_mentions"] == {"parse": [], **pings}
        assert text.startswith("<@123456789012345678> ") is bool(pings)
    assert not any("webhook-signature" in headers for _, headers, _ in found.requests)
    shown = [world.outbox.list_deliveries("g", seat) for seat in range(4)]
    for kind, counts in (("game.over", [1] * 4), ("message.posted", [0, 1, 1, 1]), ("people.changed", [1, 0, 1, 1])):
        assert [len([line for line in lines if line["type"] == kind]) for lines in shown] == counts


@pytest.mark.parametrize("change", ["leaves", "watches", "sleeps", "dies", "comes back"])
def test_what_the_lowest_seat_does_neither_loses_nor_doubles(world: World, change: str) -> None:
    """It leaves, or looks, while the channel fails, or has quiet hours; the process dies; the feed is read again."""
    world.create(pace=None, seats=4)
    minute = world.clock.now // 60_000 % 1440
    night = Hours(opens=(minute - 60) % 1440, closes=(minute + 600) % 1440, zone="UTC") if change == "sleeps" else None
    answers = iter([answer("500 Oops")] * (change in {"leaves", "watches"}))

    def behave(connection: Connection) -> None:
        next(answers, answer())(connection)

    with receiver(behave) as found:
        for seat in (0, 3):
            quiet = night if seat == 0 else None
            world.subscribe("g", seat, chat(found.port, seat, "message", while_watching=seat == 3, quiet=quiet))
        world.games.handle("g", PostMessage(seat=1, text="hello"))
        world.process.follower.follow()
        if change == "dies":
            assert len(world.outbox.claim(FIRST, 10)) == 1
        else:
            world.send()
        tried = len(found.requests)
        assert tried == (change != "dies")
        if change in {"leaves", "comes back"}:
            world.subscriptions.delete("g", 0)
            world.outbox.forget("g", 0)
        if change == "comes back":
            world.lose_feed()
            world.subscribe("g", 0, chat(found.port, 0, "message"))
        with Presence(world.games.store).watching("g", 0 if change == "watches" else None):
            for _ in range(2):
                world.later(3600)
        assert len(found.requests) == tried + (change not in {"comes back", "sleeps"})
        word = "écrit\u00a0" if change == "leaves" else "schreibt"
        assert texts(found)[-1] == f"player 1 {word}: hello"


@pytest.mark.parametrize(("form", "status"), [*((form, "404 No") for form in CHAT_FORMS), ("slack", "410 Gone")])
def test_a_channel_that_is_gone_ends_for_all_who_are_told(real_client: Client, form: str, status: str) -> None:
    """Each by one mail, at its confirmed address, with the host and why; a webhook of other receivers stays at 404."""
    world, mailbox = world_with_mails(real_client)
    world.create(pace=None, seats=4)
    with receiver(answer(status)) as found:
        for seat in (0, 1):
            address = {"email": f"seat{seat}@example.org", "is_confirmed": seat == 0}
            world.subscriptions.save("g", seat, chat(found.port, seat, "message", form=form, **address))
        world.subscriptions.save("g", 2, wish(found.port, "message"))
        world.games.handle("g", PostMessage(seat=3, text="hello"))
        world.send()
        world.later(1)  # a game has few attempts at a time
        kept = world.subscriptions.load("g")
        assert [kept[seat].webhook for seat in (0, 1)] == [None, None]
        assert (2 in kept) == status.startswith("404")
        assert len(found.requests) == 2
        (mail,) = [one for one in mailbox.mails if "ended" in one["Message-ID"]]
        assert mail["To"] == "seat0@example.org"
        assert f"127.0.0.1:{found.port}" in text_of(mail)
        assert f"status {status[:3]}" in text_of(mail)
        world.games.handle("g", PostMessage(seat=3, text="again"))
        world.later(60)
        assert len([line for line in world.outbox.list_deliveries("g", 1) if line["channel"] == "webhook"]) == 1

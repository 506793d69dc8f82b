"""Mails about messages: few, however many messages there are, and with every message of another player in one."""

import json
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.commands import PostMessage
from service.connections.clients import Client
from service.post.channel_table import CHANNELS
from service.post.channels.results import SendResult
from service.post.channels.webhook import Message
from service.post.claim import FIRST, Claim
from service.post.subscriptions import WebhookTarget
from tests.post.mails import text_of
from tests.post.processes import Mailbox, World, by_mail, send_webhooks_by, wish, world_with_mails
from tests.support.profiles import examples
from tests.support.stores import Server, empty_client

PAUSE_S = CHANNELS["email"].pause_ms / 1000
CHAT = WebhookTarget(url="https://discord.com/api/webhooks/1/x", secret="", format="discord")


def open_world(client: Client) -> tuple[World, Mailbox]:
    """A game of two, whose seat 0 wants to hear of messages by mail."""
    world, mailbox = world_with_mails(client)
    world.create(pace=None)
    world.subscriptions.save("g", 0, by_mail("message"))
    return world, mailbox


def say(world: World, text: str, seat: int = 1) -> None:
    world.games.handle("g", PostMessage(seat=seat, text=text))


def test_many_messages_are_few_mails(real_client: Client) -> None:
    """The first at once, the others after a pause; a seat's own messages are in none."""
    world, mailbox = open_world(real_client)
    say(world, "first")
    world.send()
    for number in range(60):
        say(world, f"{'long' * 60} {number}", seat=0 if number % 10 == 5 else 1)
    world.later(PAUSE_S - 1)
    assert len(mailbox.mails) == 1
    world.later(1)
    first, second = mailbox.texts()
    assert "player 1 writes: “first”" in first
    assert " 59”" in second
    assert " 2”" not in second
    assert "Earlier events are on the page of the game." in second
    assert "player 0 writes" not in first + second
    world.later(10 * PAUSE_S)
    assert len(mailbox.mails) == 2
    lines = world.outbox.list_deliveries("g", 0)
    assert [(line["type"], line["attempt"]) for line in lines] == [("message.posted", 1)] * 2
    say(world, "last")
    world.send()
    assert "last" in mailbox.texts()[2]
    assert len({mail["Message-ID"] for mail in mailbox.mails}) == 3


def test_what_comes_while_a_mail_is_made_is_in_the_next(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or in this one, if it comes before its text is fixed."""
    world, mailbox = open_world(real_client)
    seal, late = Claim.seal, ["late", "later"]

    def seal_late(claim: Claim, *arguments: Any) -> Claim | None:
        if late:
            say(world, late.pop())
            world.process.follower.follow()
        sealed = seal(claim, *arguments)
        if sealed is not None:
            say(world, "latest")
            world.process.follower.follow()
        return sealed

    say(world, "first")
    world.process.follower.follow()
    monkeypatch.setattr(Claim, "seal", seal_late)
    world.send()
    (text,) = mailbox.texts()
    assert all(f"“{one}”" in text for one in ("first", "later", "late"))
    assert "latest" not in text
    monkeypatch.setattr(Claim, "seal", seal)
    world.later(PAUSE_S)
    assert mailbox.texts()[1].count("“latest”") == 1
    assert "late”" not in mailbox.texts()[1].replace("latest", "")


def test_a_process_that_dies_with_a_mail_sends_the_same(real_client: Client) -> None:
    """After its lease, whatever was written meanwhile."""
    world, mailbox = open_world(real_client)
    say(world, "first")
    world.process.follower.follow()
    (claim,) = world.outbox.claim(FIRST, 10)
    assert claim.seal(world.games.load("g").game.version, world.clock()) is not None
    say(world, "second")
    world.later(CHANNELS["email"].lease_ms / 1000)
    (text,) = mailbox.texts()
    assert "“first”" in text
    assert "second" not in text
    world.later(PAUSE_S)
    assert "“second”" in mailbox.texts()[1]


def test_a_webhook_gets_five_messages_by_themselves_and_then_gathers(real_client: Client) -> None:
    """Of any number in a second; ten in a minute at most, and the last one tells up to the last message."""
    world, mailbox = open_world(real_client)
    sent: list[tuple[str, int, bytes]] = []

    def send(message: Message, _: Any) -> SendResult:
        sent.append((message.id, world.clock.now, message.body))
        return SendResult()

    send_webhooks_by(world.process, send)
    world.subscriptions.save("g", 0, wish(1, "message"))
    before = world.games.load("g").game.version
    for number in range(100):
        say(world, f"no {number}")
    for _ in range(30):
        world.later(1)
    versions = [json.loads(body)["data"]["version"] for _, _, body in sent]
    assert (sorted(versions), mailbox.mails) == ([*range(before + 1, before + 6), before + 100], [])
    for number in range(300):
        url = f"{CHAT.url}?{number // 60}"  # a new one each minute, which gets no more
        world.subscriptions.save("g", 0, replace(wish(1, "message"), webhook=replace(CHAT, url=url)))
        say(world, f"again {number}")
        world.later(1)
    times = [time for _, time, _ in sent[6:]]
    assert max(sum(time <= other < time + 60_000 for other in times) for time in times) <= 10
    assert len({identity for identity, _, _ in sent}) == len(sent)
    newest = json.loads(sent[-1][2])["content"]
    assert newest.count("player 1 writes: again 2") == 5


def test_the_next_person_at_a_seat_waits_for_nothing(real_client: Client) -> None:
    """Nor for a pause that began with the former person's mails."""
    world, mailbox = open_world(real_client)
    say(world, "first")
    world.send()
    world.outbox.forget("g", 0)
    (key,) = real_client.scan_iter(match="*:outbox:g")
    assert not [name for name in real_client.hkeys(key) if name.startswith((b"r|", b"m|", b"g|"))]
    say(world, "second")
    world.send()
    assert len(mailbox.mails) == 2


steps = st.lists(
    st.sampled_from(["say", "say", "own", "follow", "send", "second", "pause", "fail", "work"]), max_size=30
)


def test_every_message_is_in_a_mail(server: Server) -> None:
    """In any order of what can happen: each in exactly one, the mails in order and with pauses between them."""

    @settings(examples(1))
    @given(steps, st.integers())
    def check(plan: list[str], seed: int) -> None:
        client.flushall()
        world, mailbox = open_world(client)
        chance, said = Random(seed), 0
        for step in plan:
            match step:
                case "say":
                    said += 1
                    say(world, f"<{said}>")
                case "own":
                    say(world, "<own>", seat=0)
                case "follow":
                    world.process.follower.follow()
                case "send":
                    world.send()
                case "second" | "pause":
                    world.later(chance.uniform(0, 5) if step == "second" else PAUSE_S)
                case _:
                    mailbox.fault = SendResult("status 451") if step == "fail" else None
        mailbox.fault = None
        for _ in range(3):
            world.later(24 * 3600)
        words = [word.strip("“”") for text in mailbox.texts() for word in text.split() if word.startswith("“<")]
        assert words == [f"<{number}>" for number in range(1, said + 1)]
        assert all(later - earlier >= CHANNELS["email"].pause_ms for earlier, later in pairwise(mailbox.begun.values()))
        tried = {(mail["Message-ID"], text_of(mail)) for mail in mailbox.tried}  # again, it tells the same
        assert len(tried) == len(mailbox.mails)

    with empty_client("valkey", server) as client:
        check()

"""Notices of what players do around the cards: to whom, once, and few mails however often somebody changes his mind."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from domain.clock.deadline import deadline
from domain.clock.pace import Pace
from domain.clock.timestamps import milliseconds
from domain.commands import (
    Act,
    Command,
    Draw,
    EndVacation,
    GiveConsent,
    ReclaimSeat,
    Resign,
    ResumeGame,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from service.connections.clients import Client
from service.post.subscriptions import WebhookTarget
from tests.post.processes import World, wish
from tests.post.test_gathered import PAUSE_S, SETTINGS, Mailbox
from tests.support.counting import CountingClient
from tests.support.receivers import Receiver

PACE = Pace(turn_seconds=3600)
DAY = 86_400


def pause(seat: int) -> GiveConsent:
    return GiveConsent(seat=seat, to="pause")


def told(found: Receiver) -> list[tuple[int, str]]:
    """Seat and event of each notice about people, and none twice; forgotten by the receiver then."""
    bodies = [json.loads(body) for _, _, body in found.requests]
    ids = [headers["webhook-id"] for _, headers, _ in found.requests]
    assert len(set(ids)) == len(ids)
    assert {body["type"] for body in bodies} <= {"people.changed"}
    assert all(body["data"]["version"] == body["data"]["event"]["version"] for body in bodies)
    found.requests.clear()
    return sorted((body["data"]["seat"], body["data"]["event"]["type"]) for body in bodies)


def do(world: World, *commands: Command) -> None:
    for command in commands:
        world.games.handle("g", command)
    for _ in range(6):  # a game has few attempts at a time
        world.later(1)


def to_all(*kinds: str, seats: Sequence[int] = (0, 1, 2)) -> list[tuple[int, str]]:
    return sorted((seat, kind) for seat in seats for kind in kinds)


@pytest.fixture
def trio(world: World, found: Receiver) -> World:
    """Three who hear of people; seat 0 has the turn."""
    world.create(pace=PACE, seats=3)
    while world.games.load("g").game.turn_seat:
        world.end_turn()
    for seat in range(3):
        world.subscribe("g", seat, wish(found.port, "people"))
    return world


def test_all_but_the_doer_are_told(trio: World, found: Receiver) -> None:
    """Of consents, pauses, vacations, those who leave and come back (review, F6)."""
    do(trio, pause(1))
    assert told(found) == to_all("ConsentGiven", seats=(0, 2))
    do(trio, WithdrawConsent(seat=1, to="pause"))
    assert told(found) == to_all("ConsentWithdrawn", seats=(0, 2))
    do(trio, TakeVacation(seat=2, until=trio.clock.now + 1_000_000), EndVacation(seat=2))
    assert told(found) == to_all("VacationTaken", "VacationEnded", seats=(0, 1))
    trio.clock.now += 3_600_000
    do(trio, TimeOut(turn=trio.games.load("g").game.turn))
    assert told(found) == to_all("TurnTimedOut")
    for _ in range(3):
        trio.end_turn()
    trio.clock.now += 3_600_000
    do(trio, TimeOut(turn=trio.games.load("g").game.turn))
    assert told(found) == to_all("TurnTimedOut", "SeatAbandoned")
    do(trio, ReclaimSeat(seat=0))
    assert told(found) == to_all("SeatReclaimed", seats=(1, 2))
    do(trio, Resign(seat=2))
    assert told(found) == to_all("PlayerResigned", seats=(0, 1))
    do(trio, *(GiveConsent(seat=seat, to="cancel") for seat in (0, 1)))
    last = to_all("ConsentGiven", "GameCancelled", seats=(0, 2))
    assert told(found) == sorted([*to_all("ConsentGiven", seats=(1, 2)), *last])


def test_whose_clock_runs_again_is_told_the_deadline(trio: World, found: Receiver) -> None:
    """Anna hears at once that Bert has ended the pause (review, F6)."""
    do(trio, *(pause(seat) for seat in range(3)))
    found.requests.clear()
    trio.clock.now += 5_000_000
    do(trio, ResumeGame(seat=1))
    [anna] = [json.loads(body)["data"] for _, _, body in found.requests if json.loads(body)["data"]["seat"] == 0]
    assert anna["event"]["data"] == {"seat": 1}
    assert milliseconds(anna["view"]["turn"]["deadline"]) == deadline(trio.games.load("g").game)
    assert told(found) == to_all("GameResumed", seats=(0, 2))


def test_a_silent_seat_is_released(trio: World, found: Receiver) -> None:
    """It hears of it, too; who agreed last doesn't."""
    trio.clock.now += 15 * DAY * 1000
    do(trio, GiveConsent(seat=1, to="release", about=0))
    body = json.loads(found.requests[0][2])
    assert body["data"]["event"]["data"] == {"seat": 1, "to": "release", "about": 0}
    assert told(found) == to_all("ConsentGiven", seats=(0, 2))
    do(trio, GiveConsent(seat=2, to="release", about=0))
    assert told(found) == to_all("ConsentGiven", "SeatAbandoned", seats=(0, 1))


def test_what_came_while_the_position_was_lost_is_told_once(trio: World, found: Receiver) -> None:
    do(trio, pause(1))
    trio.games.handle("g", WithdrawConsent(seat=1, to="pause"))
    trio.process.follower.feed.forget()
    do(trio)
    assert told(found) == to_all("ConsentGiven", "ConsentWithdrawn", seats=(0, 2))


def test_who_subscribed_before_costs_no_read(world: World, found: Receiver) -> None:
    """A subscription of an earlier release is told nothing of it; nobody reads events for it."""
    world.create(pace=PACE)
    seat = world.games.load("g").game.turn_seat
    world.subscribe("g", seat, wish(found.port, "scoring", "over", "message"))
    world.send()
    counting: Any = CountingClient(world.client)
    process, trips = world.open_process(counting), []
    process.follower.follow()
    for command in (Act(seat=seat, actions=(Draw(),)), pause(1 - seat)):
        world.games.handle("g", command)
        counting.trips = 0
        process.follower.follow()
        trips.append(counting.trips)
    world.send()
    assert found.requests == []
    assert trips[0] == trips[1]


MAIL: Any = wish(1, "people", "over", email="anna@example.org", is_confirmed=True, webhook=None)


def by_mail(client: Client) -> tuple[World, Mailbox]:
    world = World(client, settings=SETTINGS)
    mailbox = Mailbox(world.clock)
    world.outside["send_mail"] = mailbox.send
    world.process = world.open_process()
    world.create(pace=PACE, seats=3)
    world.subscriptions.save("g", 0, MAIL)
    return world, mailbox


def test_who_changes_his_mind_causes_few_mails(real_client: Client) -> None:
    """The first consent is told at once, the others together after a pause; what happens by them at once."""
    world, mailbox = by_mail(real_client)
    for _ in range(10):
        do(world, pause(1), WithdrawConsent(seat=1, to="pause"))
    assert len(mailbox.mails) == 1
    assert "player 1 agrees to pause the game." in mailbox.texts()[0]
    do(world, pause(1), pause(2), GiveConsent(seat=0, to="pause"), ResumeGame(seat=1))
    assert len(mailbox.mails) == 2
    assert "player 1 ends the pause." in mailbox.texts()[1]
    world.later(PAUSE_S)
    assert len(mailbox.mails) == 3
    assert "player 2 agrees to pause the game." in mailbox.texts()[2]
    assert len({mail["Message-ID"] for mail in mailbox.mails}) == 3


def test_a_person_gets_one_mail_of_what_happens_at_once(real_client: Client) -> None:
    """Not one of the last consent and one of what it does, nor two of the end; a late turn's end is told."""
    world, mailbox = by_mail(real_client)
    do(world, *(GiveConsent(seat=seat, to="cancel") for seat in (0, 1, 2)))
    assert sorted(mail["Message-ID"].split(".")[0] for mail in mailbox.mails) == ["<over", "<people"]


def test_a_chat_reads_a_sentence(world: World, found: Receiver) -> None:
    """With the new deadline where a pause ends, and no name as a mention."""
    world.create(pace=PACE)
    chat = WebhookTarget(url=f"http://127.0.0.1:{found.port}/hook", secret="", format="discord")
    world.subscribe("g", 0, wish(found.port, "people", webhook=chat))
    do(world, pause(1), pause(0), ResumeGame(seat=1))
    texts = [json.loads(body)["content"].splitlines() for _, _, body in found.requests]
    assert "player 1 agrees to pause the game" in texts[0][0]
    assert "player 1 ends the pause" in texts[1][0]
    assert texts[1][1].startswith("The turn lasts until <t:")


# Reminders of a turn with a time bank.


def test_the_bank_has_a_reminder_of_its_own(world: World, found: Receiver) -> None:
    """One before the turn's time is over, one when the bank begins, with ids of their own (review, F7)."""
    world.create(pace=Pace(turn_seconds=3600, reminder_seconds=600, bank_seconds=7200))
    seat = world.games.load("g").game.turn_seat
    world.subscribe("g", seat, wish(found.port, "reminder"))
    world.later(2999)
    assert found.requests == []
    world.later(1)
    world.later(1)
    assert len(found.requests) == 1
    world.later(598)
    assert len(found.requests) == 1
    world.later(1)
    world.later(1)
    world.later(3600)
    ids = [headers["webhook-id"] for _, headers, _ in found.requests]
    version = world.games.load("g").game.turn_version
    assert ids[0] == f"g.{version}.{seat}.turn.reminder"
    assert len(set(ids)) == len(ids) == 2


def test_a_reminder_is_not_sent_when_the_bank_has_begun(world: World, found: Receiver) -> None:
    """While no process lived, or its receiver failed: the second one says all that is left."""
    world.create(pace=Pace(turn_seconds=3600, reminder_seconds=600, bank_seconds=7200))
    seat = world.games.load("g").game.turn_seat
    world.subscribe("g", seat, wish(found.port, "reminder"))
    world.later(3700)
    world.later(1)
    assert len(found.requests) == 1
    assert found.requests[0][1]["webhook-id"].count(".") == 5

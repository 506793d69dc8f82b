"""Notices of what players do around the cards: to whom, once, and few mails however often somebody changes his mind."""

import json
from pathlib import Path
from time import gmtime, strftime
from typing import Any

import pytest

from domain.clock.deadline import deadline
from domain.clock.pace import Pace
from domain.clock.timestamps import milliseconds
from domain.commands import Act, Draw, GiveConsent, TakeVacation, TimeOut
from service.connections.clients import Client
from service.post.subscriptions import WebhookTarget
from tests.domain.test_people_stories import NAMES, UNITS, VERBS
from tests.post.processes import Mailbox, World, by_mail, wish, world_with_mails
from tests.post.test_gathered import PAUSE_S
from tests.support.absence import pass_turn
from tests.support.counting import CountingClient
from tests.support.receivers import Receiver

PACE = Pace(turn_seconds=3600)
BANKED = Pace(turn_seconds=3600, reminder_seconds=600, bank_seconds=7200)
STORIES = [story.splitlines() for story in Path(__file__).with_name("people_notices.txt").read_text().split("== ")[1:]]


def do(world: World, *lines: str) -> None:
    """What the lines say of the game "g", and all attempts that it causes."""
    for line in lines:
        who, verb, *words = line.split()
        if who in NAMES:
            world.games.handle("g", VERBS[verb](NAMES.index(who), world.clock.now, *words))
        elif who == "turn":
            pass_turn(world.games, "g", by_bot="bot" in words)
        elif who == "time":
            world.games.handle("g", TimeOut(turn=world.games.load("g").game.turn))
        else:
            world.lose_feed()
    for _ in range(6):  # a game has few attempts at a time
        world.later(1)


def told(world: World, found: Receiver) -> list[str]:
    """Event and seat of each notice about people; whose clock runs again is told until when (review, F6)."""
    bodies = [json.loads(body) for _, _, body in found.requests]
    found.requests.clear()
    for data in (body["data"] for body in bodies):
        assert data["version"] == data["event"]["version"]
        if data["event"]["type"] == "GameResumed":
            assert milliseconds(data["view"]["turn"]["deadline"]) == deadline(world.games.load("g").game)
    assert {body["type"] for body in bodies} <= {"people.changed"}
    return sorted(f"{body['data']['event']['type']} {body['data']['seat']}" for body in bodies)


@pytest.mark.parametrize("story", [pytest.param(lines[1:], id=lines[0]) for lines in STORIES])
def test_all_but_the_doer_are_told(story: list[str], world: World, found: Receiver) -> None:
    world.create(pace=PACE, seats=3)
    for _ in range((3 - world.games.load("g").game.turn_seat) % 3):
        world.end_turn()
    for seat in range(3):
        world.subscribe("g", seat, wish(found.port, "people"))
    for line in filter(None, story):
        step, _, expected = line.partition(" : ")
        later, _, what = step.removesuffix(" :").partition(" ")
        world.clock.now += int(later[1:-1]) * UNITS[later[-1]]
        do(world, what)
        events = [one.split() for one in expected.split(", ") if one]
        assert told(world, found) == sorted(f"{kind} {seat}" for kind, seats in events for seat in seats), line


def test_who_subscribed_before_costs_no_read(world: World, found: Receiver) -> None:
    """A subscription of an earlier release is told nothing of it; nobody reads events for it."""
    seat = world.create(pace=PACE).turn_seat
    world.subscribe("g", seat, wish(found.port, "scoring", "over", "message"))
    counting: Any = CountingClient(world.client)
    process, trips = world.open_process(counting), []
    process.follower.follow()
    for command in (Act(seat=seat, actions=(Draw(),)), GiveConsent(seat=1 - seat, to="pause")):
        world.games.handle("g", command)
        counting.trips = 0
        process.follower.follow()
        trips.append(counting.trips)
    world.send()
    assert (found.requests, trips[0]) == ([], trips[1])


def open_world(client: Client, pace: Pace, seats: int, *words: str) -> tuple[World, Mailbox]:
    """A game whose seat 0 gets mails, in Berlin."""
    world, mailbox = world_with_mails(client)
    world.create(pace=pace, seats=seats)
    world.subscriptions.save("g", 0, by_mail(*words, zone="Europe/Berlin"))
    return world, mailbox


def test_a_mail_speaks_to_its_reader(real_client: Client) -> None:
    """Of the own seat, with what follows; a vacation's last day isn't that of another zone."""
    world, mailbox = open_world(real_client, Pace(turn_seconds=3600, reminder_seconds=600), 2, "people", "reminder")
    if world.games.load("g").game.turn_seat:
        world.end_turn()
    world.clock.now += 3_000_000
    world.send()
    world.clock.now += 700_000
    do(world, "time runs")
    midnight = (world.clock.now // 86_400_000 + 3) * 86_400_000 - 3_600_000  # in Berlin, in winter
    world.games.handle("g", TakeVacation(seat=1, until=midnight))
    for _ in range(3):
        world.later(1)
    do(world, "Anna agrees pause", "Bert agrees pause")
    reminded, late, away, paused = mailbox.texts()
    assert reminded.startswith("Reminder: your time runs out on ")
    assert "then a bot plays your turn" in " ".join(reminded.split())
    assert late.startswith("Your time ran out: a bot finishes your turn.")
    assert f"back on {strftime('%A, %Y-%m-%d', gmtime(midnight // 1000 + 3600))}." in away
    assert paused.startswith("The game is paused by agreement.")


def test_who_changes_his_mind_causes_few_mails(real_client: Client) -> None:
    """The first request is told at once, the next together after a pause, but for what is decided or taken back.

    What happens by the last consent is told at once, alone.
    """
    world, mailbox = open_world(real_client, PACE, 3, "people", "over")
    for _ in range(10):
        do(world, "Bert agrees pause")
        do(world, "Bert withdraws pause")
    world.later(PAUSE_S)
    do(world, "Bert agrees pause", "Cleo agrees pause", "Anna agrees pause", "Bert resumes")
    world.later(PAUSE_S)
    do(world, "Cleo agrees cancel")
    world.later(PAUSE_S)
    do(world, "Anna agrees cancel", "Bert agrees cancel")
    world.later(PAUSE_S)
    said = ["1 asks for a pause", "1 no longer agrees to pause", "1 ends the pause", "2 asks to call", "is cancelled"]
    assert [words in text for words, text in zip(said, mailbox.texts(), strict=True)] == [True] * len(said)


def test_a_chat_reads_a_sentence(world: World, found: Receiver) -> None:
    """With the new deadline where a pause ends, and the day on which a vacation does."""
    world.create(pace=PACE)
    chat = WebhookTarget(url=f"http://127.0.0.1:{found.port}/hook", secret="", format="discord")
    world.subscribe("g", 0, wish(found.port, "people", webhook=chat))
    do(world, "Bert leaves-for 3")
    ends = world.games.load("g").game.seats[1].vacations[-1][1] // 1000
    away, *_ = (json.loads(body)["content"].splitlines()[:2] for _, _, body in found.requests)
    assert away == ["At the table of player 0, player 1: player 1 is on vacation\\.", f"Back on <t:{ends}:D>."]
    found.requests.clear()
    do(world, "Bert agrees pause", "Anna agrees pause", "Bert resumes")
    said = (json.loads(body)["content"].splitlines() for _, _, body in found.requests)  # two attempts at a time
    (first, *_), (last, until, *_) = sorted(said, key=lambda lines: "agrees" not in lines[0])
    assert "player 1 agrees to pause the game" in first
    assert "player 1 ends the pause" in last
    assert until.startswith("The turn lasts until <t:")


@pytest.mark.parametrize("counts", [{2999: 0, 3000: 1, 3599: 1, 3600: 2, 7200: 2}, {3700: 1}], ids=["both", "late"])
def test_the_bank_has_a_reminder_of_its_own(counts: dict[int, int], world: World, found: Receiver) -> None:
    """One before the turn's time is over, one when the bank begins, with ids of their own (review, F7).

    Where no process lived before the bank began, the second one alone.
    """
    seat = world.create(pace=BANKED).turn_seat
    world.subscribe("g", seat, wish(found.port, "reminder"))
    start = world.clock.now
    for seconds, count in counts.items():
        world.clock.now = start + 1000 * seconds
        world.send()
        assert len(found.requests) == count
    ids = [headers["webhook-id"] for _, headers, _ in found.requests]
    assert [one.endswith(".turn.reminder") for one in ids] == [True, False][-len(ids) :]

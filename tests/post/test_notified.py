"""From a turn's start to a receiver: which notices are sent, once, and which aren't."""

import json
import re
from datetime import UTC, datetime
from random import Random

from standardwebhooks import Webhook

from domain.clock.hours import Hours
from domain.commands import PostMessage, Resign, SeatPlan
from service.bootstrap import retention_of
from service.connections.clients import Client
from service.post.channels.results import JITTER, RETRY_DELAYS_S
from service.post.presence import Presence
from tests.gamelog.ledger import any_act, new_game
from tests.post.processes import World, by_mail, notices_of, wish, world_with_mails
from tests.support.counting import CountingClient
from tests.support.receivers import Receiver, answer, receiver
from tests.support.webhooks import SECRET
from workers.counts import COUNTS
from workers.threads.archiver import Archiver


def next_attempts(world: World) -> list[int]:
    keys = world.games.store.shard_keys("retries")
    return [int(at) for key in keys for _, at in world.client.zrange(key, 0, -1, withscores=True)]


def test_a_turn_that_starts_is_told_once_and_signed(world: World, found: Receiver) -> None:
    """To the seat whose turn it is, with its view; the body is the contract's."""
    game = world.create()
    for seat in (0, 1):
        world.subscribe("g", seat, wish(found.port, "turn"))
    world.send()
    assert notices_of(found.requests) == [("turn.started", game.turn_seat, game.turn_version)]
    after = world.end_turn()
    world.send()
    world.send()
    assert notices_of(found.requests)[1:] == [("turn.started", after.turn_seat, after.turn_version)]
    line, headers, body = found.requests[1]
    assert line == "POST /hook HTTP/1.1"
    Webhook(SECRET).verify(body, {name: headers[name] for name in headers if name.startswith("webhook-")})
    content = json.loads(body)
    assert content.keys() == {"type", "timestamp", "data"}
    assert datetime.fromisoformat(content["timestamp"]).timestamp() * 1000 == world.clock.now
    assert content["data"].keys() == {"game", "seat", "version", "view", "recap"}
    assert content["data"]["recap"][-1] == "Turn 2: it’s your turn."
    world.subscriptions.save("g", 0, wish(found.port, "turn", language="de"))
    world.end_turn()
    world.send()
    [theirs, mine] = json.loads(found.requests[2][2])["data"]["recap"]
    assert (theirs.split(" ")[:2], mine) == (["player", "1"], "Zug 3: du bist an der Reihe.")
    assert content["data"]["view"]["you"]["seat"] == after.turn_seat
    ids = [headers["webhook-id"] for _, headers, _ in found.requests]
    assert len(set(ids)) == 3
    delivered = {"channel": "webhook", "type": "turn.started", "attempt": 1, "status": "delivered", "error": None}
    line = {**delivered, "at": content["timestamp"], "version": after.turn_version}
    assert world.outbox.list_deliveries("g", after.turn_seat) == [line]


def test_what_else_is_told(world: World, found: Receiver) -> None:
    """Rounds, the end, and messages to all but their writer; each seat what it asked for.

    Attempts are counted by outcome alone: a metric with the types of notices would reveal what players do.
    """
    COUNTS.take()
    game = world.create(pace=None)
    world.subscribe("g", 0, wish(found.port, "scoring", "over", "message"))
    world.subscribe("g", 1, wish(found.port, "message"))
    world.games.handle("g", PostMessage(seat=0, text="hello"))
    world.games.handle("g", PostMessage(seat=1, text="well"))
    world.send()
    assert COUNTS.take() == {"reibach_notices delivered": 2}
    first = game.version
    assert sorted(notices_of(found.requests)) == [("message.posted", 0, first + 2), ("message.posted", 1, first + 1)]
    found.requests.clear()
    while not (game := world.end_turn()).over:
        world.send()
    world.games.handle("g", PostMessage(seat=1, text="well played"))
    world.send()
    world.later(1)  # a game has few attempts at a time
    rounds = [("round.scored", 0, done.version) for done in game.rounds]
    assert sorted(notices_of(found.requests)) == sorted(
        [*rounds, ("game.over", 0, game.end), ("message.posted", 0, game.version + 1)]
    )


def test_notices_wait_for_the_end_of_quiet_hours(world: World, found: Receiver) -> None:
    """By the subscription's zone, over a crash; one that is over by then isn't sent, and all else is, once."""
    night = {"quiet": Hours(opens=22 * 60, closes=8 * 60, zone="Europe/Berlin")}
    world.clock.now = round(datetime(2026, 10, 24, 21, 0, tzinfo=UTC).timestamp() * 1000)  # 23:00 there
    game = world.create()
    world.subscribe("g", game.turn_seat, wish(found.port, **night))
    world.subscribe("g", 1 - game.turn_seat, wish(found.port, "turn", **night))
    world.games.handle("g", PostMessage(seat=1 - game.turn_seat, text="hello"))
    world.send()
    after = world.end_turn()
    world.later(10 * 3600 - 1)  # the clocks are put back in that night
    assert found.requests == []
    world.process = world.open_process()
    world.later(1)
    world.later(1)  # a game has few attempts at a time
    told = [("message.posted", game.turn_seat, game.version + 1), ("turn.started", after.turn_seat, after.turn_version)]
    assert sorted(notices_of(found.requests)) == told


def test_a_new_receiver_is_told_a_turn_that_is_on(world: World) -> None:
    """At once, also after the first one has had it; the same receiver gets no second notice."""
    game = world.create()
    seat = game.turn_seat
    with receiver(answer()) as one, receiver(answer()) as two:
        world.subscribe("g", seat, wish(one.port))
        world.send()
        world.subscribe("g", seat, wish(one.port, language="de"))
        world.send()
        world.subscribe("g", seat, wish(two.port))
        world.send()
        assert notices_of(one.requests) == notices_of(two.requests) == [("turn.started", seat, game.turn_version)]
        world.outbox.forget("g", seat)
        world.subscriptions.delete("g", seat)
        world.subscribe("g", seat, wish(two.port))
        world.send()
        assert len(two.requests) == 2


def test_a_turn_that_starts_between_a_put_s_steps_is_told(world: World, found: Receiver) -> None:
    """The reader of the feed has come past it before the subscription was stored."""
    before = world.create()
    after = world.end_turn()
    world.send()
    world.subscriptions.save("g", after.turn_seat, wish(found.port))
    world.queue().notify_turn(before, after.turn_seat, wish(found.port))
    world.send()
    assert notices_of(found.requests) == [("turn.started", after.turn_seat, after.turn_version)]


def test_nothing_is_sent_for_a_turn_that_is_over_or_a_bot_s(world: World, found: Receiver) -> None:
    game = world.create()
    seat = game.turn_seat
    world.subscribe("g", seat, wish(found.port, "turn"))
    after = world.end_turn()
    world.send()
    assert found.requests == []
    world.subscribe("g", after.turn_seat, wish(found.port, "turn"))
    world.games.handle("g", Resign(seat=after.turn_seat))
    world.send()
    assert found.requests == []
    assert world.outbox.list_deliveries("g", after.turn_seat) == []


def test_a_scoring_round_interrupts_no_turn(world: World, found: Receiver) -> None:
    world.create()
    chance = Random(1)
    while not (game := world.games.load("g").game).scoring:
        world.games.handle("g", any_act(game, chance))
    world.subscribe("g", game.turn_seat, wish(found.port, "turn"))
    world.send()
    assert notices_of(found.requests) == [("turn.started", game.turn_seat, game.turn_version)]


def test_a_receiver_s_410_ends_the_webhook(world: World) -> None:
    """With the subscription, as it has nothing else; a new one gets a notice at once."""
    game = world.create()
    seat = game.turn_seat
    with receiver(answer("410 Gone")) as found:
        world.subscribe("g", seat, wish(found.port))
        world.send()
        assert world.subscriptions.load("g") == {}
        (line,) = world.outbox.list_deliveries("g", seat)
        assert (line["status"], line["error"]) == ("refused", "status 410")
        world.subscribe("g", seat, wish(found.port))
        world.send()
        assert len(found.requests) == 2


def test_a_failure_is_tried_again_with_the_same_id(world: World) -> None:
    """By the schedule, until it is a dead letter, which `resend` sends again while the turn is on."""
    game = world.create(pace=None)
    seat = game.turn_seat
    with receiver(answer("500 Oops")) as found:
        world.subscribe("g", seat, wish(found.port, "turn"))
        world.send()
        assert len(found.requests) == 1
        for delay in RETRY_DELAYS_S:
            (at,) = next_attempts(world)
            assert abs(at - world.clock.now - 1000 * delay) <= 1000 * JITTER * delay
            tried = len(found.requests)
            world.clock.now = at - 1
            world.send()
            assert len(found.requests) == tried
            world.later(0.001)
            assert len(found.requests) == tried + 1
        world.later(10 * 86_400)
        assert len(found.requests) == 9
        lines = world.outbox.list_deliveries("g", seat)
        assert [line["attempt"] for line in lines] == list(range(9, 0, -1))
        assert [line["status"] for line in lines] == ["dead"] + ["retry"] * 8
        assert {line["error"] for line in lines} == {"status 500"}
        assert world.outbox.resend() == 1
        world.send()
        assert len(found.requests) == 10
        assert len({headers["webhook-id"] for _, headers, _ in found.requests}) == 1
        while next_attempts(world):
            world.later(86_400)
        world.end_turn()
        assert world.outbox.resend("g") == 1
        tried = len(found.requests)
        world.send()
        assert len(found.requests) == tried


def test_a_seat_that_watches_is_left_alone(world: World, found: Receiver) -> None:
    """If its player wants that: a turn waits until the last stream has ended, all else is dropped."""
    game = world.create()
    seat = game.turn_seat
    presence = Presence(world.games.store)
    with presence.watching("g", seat):
        world.subscribe("g", seat, wish(found.port, "turn"))
        world.send()
        assert len(found.requests) == 1  # this player wants notices while watching
    world.end_turn()
    game = world.end_turn()
    assert game.turn_seat == seat
    with presence.watching("g", seat):
        world.subscriptions.save("g", seat, wish(found.port, while_watching=False))  # counts at once
        with presence.watching("g", seat):
            world.games.handle("g", PostMessage(seat=1 - seat, text="hello"))
            world.send()
        world.later(15)
        assert len(found.requests) == 1
    world.send()
    assert len(found.requests) == 1
    world.later(15)
    assert notices_of(found.requests)[1:] == [("turn.started", seat, game.turn_version)]


def test_lines_of_games_without_subscriptions_cost_two_reads(world: World, real_client: Client) -> None:
    counting = CountingClient(real_client)
    process = world.open_process(counting)
    process.follower.follow()
    counting.trips = 0
    process.follower.follow()
    idle = counting.trips
    for number in range(20):
        world.games.create(new_game(f"g{number}"))
    counting.trips = 0
    assert process.follower.follow() == 20
    advance = 1
    assert counting.trips == idle + 2 + advance


def test_a_reader_that_has_lost_its_position_tells_what_is_on(world: World, found: Receiver) -> None:
    """The running turn, and what came after the last notice; nothing twice."""
    game = world.create()
    for seat in (0, 1):
        world.subscribe("g", seat, wish(found.port, "turn", "message"))
    world.games.handle("g", PostMessage(seat=0, text="one"))
    world.send()
    count_before = len(found.requests)
    world.lose_feed()
    after = world.end_turn()
    world.games.handle("g", PostMessage(seat=0, text="two"))
    world.send()
    assert sorted(notices_of(found.requests)[count_before:]) == [
        ("message.posted", 1, after.version + 1),
        ("turn.started", after.turn_seat, after.turn_version),
    ]
    world.lose_feed()
    world.send()
    assert len(found.requests) == count_before + 2
    assert after.turn_version > game.turn_version


def test_a_deleted_game_leaves_nothing(world: World, real_client: Client) -> None:
    """Neither notices nor markers; what still waits in a list goes when it is due."""
    world.create("g")
    with receiver(answer("500 Oops")) as found:
        for seat in (0, 1):
            world.subscribe("g", seat, wish(found.port))
        world.games.handle("g", PostMessage(seat=0, text="hello"))
        world.send()
        head = world.games.load("g")
        assert world.games.store.delete("g", head.game.version, head.hash)
        world.later(3600)
        assert [key for key in real_client.scan_iter() if b":feed" not in key] == [b"{s02}:keys:g"]  # the mark


def test_who_waits_for_a_game_learns_that_it_goes(real_client: Client) -> None:
    """A week before an unused game is deleted, at its confirmed addresses: once, and not if something happens there."""
    world, mailbox = world_with_mails(real_client)
    archiver = Archiver(world.services, "store", retention_of(world.settings))
    for name in ("g", "talking", "moving"):
        seats = [SeatPlan(name="Anna"), SeatPlan(name="Bert"), SeatPlan()]
        world.games.create(new_game(name, seats[: 2 if name == "moving" else 3]))
        world.subscriptions.save(name, 0, by_mail("message"))
        world.subscriptions.save(name, 1, by_mail(email="bert@example.org", is_confirmed=False))
    world.send()
    began = world.clock.now
    for day in (22, 23, 26, 29):
        world.clock.now = began + day * 86_400_000
        for name in ("g", "talking", "moving"):
            world.client.zadd(world.games.store.keys(name).quiet, {name: 1})
        archiver.run_once()
        if day == 23:
            world.games.handle("talking", PostMessage(seat=0, text="I wait"))
        world.send()
    assert [mail["To"] for mail in mailbox.mails] == ["anna@example.org"]
    text = mailbox.texts()[0]
    assert re.search(r"deleted on \w+ \d+ \w+, \d+:\d+ \(.*unless.*/g/g#seat=0&token=", text), text

"""What has changed by the time that a receiver's connection is open: nothing leaves for a turn that is over by then."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from domain.commands import PostMessage
from domain.state import Game
from service.connections.clients import Client
from service.post.channels.results import SendResult
from service.post.claim import AGAIN, FIRST
from service.post.presence import Presence
from service.post.subscriptions import Subscription, WebhookTarget
from tests.post.processes import PACE, World, by_mail, mail_settings, notices_of, send_webhooks_by, wish
from tests.post.test_smtp import Inbox, serving
from tests.support.counting import CountingClient
from tests.support.receivers import Receiver, answer, receiver, server_context
from tests.support.webhooks import SECRET, sender

TURN_S, REMINDER_S = PACE.turn_seconds, PACE.reminder_seconds
Change = Callable[[World, Game], object]
CHANGES: dict[str, Change] = {
    "the turn ends": lambda world, _: world.end_turn(),
    "the game is deleted": lambda world, _: delete(world),
    "the player unsubscribes": lambda world, game: world.subscriptions.delete("g", game.turn_seat),
}


def delete(world: World) -> None:
    head = world.games.load("g")
    assert world.games.store.delete("g", head.game.version, head.hash)


def waiting(world: World) -> list[bytes]:
    store = world.games.store
    return [one for lane in (FIRST, AGAIN) for key in store.shard_keys(lane) for one in world.client.zrange(key, 0, -1)]


@contextmanager
def slow_receiver(world: World, folder: Path, change: Callable[[], object]) -> Iterator[tuple[Receiver, Subscription]]:
    """A receiver, and what a player has subscribed to: something happens before it answers the TLS handshake."""
    send_webhooks_by(world.process, sender(clock=world.clock).send)
    with receiver(answer(), server_context("example.org", folder), once(change)) as found:
        target = WebhookTarget(url=f"https://example.org:{found.port}/hook", secret=SECRET, format="standard")
        yield found, wish(1, "turn", "reminder", webhook=target)


def once(change: Callable[[], object]) -> Callable[[], object]:
    changes = iter([change])
    return lambda: [happen() for happen in changes]


class SlowInbox(Inbox):
    """A mail server where something happens before it has answered to the first recipient."""

    def __init__(self, change: Callable[[], object]) -> None:
        super().__init__()
        self.change = once(change)

    async def handle_RCPT(self, *arguments: Any) -> str:  # noqa: N802 - aiosmtpd calls it
        self.change()
        return await super().handle_RCPT(*arguments)


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_sent_to_a_webhook(real_client: Client, tmp_path: Path, change: str) -> None:
    """Its TLS handshake takes until then. No attempt is counted, and nothing waits."""
    world = World(real_client)
    game = world.create()
    with slow_receiver(world, tmp_path, lambda: CHANGES[change](world, game)) as (found, subscription):
        world.subscribe("g", game.turn_seat, subscription)
        world.send()
        assert (found.connections, found.requests) == (1, [])
    assert world.outbox.list_deliveries("g", game.turn_seat) == []
    assert waiting(world) == []


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_sent_by_mail(real_client: Client, change: str) -> None:
    """The mail server takes until then to accept the recipient."""
    with ExitStack() as stack:
        inbox = SlowInbox(lambda: CHANGES[change](world, game))
        world = World(real_client, settings=mail_settings(stack.enter_context(serving(inbox))))
        game = world.create()
        world.subscribe("g", game.turn_seat, by_mail("turn"))
        world.send()
        assert inbox.taken == []
    assert world.outbox.list_deliveries("g", game.turn_seat) == []
    assert waiting(world) == []


def test_no_reminder_leaves_after_its_deadline(real_client: Client, tmp_path: Path) -> None:
    world = World(real_client)
    game = world.create()

    def pass_time() -> None:
        world.clock.now += 1000 * REMINDER_S

    with slow_receiver(world, tmp_path, lambda: None) as (found, subscription):
        world.subscribe("g", game.turn_seat, subscription)
        world.send()
        assert len(found.requests) == 1
    with slow_receiver(world, tmp_path, pass_time) as (found, subscription):
        world.subscriptions.save("g", game.turn_seat, subscription)
        world.later(TURN_S - REMINDER_S)
        assert (found.connections, found.requests) == (1, [])


def test_what_changes_nothing_for_a_turn_holds_no_notice_up(real_client: Client, tmp_path: Path) -> None:
    """A message makes a new version of the game. The notice's time of sending is that of the last look."""
    world = World(real_client)
    game = world.create()

    def say() -> None:
        world.clock.now += 5000
        world.games.handle("g", PostMessage(seat=1 - game.turn_seat, text="hello"))

    with slow_receiver(world, tmp_path, say) as (found, subscription):
        world.subscribe("g", game.turn_seat, subscription)
        world.send()
        assert notices_of(found.requests) == [("turn.started", game.turn_seat, game.turn_version)]
        assert found.headers["webhook-timestamp"] == str(world.clock.now // 1000)
        assert found.connections == 1


def test_a_seat_that_has_begun_to_watch_is_left_alone(real_client: Client, tmp_path: Path) -> None:
    """If its player wants that: the notice waits until the stream has ended."""
    world = World(real_client)
    game = world.create()
    with ExitStack() as stream:
        watching = Presence(world.games.store).watching("g", game.turn_seat)
        with slow_receiver(world, tmp_path, lambda: stream.enter_context(watching)) as (found, subscription):
            world.subscribe("g", game.turn_seat, replace(subscription, while_watching=False))
            world.send()
            assert (found.connections, found.requests) == (1, [])
            stream.close()
            world.later(15)
            assert notices_of(found.requests) == [("turn.started", game.turn_seat, game.turn_version)]


def count_trips(client: Client, world: World) -> int:
    """The round trips of a new post process's one attempt, from its claim on."""
    counting: Any = CountingClient(client)
    process = world.open_process(counting)
    while world.process.follower.follow():
        pass
    (claim,) = process.outbox.claim(FIRST, 1)
    counting.trips = 0
    process.pool._attempt(claim, FIRST)
    return counting.trips


def test_a_last_look_costs_two_round_trips(real_client: Client) -> None:
    """For the subscription and the game; a receiver that takes no connection, or no recipient, costs none."""

    def count_after(subscription: Subscription, **options: Any) -> int:
        real_client.flushall()
        world = World(real_client, **options)
        world.subscribe("g", world.create().turn_seat, subscription)
        return count_trips(real_client, world)

    with receiver(answer()) as found:
        refused, taken = (count_after(wish(port, "turn")) for port in (1, found.port))
    assert taken == refused + 2
    mails = []
    for look in (lambda _: None, lambda recheck: recheck()):

        def take(_: Any, recheck: Callable[[], None], look: Any = look) -> SendResult:
            look(recheck)
            return SendResult()

        mails.append(count_after(by_mail("turn"), settings=mail_settings(), outside={"send_mail": take}))
    assert mails[1] == mails[0] + 2

"""The notice of a turn that begins with standing orders: it waits for them, and says what they did (post.md F2)."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from config.settings import Settings
from domain.cards import HAND_CARDS, REIBACH
from domain.commands import Act, CompleteScoring, Draw, Skip, Take, TakeCard
from domain.orders.planner import Step, next_action
from domain.state import Game
from service.connections.clients import Client
from service.post.claim import FIRST
from tests.post.mails import parse, text_of
from tests.post.processes import World, notices_of, wish
from tests.post.test_smtp import Inbox, serving
from tests.support.receivers import Receiver, answer, receiver
from workers.orders import play_orders

DRAW = Step((Draw(),))
TAKE = Step((Take(slot=0), Take(slot=1), Draw()))


class Told(World):
    """Seat 1 has put orders in, and is told of its turns by mail and webhook."""

    hook: Receiver
    box: Inbox

    def begin(self, *steps: Step, name: str = "g") -> Game:
        self.create(name)
        self.subscribe(name, 1, wish(self.hook.port, "turn", email="bert@example.org", is_confirmed=True))
        self.services.orders.put(name, 1, steps)
        return self.end_turn(name)

    def play(self, game: Game) -> Game:
        play_orders(self.services, game.id, game.turn)
        self.later(2)
        return self.games.load(game.id).game

    @property
    def mails(self) -> list[str]:
        return [text_of(parse(taken.content)) for taken in self.box.taken]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body)["data"] for _, _, body in self.hook.requests]


@pytest.fixture
def world(real_client: Client) -> Iterator[Told]:
    with ExitStack() as stack:
        box = Inbox()
        smtp = f"smtp://127.0.0.1:{stack.enter_context(serving(box))}"
        mail = {"mail_from": "post@example.com", "public_url": "https://play.example.com/", "smtp_url": smtp}
        told = Told(real_client, settings=Settings(webhook_allow_private=True, **mail))
        told.box, told.hook = box, stack.enter_context(receiver(answer()))
        yield told


def test_none_of_a_turn_that_orders_end(world: Told) -> None:
    game = world.begin(*[TAKE] * 3)
    world.later(0.5)
    assert world.play(game).turn == game.turn + 1
    world.later(3600)
    assert (world.mails, world.hook.requests) == ([], [])


def test_one_that_is_true_of_what_they_left(world: Told) -> None:
    """It names what they did; its version is that of the turn, its view the one after them; and it comes once."""
    game = world.begin(DRAW)
    for seconds in (0, 0.5, 1):
        world.later(seconds)
        assert (world.mails, world.hook.requests) == ([], [])
    after = world.play(game)
    assert (after.turn, after.action_points) == (game.turn, 1)
    world.later(60)
    assert notices_of(world.hook.requests) == [("turn.started", 1, game.turn_version)]
    assert world.bodies[0]["view"]["version"] == after.version
    (mail,) = world.mails
    assert "1\u00a0action point" in mail
    assert "By your order: " in mail.replace("\n", " ")


def test_what_was_dropped_and_why(world: Told) -> None:
    """Also where they did nothing; and what is kept or skipped is no reason to wait any longer."""
    game = world.begin(DRAW)
    missing = next(card for card in HAND_CARDS if card not in game.display)
    never = TakeCard(card=missing)
    world.services.orders.cancel("g", 1)
    world.later(0)
    assert len(world.mails) == 1
    world.services.orders.put("g", 1, (Step((never,), if_none="keep"), Step((Skip(),)), Step((never,))))
    world.end_turn()
    game = world.end_turn()
    world.later(1)
    assert len(world.mails) == 1
    world.play(game)
    _, mail = (one.replace("\n", " ") for one in world.mails)
    assert "3\u00a0action points" in mail
    dropped = world.services.orders.load("g", 1).orders.dropped  # type: ignore[union-attr]
    assert (dropped is not None) == ("is not on display." in mail)


def test_it_waits_on_through_crashes(world: Told) -> None:
    """A sender is killed with it in its hands, a worker between two steps, and both begin anew: one, at the end."""
    game = world.begin(TAKE, TAKE)
    while world.process.follower.follow():
        pass
    assert world.outbox.claim(FIRST, 8)  # and dies
    held = world.services.orders.load("g", 1)
    assert held is not None
    action, orders = next_action(held.orders, game, 1)
    assert action is not None
    world.games.handle("g", Act(seat=1, actions=(action,)), orders=world.services.orders.step(1, held, orders))
    world.process = world.open_process()
    world.later(60)
    assert (world.mails, world.hook.requests) == ([], [])
    after = world.play(game)
    world.later(60)
    world.later(60)
    assert (len(world.mails), after.action_points) == (1, 1)
    assert notices_of(world.hook.requests) == [("turn.started", 1, game.turn_version)]


def test_it_waits_for_a_scoring_round_that_ends_the_turn(world: Told) -> None:
    """While the round is worked out nobody knows whether points are left."""

    def is_near(game: Game) -> bool:
        pile = game.draw_pile[game.drawn : game.drawn + 1]
        return game.turn_seat == 1 and pile == (REIBACH,) and game.revealed + 1 in game.rules.scoring_at

    for number in range(60):
        name = f"scored{number}"
        game = world.create(name)
        while not game.over and not is_near(game):
            game = world.end_turn(name)
        if not game.over:
            break
    head = world.games.load(name)
    world.services.orders.put(name, 1, (DRAW,))
    raw = world.services.orders.load(name, 1).raw  # type: ignore[union-attr]
    early = raw.replace(b'"turn":%d' % game.turn, b'"turn":%d' % (game.turn - 1))
    world.client.hset(world.games.store.orders(name), "1", early)  # as if put in before the turn
    world.subscribe(name, 1, wish(world.hook.port, "turn", email="bert@example.org", is_confirmed=True))
    play_orders(world.services, name, game.turn)
    assert (head.game.turn, world.games.load(name).game.status) == (game.turn, "scoring")
    world.later(5)
    assert (world.mails, world.hook.requests) == ([], [])
    world.games.handle(name, CompleteScoring(round=len(game.rounds) + 1))
    world.later(60)
    is_on = world.games.load(name).game.turn == game.turn
    assert len(world.mails) == len(world.hook.requests) == is_on

"""The notice of a turn that begins with standing orders: it waits for them, and says what they did (post.md F2)."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from domain.cards import HAND_CARDS
from domain.commands import Act, CompleteScoring, Draw, Skip, Take, TakeCard
from domain.orders.planner import Step, next_action
from domain.state import Game
from service.connections.clients import Client
from service.gamelog.orders.form import pack
from service.post.claim import FIRST
from tests.post.mails import text_of
from tests.post.processes import World, mail_settings, notices_of, wish
from tests.post.test_smtp import Inbox, serving
from tests.support.receivers import Receiver, answer, receiver
from workers.orders import play_orders

DRAW = Step((Draw(),), repeat=True, is_list=False)
TAKE = Step((Take(slot=0), Take(slot=1), Draw()))


class Told(World):
    """Seat 1 is told of its turns by mail and webhook."""

    hook: Receiver
    box: Inbox

    def begin(self, *steps: Step) -> Game:
        """The first turn of seat 1, which has put these orders in."""
        self.create()
        self.subscribe("g", 1, wish(self.hook.port, "turn", email="bert@example.org", is_confirmed=True))
        self.services.orders.put("g", 1, steps)
        return self.end_turn()

    def play(self, game: Game) -> Game:
        play_orders(self.services, "g", game.turn)
        self.later(2)
        return self.games.load("g").game

    @property
    def told(self) -> list[int]:
        """The versions of the turns that were told; the mails tell the same."""
        found = [version for _, _, version in notices_of(self.hook.requests)]
        assert len(self.box.taken) == len(found)
        return found

    @property
    def mail(self) -> str:
        return re.sub("[ \n]+", " ", text_of(self.box.mails[-1]))


@pytest.fixture
def world(real_client: Client) -> Iterator[Told]:
    with ExitStack() as stack:
        box = Inbox()
        told = Told(real_client, settings=mail_settings(stack.enter_context(serving(box))))
        told.box, told.hook = box, stack.enter_context(receiver(answer()))
        yield told


def test_none_of_a_turn_that_orders_end(world: Told) -> None:
    game = world.begin(*[TAKE] * 3)
    world.later(0.5)
    assert world.play(game).turn == game.turn + 1
    assert world.services.orders.may_end_turn(game)  # a notice may be judged by a game that was read before
    world.later(3600)
    assert world.told == []


def test_one_of_each_turn_that_is_true_of_what_they_left(world: Told) -> None:
    """In a whole game: it waits for them, and for a scoring round that may end the turn. Its version is the turn's."""
    game, rounds, due = world.begin(DRAW), 0, []
    while not game.over:
        world.later(1)
        assert world.told == due
        play_orders(world.services, "g", game.turn)
        if (after := world.games.load("g").game).scoring:
            world.later(5)
            assert world.told == due
            world.games.handle("g", CompleteScoring(round=after.scoring))
            rounds += 1
        world.later(60)
        if (after := world.games.load("g").game).turn == game.turn and not after.over:
            due.append(game.turn_version)
            assert world.mail.startswith(f"It\u2019s your turn: {after.action_points}\u00a0action point")
            assert "By your order: " in world.mail.partition("Since your last turn")[2]
            assert "By your order: " in "\n".join(json.loads(world.hook.requests[-1][2])["data"]["recap"])
        assert world.told == due
        game = after
        while not game.over and (game.turn_seat == 0 or game.turn == after.turn):
            game = world.end_turn()
    assert rounds


def test_what_was_dropped_and_why(world: Told) -> None:
    """Also where they did nothing; what is kept or skipped is no reason to wait any longer."""
    game = world.begin(DRAW)
    never = tuple(TakeCard(card=card) for card in HAND_CARDS if card not in game.display)[:1]
    steps = (Step(never, if_none="keep"), Step((Skip(),)), Step((TakeCard(card=never[0].card), *never)))
    world.services.orders.put("g", 1, steps)  # they begin with the next turn
    world.later(0)
    assert world.told == [game.turn_version]
    while (game := world.end_turn()).turn_seat == 0 or never[0].card in game.display:
        world.later(0)
        world.services.orders.put("g", 1, steps)
    world.later(1)
    world.play(game)
    assert world.told[-1] == game.turn_version
    assert world.mail.startswith("It\u2019s your turn: 3\u00a0action points")
    assert "is not on display: " in world.mail


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
    step = 1, held.raw, pack(orders)
    world.games.handle("g", Act(seat=1, actions=(action,)), orders=step)
    world.process = world.open_process()
    world.later(60)
    assert world.told == []
    assert world.play(game).action_points == 1
    world.later(60)
    assert world.told == [game.turn_version]

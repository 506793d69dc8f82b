"""The generated client plays a whole game by post: told by webhook, with orders, time-outs and a return."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from service.connections.clients import Client
from tests.api.generated import GeneratedClient
from tests.support.client import SEED
from tests.support.deployment import DeploymentInProcess
from tests.support.receivers import Receiver, answer, receiver

ANNA, BERT = 0, 1
TURN_S, REMINDER_S = 60, 20


class Game:
    """A game of Anna, who begins and gets webhooks, and Bert."""

    def __init__(self, generated: GeneratedClient, world: DeploymentInProcess, hooks: Receiver) -> None:
        self.models, self.call, self.world, self.hooks = generated.models, generated.call, world, hooks
        self._numbers = count()

        def client(token: str = "") -> Any:
            return generated.open(
                "http://reibach.test", token, httpx_args={"transport": httpx.WSGITransport(world.http.application)}
            )

        self.watcher, models = client(), self.models
        pace = models.Pace(TURN_S, reminder_seconds=REMINDER_S, on_timeout=models.OnTimeout.BOT)
        seats = [models.NamedSeat(name="Anna"), models.NamedSeat(name="Bert")]
        plan = models.NewGame(seats=seats, pace=pace, starting_seat=ANNA, server_seed=SEED)
        made = self.call("play.create_game", by=self.watcher, body=plan, idempotency_key=self.key())
        self.id = made.game.id
        self.seats = {seat.seat: client(seat.token) for seat in made.seats}
        hook = models.Webhook(url=f"http://127.0.0.1:{hooks.port}/hook")
        self.asked = self.by(ANNA, "post.subscribe", body=models.Notifications(webhook=hook))
        assert self.by(ANNA, "post.show_subscription") == self.asked
        world.work()

    def key(self) -> str:
        return f"the generated client, by post, {next(self._numbers):03}"

    def by(self, seat: int, operation: str, **more: Any) -> Any:
        return self.call(operation, self.id, by=self.seats[seat], **more)

    @property
    def view(self) -> Any:
        return self.call("play.show_game", self.id, by=self.watcher)

    def told(self) -> list[tuple[str, int]]:
        """Type and version of what Anna got, each signed with her secret and with an id of its own."""
        found = {}
        webhook = Webhook(self.asked.webhook.secret)
        for _, headers, body in self.hooks.requests:
            at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)  # `verify` compares it with the present
            assert headers["webhook-signature"] == webhook.sign(headers["webhook-id"], at, body.decode())
            notice = self.models.Notice.from_dict(json.loads(body))
            assert (notice.data.seat, notice.additional_properties | notice.data.additional_properties) == (ANNA, {})
            found[headers["webhook-id"]] = (notice.type_.value, notice.data.version)
        assert len(found) == len(self.hooks.requests)
        return list(found.values())

    def play_turn(self) -> None:
        """Play the turn that is on, to its end; what follows from it happens, too."""
        view = self.view
        number, seat = view.turn.number, view.turn.seat
        while view.turn and view.turn.number == number:
            action = self.by(seat, "play.show_legal_actions").actions[-1]
            acted = self.by(seat, "play.act", body=action, idempotency_key=self.key())
            assert isinstance(acted, self.models.Acted)
            assert acted.problem is None
            view = acted.game
            if view.status is self.models.ViewStatus.SCORING:
                self.world.work()
                view = self.view
        self.world.work()

    def await_turn(self, number: int, seat: int) -> None:
        turn = self.view.turn
        assert (turn.number, turn.seat) == (number, seat)


@pytest.fixture
def game(real_client: Client, generated: GeneratedClient) -> Iterator[Game]:
    with receiver(answer()) as hooks:
        yield Game(generated, DeploymentInProcess(real_client), hooks)


@pytest.mark.nightly
def test_a_generated_client_plays_a_whole_game_by_post(game: Game) -> None:
    """It parses every answer, notice and later event; Anna is told of each turn once, and of nothing of Bert's."""
    models, world = game.models, game.world
    steps = [[models.Draw(models.DrawType.DRAW)], [models.Take(models.TakeType.TAKE, slot=1)]]
    assert game.by(BERT, "play.act", body=models.Draw(models.DrawType.DRAW)).type_ == "/problems/not-your-turn"
    ordered = game.by(BERT, "play.put_orders", body=models.Orders(steps=steps))
    assert (len(ordered.steps), ordered.dropped) == (2, None)
    game.play_turn()
    game.await_turn(3, ANNA)  # the orders have played the second turn
    assert game.by(BERT, "play.show_orders").steps == []
    for number in (3, 4, 5):
        game.await_turn(number, (number + 1) % 2)
        game.play_turn()
    world.later(TURN_S)  # a bot plays the sixth turn in Bert's place
    game.await_turn(7, ANNA)
    world.later(TURN_S - REMINDER_S)
    assert game.told()[-1][0] == "turn.reminder"
    game.play_turn()
    world.later(TURN_S)
    game.await_turn(9, ANNA)
    assert game.view.seats[BERT].away is models.SeatViewAwayType0.ABANDONED
    game.play_turn()
    game.await_turn(11, ANNA)  # at once: the bot plays for Bert
    back = game.by(BERT, "play.reclaim_seat", idempotency_key=game.key())
    assert isinstance(back, models.Accepted)
    assert back.game.seats[BERT].away is None
    while game.view.status is not models.ViewStatus.OVER:
        game.play_turn()
        world.later(2)  # a game's notices to one host have a pace
    page = game.call("watch.show_events", game.id, by=game.watcher, limit=1000)
    assert page.next_ is None
    later = page.events[-1].to_dict() | {"type": "SomethingNew", "at": "2030-01-01T00:00:00+00:00", "data": {"new": 1}}
    assert models.EventsPage.from_dict({"events": [later], "next": None}).events[0].to_dict() == later
    about_bert = {"TurnTimedOut": 2, "SeatAbandoned": 1, "SeatReclaimed": 1}
    assert Counter(name for event in page.events if (name := type(event).__name__) in about_bert) == about_bert
    begun = [event for event in page.events if isinstance(event, models.TurnStarted)]
    turns = [("turn.started", event.version) for event in begun if event.data.seat == ANNA]
    rounds = [("round.scored", event.version) for event in page.events if isinstance(event, models.RoundScored)]
    people = [("people.changed", event.version) for event in page.events if type(event).__name__ in about_bert]
    assert sorted(told := game.told()) == sorted(
        [*turns, *rounds, *people, ("game.over", page.events[-1].version), ("turn.reminder", turns[3][1])]
    )
    delivered = game.by(ANNA, "post.show_deliveries").deliveries
    assert len(told) <= 50  # the list is not longer; notices that are due together are sent side by side
    assert sorted((line.type_, line.version) for line in delivered) == sorted(told)
    assert {line.error for line in delivered} == {None}
    assert game.call("verify.show_audit", game.id, by=game.watcher).ok
    assert game.call("watch.show_scores", game.id, by=game.watcher).totals == [seat.total for seat in game.view.seats]
    assert game.by(BERT, "watch.show_recap", since=1).items
    receipt = game.call("verify.show_receipt", game.id, by=game.watcher)
    assert receipt.key in {key.key for key in game.call("verify.show_keys", by=game.watcher).keys}
    assert isinstance(game.by(BERT, "play.post_message", body=models.Message(text="Good game!")), models.Accepted)
    assert game.by(ANNA, "post.unsubscribe") is None
    assert isinstance(game.by(ANNA, "post.show_subscription"), models.Problem)

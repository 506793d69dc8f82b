"""A client that a generator writes from the OpenAPI document plays a whole game."""

from itertools import count
from typing import Any

import pytest

from tests.api.generated import GeneratedClient
from tests.conftest import Service
from tests.support.client import SEED, Api
from tests.support.waiting import patience

pytestmark = pytest.mark.slow


def test_a_generated_client_plays_a_whole_game(service: Service, generated: GeneratedClient) -> None:
    """Create, join, look, act, write and check: every answer is parsed into its type, and none is unexpected."""
    numbers = count()
    models, call = generated.models, generated.call

    def client(token: str = "") -> Any:
        return generated.open(service.url, token, timeout=patience(35))

    watcher = client()
    bot = models.BotSeat(models.BotSeatBot.GREEDY)
    open_table = [models.NamedSeat(name="Anna", entropy="tulip"), models.OpenSeat(), bot]
    plan = models.NewGame(seats=open_table, server_seed=SEED)
    made = call("play.create_game", by=watcher, body=plan, idempotency_key=f"a generated client, {next(numbers):03}")
    assert isinstance(made, models.Created)
    game = made.game.id
    joined = call("play.join_game", game, by=watcher, body=models.Join(name="Carla"))
    assert isinstance(joined, models.Joined)
    seats = {0: client(made.seats[0].token), 1: client(joined.token)}
    refused = call("play.act", game, by=seats[1], body=models.Draw(type_=models.DrawType.DRAW))
    assert isinstance(refused, models.Problem)
    assert refused.type_ == "/problems/not-your-turn"
    view = joined.game
    while view.status is not models.ViewStatus.OVER:
        if view.turn is None or view.turn.seat not in seats or view.status is models.ViewStatus.SCORING:
            newer = call("play.show_game", game, by=watcher, wait=20, if_none_match=f'"{view.version}"')
            assert newer is not None, "the game stands still"
            view = newer
            continue
        own = seats[view.turn.seat]
        legal = call("play.show_legal_actions", game, by=own)
        key = f"a generated client, {next(numbers):03}"
        acted = call("play.act", game, by=own, body=legal.actions[-1], idempotency_key=key)
        assert isinstance(acted, models.Acted)
        assert acted.problem is None
        assert {type(event).__name__ for event in acted.events} <= {word.value for word in models.EventType}
        view = acted.game
    assert isinstance(
        call("play.post_message", game, by=seats[1], body=models.Message(text="Good game!")), models.Accepted
    )
    page = call("watch.show_events", game, by=watcher, limit=1000)
    assert type(page.events[0]) is models.GameCreated
    assert type(page.events[-1]) is models.MessagePosted
    assert isinstance(page.events[1].data, models.PlayerJoinedData)
    assert call("watch.show_scores", game, by=watcher).totals == [seat.total for seat in view.seats]
    assert call("verify.show_audit", game, by=watcher).ok
    assert call("watch.show_recap", game, by=seats[0], since=1).items
    receipt = call("verify.show_receipt", game, by=watcher)
    assert receipt.key in {key.key for key in call("verify.show_keys", by=watcher).keys}


def test_the_generated_client_has_every_operation(api: Api, generated: GeneratedClient) -> None:
    """No operation is left out, and each member of the unions has a class."""
    document = api.get("/v1/openapi.json").json()
    modules = {path.stem.replace("_", "") for path in (generated.folder / "api").rglob("*.py")} - {"init"}
    operations = {operation["operationId"] for item in document["paths"].values() for operation in item.values()}
    assert {name.lower() for name in operations} <= modules
    for name in ("NamedSeat", "BotSeat", "OpenSeat", "Card", "Business", "Turn", "OwnSeat"):
        assert hasattr(generated.models, name)

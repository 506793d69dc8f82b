"""The service in process, twice: two tables of the same id, tokens and clock, dealt from hands of the test's choice."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha1
from itertools import count
from random import Random
from typing import Any, Self, TypeVar

import pytest
from werkzeug.test import TestResponse

from config.settings import Settings
from domain.commands import ACTIONS, CompleteScoring, recorded_action
from domain.events import Event, EventRecord, GameStarted, payload_of, type_of
from domain.orders.wishes import json_of
from domain.state import Game
from service.bootstrap import Outside
from service.gamelog.history import decode_events
from service.signing.deployment import Deployment
from tests.domain.worlds import another_world
from tests.support.play import fold, play_until
from tests.support.world import BEGIN, Process

SHARDS = 2
KEY = "the key that opens both of these games"
NEVER = {"type": "append", "card": "gold", "row": 9}
"""An action that is refused to a seat without a tenth row: it ends a list."""
SECRETS = re.compile(rb'"(hash|signature|salt)":"[^"]*"')


class World(Process):
    """A service on a clock that ticks, where each game has the same seed.

    Two of one deployment have the same tokens, ids and receipts' keys.
    """

    def __init__(self, deployment: Deployment | None = None, settings: Settings | None = None) -> None:
        ticks = count(BEGIN, 250)
        services = {"deployment": deployment or Deployment.new(SHARDS), "outside": Outside(new_seed=lambda: bytes(32))}
        super().__init__(settings=settings, shards=SHARDS, services=services, clock=lambda: next(ticks))
        self.tokens: dict[int, str] = {}
        self.path = ""

    def tell(self, events: Sequence[Event], variants: dict[str, bool], starting_seat: int) -> None:
        """Play a game over the API so that exactly `events` happen."""
        started = next(event for event in events if isinstance(event, GameStarted))
        cards = [list(hand) for hand in started.hands], list(started.display), list(started.draw_pile)
        seats = [{"name": f"player {seat}", "entropy": f"share {seat}"} for seat in range(len(started.hands))]
        body = {"seats": seats, "variants": variants, "starting_seat": starting_seat}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("domain.decide.deal", lambda *_: cards)
            made = self.ask("POST", "/v1/games", json=body, headers={"Idempotency-Key": KEY})
        self._take(made)
        for number, (seat, sent) in enumerate(requests(events)):
            if seat is None:
                self.log.handle(self.game.id, CompleteScoring(round=sent["round"]))
            else:
                answer = self.act(seat, sent, number)
                assert answer.status_code == 201, answer.text
        happened = [
            (event["type"], event["data"]) for event in decode_events(self.log.store.read(self.game.id).entries)
        ]
        salts = [data["salt"] for _, data in happened if "salt" in data]
        expected = [(type_of(event), payload_of(event)) for event in events]
        for _, data in expected:
            data.update({"salt": salts.pop(0)} if "salt" in data else {})
        assert happened[len(seats) + 1 :] == expected[len(seats) + 1 :], "other events happened than were asked for"

    def open(self, seats: Sequence[dict[str, Any]], **body: Any) -> Self:
        made = self.ask("POST", "/v1/games", json={"seats": list(seats), **body})
        self._take(made)
        return self

    def _take(self, made: TestResponse) -> None:
        """The path and the tokens of a game that was opened."""
        assert made.status_code == 201, made.text
        self.path = made.headers["Location"]
        self.tokens = {one["seat"]: one["token"] for one in made.get_json()["seats"]}

    @property
    def game(self) -> Game:
        return self.log.load(self.path.rpartition("/")[2]).game

    def history(self) -> list[EventRecord]:
        return self.log.load_events(self.path.rpartition("/")[2], 0)[1]

    def act(self, seat: int, body: dict[str, Any], number: int) -> TestResponse:
        """The seat's request of that number: its key is the number."""
        place = "messages" if "text" in body else "actions"
        return self.ask("POST", f"{self.path}/{place}", seat, json=body, headers={"Idempotency-Key": f"no. {number}"})

    def ask(self, method: str, path: str, seat: int | None = None, **more: Any) -> TestResponse:
        headers = dict(more.pop("headers", {}))
        if seat is not None:
            headers["Authorization"] = f"Bearer {self.tokens[seat]}"
        return self.http.open(path, method=method, headers=headers, **more)


AnyWorld = TypeVar("AnyWorld", bound=World)


def told(seats: int, seed: str, commands: int, variants: Sequence[str] = (), **more: Any) -> World:
    """A world with the game that random players have played so far."""
    world = World(**more)
    world.tell(play_until(seats, seed, commands, variants)[1], dict.fromkeys(variants, True), 0)
    return world


def twins(
    seat: int | None,
    seats: int,
    seed: str,
    commands: int,
    variants: Sequence[str] = (),
    *,
    make: Callable[[Deployment], AnyWorld] = World,  # type: ignore[assignment]
    starting_seat: int = 0,
    talk: float = 0.0,
) -> tuple[AnyWorld, AnyWorld, Game, list[Event]]:
    """Two worlds that the seat (None: a spectator) can't tell apart; the game and the events of the first one."""
    game, events = play_until(seats, seed, commands, variants, starting_seat=starting_seat, talk=talk)
    others = another_world(events, seat, game, Random(seed))
    assert fold(others) != game
    deployment = Deployment.new(SHARDS)
    one, other = make(deployment), make(deployment)
    for world, story in ((one, events), (other, others)):
        world.tell(story, dict.fromkeys(variants, True), starting_seat)
    assert (one.path, one.tokens) == (other.path, other.tokens)
    return one, other, game, events


def requests(events: Sequence[Event]) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The requests that cause these events: single actions, lists of which only the first is accepted, messages.

    None sends the round that a worker scored.
    """
    laid: Counter[int] = Counter()
    for number, event in enumerate(events):
        kind, data = type_of(event), payload_of(event)
        if kind == "RoundScored":
            yield None, {"round": data["round"]}
        elif kind == "MessagePosted":
            yield data["seat"], {"text": data["text"]}
        elif kind in ACTIONS:
            action = json_of(recorded_action(kind, data))
            laid[data["seat"]] += kind == "BusinessmakerLaid"
            yield data["seat"], {"actions": [action, NEVER]} if number % 3 == 0 and laid[data["seat"]] < 10 else action


def as_seen(answer: TestResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    """The answer with its hashes and signatures replaced by text of the same length.

    So is a tag that is nothing but a digest of the content: it tells no more than the content. HEAD has that of GET,
    as test_caching shows.
    """
    is_head = answer.request.environ["REQUEST_METHOD"] == "HEAD"
    tag = answer.headers.get("ETag") if is_head else f'W/"{sha1(answer.data).hexdigest()}"'
    headers = sorted((name, "of the content" if value == tag else value) for name, value in answer.headers)
    body = SECRETS.sub(lambda found: re.sub(rb"[0-9A-Za-z+/=]", b"0", found[0]), answer.data)
    return answer.status_code, headers, body

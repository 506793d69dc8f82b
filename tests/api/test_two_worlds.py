"""Two games that differ only in what a seat may not see are the same game to that seat, over the whole API."""

from random import Random
from typing import Any

import pytest

from domain.bots import BOTS, choose_action
from domain.cards import HAND_CARDS
from domain.events import Event
from domain.state import Game
from service.gamelog.idempotency import IdempotencyKey
from tests.api.worlds import KEY, World, as_seen, requests, twins
from tests.support.samples import Sample, sampled

READS = ("", "/scores", "/scores/now", "/receipt", "/legal-actions", "/events", "/audit")
NDJSON = {"Accept": "application/x-ndjson"}
Pair = tuple[World, World, Game, list[Event]]
Ask = tuple[str, str, dict[str, Any]]

# Players, seed, requests played, variants, the seat that looks (None: a spectator).
POSITIONS = [
    pytest.param((2, "a", 14, (), 0), marks=pytest.mark.nightly),
    pytest.param((2, "b", 60, (), 1), marks=pytest.mark.nightly),
    (3, "c", 33, ("expensive_specials",), 0),
    pytest.param((3, "d", 47, (), None), marks=pytest.mark.slow),
    pytest.param((4, "e", 91, ("staggered_start",), 2), marks=pytest.mark.nightly),
    (5, "f", 71, ("expensive_specials", "staggered_start"), 3),
]


@pytest.fixture(scope="module", params=POSITIONS, ids=lambda position: f"{position[0]}{position[1]}{position[2]}")
def pair(request: pytest.FixtureRequest) -> tuple[Pair, int | None]:
    """Two worlds that the seat can't distinguish, each played over its own API, and the seat."""
    seats, seed, commands, variants, seat = request.param
    found = twins(seat, seats, seed, commands, variants, starting_seat=1, talk=0.05)
    assert not found[2].over
    return found, seat


def same_to(seat: int | None, pair: Pair, asks: list[Ask]) -> list[int]:
    """Send the same request to both worlds; returns the status of each answer."""
    one, other, *_ = pair
    statuses = []
    for method, path, more in asks:
        answers = [world.ask(method, world.path + path, seat, **more) for world in (one, other)]
        assert as_seen(answers[0]) == as_seen(answers[1]), (method, path, more)
        statuses.append(answers[0].status_code)
    return statuses


@sampled(7)
def test_reading_reveals_nothing_hidden(pair: tuple[Pair, int | None], sample: Sample) -> None:
    """View, earlier views, log in each form and page, scores, those of now, receipts, legal actions, polls and tags."""
    worlds, seat = pair
    version = worlds[2].version
    tags = [f'"{version}"', f'"{version - 1}"', "*", 'W/"3"']
    asks: list[Ask] = [("GET", path, {}) for path in READS]
    asks += [
        ("GET", path, {"query_string": {"at": at}})
        for at in (*sample.of(range(version - 3)), *range(version - 3, version + 2))
        for path in ("", "/receipt", "/scores/now")
    ]
    asks += [("GET", "", {"headers": {"If-None-Match": tag}}) for tag in tags]
    asks += [("GET", "", {"headers": {"If-None-Match": tag}, "query_string": {"wait": 0.01}}) for tag in tags]
    for after in (0, version // 2, version - 1, version, version + 1):
        asks.append(("GET", "/events", {"query_string": {"after": after}, "headers": NDJSON}))
        asks += [("GET", "/events", {"query_string": {"after": after, "limit": limit}}) for limit in (1, 5, 1000)]
    asks += [("HEAD", path, {}) for path in ("", "/events")]
    assert set(same_to(seat, worlds, asks)) <= {200, 304, 401, 404}


def test_refusals_reveal_nothing_hidden(pair: tuple[Pair, int | None]) -> None:
    """Every refusal has the same bytes in both worlds, with and without conditions."""
    worlds, seat = pair
    one, _, game, _ = worlds
    actions: list[dict[str, Any]] = [{"type": "take", "slot": slot} for slot in (0, 1, 2, 3)]
    actions += [{"type": "draw"}, {"type": "nothing"}, {"actions": []}]
    actions += [{"type": "lay_businessmaker", "card": card} for card in (*HAND_CARDS, "reibach")]
    actions += [{"type": "append", "card": card, "row": row} for card in HAND_CARDS for row in range(-1, 11)]
    legal = [] if seat is None else one.ask("GET", f"{one.path}/legal-actions", seat).get_json()["actions"]
    asks: list[Ask] = [("POST", "/actions", {"json": action}) for action in actions if action not in legal]
    stale = {"If-Match": f'"{game.version - 1}"', "Idempotency-Key": "unused"}
    asks += [("POST", "/actions", {"json": action, "headers": stale}) for action in actions]
    asks.append(("POST", "/seats", {"json": {"name": "late"}}))
    asks += [("POST", "/messages", {"json": {"text": text}}) for text in ("", None, "x" * 2001)]
    asks.append(("POST", "/messages", {"json": {"text": "x"}, "headers": stale}))
    assert set(same_to(seat, worlds, asks)) <= {401, 409, 412, 422}


def test_repeats_reveal_nothing_hidden(pair: tuple[Pair, int | None]) -> None:
    """The seat's own requests again, the creation again, and other seats' keys with and without their bodies."""
    worlds, seat = pair
    one, other, _, events = worlds
    for number, (sender, body) in enumerate(requests(events)):
        if sender is None:
            continue
        if sender == seat:
            answers = [world.act(sender, body, number) for world in (one, other)]
            assert answers[0].headers["Idempotency-Replayed"] == "true"
            assert as_seen(answers[0]) == as_seen(answers[1])
        key = {"Idempotency-Key": f"no. {number}", "If-Match": '"1"'}
        wrong = {"type": "append", "card": "gold", "row": 9}
        same_to(seat, worlds, [("POST", "/actions", {"json": wrong, "headers": key})])
    created = [
        world.ask("POST", "/v1/games", json={"seats": [{}, {}]}, headers={"Idempotency-Key": KEY})
        for world in (one, other)
    ]
    assert as_seen(created[0]) == as_seen(created[1])
    assert created[0].status_code == 422


def test_own_actions_reveal_nothing_hidden(pair: tuple[Pair, int | None]) -> None:
    """Actions and messages that need no card of the pile have the same effect and repeat;
    bots choose the same.

    The last test of a pair, for it plays on."""
    worlds, seat = pair
    one, other, game, _ = worlds
    said: Ask = ("POST", "/messages", {"json": {"text": "Hello?"}, "headers": {"Idempotency-Key": "said"}})
    assert same_to(seat, worlds, [said] * 2) == [401 if seat is None else 201] * 2
    if seat is None:
        assert same_to(None, worlds, [("POST", "/actions", {"json": {"type": "draw"}})]) == [401]
        return
    legal = one.ask("GET", f"{one.path}/legal-actions", seat).get_json()["actions"]
    if game.turn_seat != seat or game.scoring is not None:
        assert legal == []
        return
    for bot in BOTS:
        chosen = [choose_action(bot, world.game, Random(1), world.history) for world in (one, other)]
        assert chosen[0] == chosen[1], bot
    blind = next(action for action in legal if "card" in action)
    body = {"actions": [blind, {"type": "append", "card": "gold", "row": 9}]}
    asks: list[Ask] = [("POST", "/actions", {"json": body, "headers": {"Idempotency-Key": "own"}})] * 2
    assert same_to(seat, worlds, asks) == [201, 201]


SEAT = 0
OTHERS: list[dict[str, Any]] = [
    {"actions": [{"type": "draw"}, {"type": "append", "card": card, "row": 8}]} for card in HAND_CARDS
]
OTHERS += [{"type": "draw"}, {"type": "take", "slot": 2}]
SECRET_KEY = "a key that is long enough to bring tokens"


@pytest.fixture
def worlds(monkeypatch: pytest.MonkeyPatch) -> tuple[World, World]:
    """Two games that seat 0, whose turn it is, can't distinguish; every body has the same fingerprint."""
    monkeypatch.setattr(IdempotencyKey, "fingerprint", bytes(16))
    one, other, game, _ = twins(SEAT, 2, "repeats", 17)
    assert (game.turn_seat, game.scoring, game.action_points) == (SEAT, None, 3)
    return one, other


def test_another_body_gets_the_first_answer(worlds: tuple[World, World]) -> None:
    """Byte for byte, whatever it asks for, in both worlds alike, at once and after later actions."""
    one, other = worlds
    card = one.game.seats[SEAT].hand[0]
    lay = {"actions": [{"type": "lay_businessmaker", "card": card}, {"type": "append", "card": card, "row": 9}]}
    first = [world.act(SEAT, lay, 100) for world in worlds]
    assert (first[0].status_code, first[0].get_json()["applied"]) == (201, 1)
    assert first[0].get_json()["problem"]["type"] in {"/problems/no-such-row", "/problems/card-not-in-hand"}
    version = one.game.version
    for body in (lay, *OTHERS):
        again = [world.act(SEAT, body, 100) for world in worlds]
        assert [answer.headers["Idempotency-Replayed"] for answer in again] == ["true"] * 2
        assert [answer.data for answer in again] == [answer.data for answer in first]
        assert as_seen(again[0]) == as_seen(again[1])
    assert one.game.version == other.game.version == version
    one.act(SEAT, {"type": "take", "slot": 0}, 101)
    assert one.act(SEAT, OTHERS[0], 100).data == first[0].data


def test_another_creation_joining_and_message_get_the_first_answer(worlds: tuple[World, World]) -> None:
    """Also where the key opens a game or a fork, takes a seat or writes: nothing of the repeat's body is done."""
    world = worlds[0]
    name, version = world.game.id, world.game.version

    def ask(path: str, seat: int | None, body: dict[str, Any]) -> Any:
        return world.ask("POST", path, seat, json=body, headers={"Idempotency-Key": f"{SECRET_KEY} {path} {seat}"})

    seats = [{"name": "Anna"}, {}]
    opened = ask("/v1/games", None, {"seats": seats})
    table = opened.headers["Location"]
    fork = {"fork": {"game": name, "version": version}}
    requests: list[tuple[str, int | None, dict[str, Any], dict[str, Any]]] = [
        ("/v1/games", None, {"seats": seats}, {"seats": [{"name": "Zoe"}, {}, {}], "listed": True}),
        (f"{table}/seats", None, {"name": "Bert"}, {"name": "Zoe"}),
        ("/v1/games", SEAT, fork | {"seats": [{"name": "A"}] * 2}, fork | {"seats": [{"bot": "greedy"}] * 2}),
        (f"{world.path}/messages", SEAT, {"text": "Hello"}, {"text": "x" * 2000}),
    ]
    for path, seat, body, different in requests:
        first = ask(path, seat, body)
        again = ask(path, seat, different)
        assert (first.status_code, again.headers["Idempotency-Replayed"]) == (201, "true"), path
        assert again.data == first.data
        for name in ("Location", "Cache-Control", "ETag"):
            assert again.headers.get(name) == first.headers.get(name), (path, name)
    assert world.game.version == version + 1

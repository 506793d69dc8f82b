"""Which seat tokens are valid, and how often words were erased: by the header of the game."""

from dataclasses import replace

import pytest

from domain.commands import PostMessage
from service.connections.clients import Client
from service.gamelog.store.errors import NoSuchGame, TokenVoid
from service.gamelog.store.generations import (
    Kept,
    Rotation,
    RotationKey,
    SubscriptionChanged,
    TooManyRotations,
    convert_headers,
    rotate_token,
)
from service.gamelog.store.replies import Amendments
from service.gamelog.store.streams import Store
from service.post.subscriptions import Subscriptions
from service.signing.tokens import GENERATIONS_OF_A_PERSON, MOST_ROTATIONS, SeatToken, first_generation
from tests.gamelog.ledger import new_game, open_games
from tests.post.processes import by_mail
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
MINE = by_mail("message")


def opened(client: Client) -> Store:
    games = open_games(client)
    for name in ("g", "h"):
        games.create(new_game(name))
    return games.store


def generations_of(store: Store, game: str) -> dict[int, int]:
    return dict(store.header(game).amendments.generations)


def test_a_rotation_voids_the_token_that_asks(client: Client) -> None:
    """Only the present token rotates; a repeat by its key gives the same generation; a limit stops a person."""
    store = opened(client)
    key = RotationKey(b"k" * 12, b"record:")
    assert rotate_token(store, "g", 1, sent=0, key=key) == Rotation(1)
    assert rotate_token(store, "g", 1, sent=0, key=key) == Rotation(1, b"record:1:")
    with pytest.raises(TokenVoid):
        rotate_token(store, "g", 1, sent=0)
    for generation in range(1, MOST_ROTATIONS):
        assert rotate_token(store, "g", 1, sent=generation) == Rotation(generation + 1)
    assert rotate_token(store, "g", 1, sent=0, key=key) == Rotation(MOST_ROTATIONS, b"record:1:")
    with pytest.raises(TooManyRotations):
        rotate_token(store, "g", 1, sent=MOST_ROTATIONS)
    assert rotate_token(store, "g", 1).generation == MOST_ROTATIONS + 1, "an operator has no limit"
    assert rotate_token(store, "g", 0).generation == 1
    assert generations_of(store, "g") == {0: 1, 1: 21}
    assert generations_of(store, "h") == {}
    with pytest.raises(NoSuchGame):
        rotate_token(store, "nowhere", 0)
    assert not store.client.exists(store.keys("nowhere").head)


def test_a_person_keeps_what_is_named(client: Client) -> None:
    """If it is still stored; else nothing is voided."""
    store = opened(client)
    kept = Subscriptions(store)
    kept.save("g", 0, MINE)
    found = kept.keep_address("g", 0, 1)
    assert found is not None
    with pytest.raises(SubscriptionChanged):
        rotate_token(store, "g", 0, kept=Kept(b"another", b"x"))
    assert generations_of(store, "g") == {}
    rotate_token(store, "g", 0, kept=found)
    assert kept.load_seat("g", 0) == replace(MINE, generation=1)
    rotate_token(store, "g", 0)
    assert kept.load_seat("g", 0) is None
    kept.save("g", 1, replace(MINE, is_confirmed=False))
    assert kept.keep_address("g", 1, 1) is None
    assert kept.keep_address("g", 0, 1) is None


def test_a_store_of_an_earlier_build_is_played_on(client: Client) -> None:
    """It kept generations and erasures as one text. What was revoked stays revoked."""
    games = open_games(client)
    for name in ("g", "h"):
        games.create(new_game(name))
    store, head = games.store, games.store.keys("g").head
    client.hset(head, "tokens", "1=3 e=2 0=12000000 ")
    for _ in range(2):  # a process that starts at the same time does the same
        client.delete("reibach:headers")
        convert_headers(store)
        assert store.header("g").amendments == Amendments(2, {0: 12_000_000, 1: 3})
        assert not client.hexists(head, "tokens")
    convert_headers(store)
    later = open_games(client)
    with pytest.raises(TokenVoid):
        later.handle("g", PostMessage(seat=1, text="mine"), token=SeatToken("g", 1, 0))
    assert later.handle("g", PostMessage(seat=1, text="hers"), token=SeatToken("g", 1, 3)).events
    assert later.handle("h", PostMessage(seat=1, text="mine"), token=SeatToken("h", 1, 0)).events
    assert rotate_token(store, "g", 1).generation == 4


def test_persons_of_a_seat_have_generations_of_their_own() -> None:
    """No token of one is ever one of the next, who comes with a later version."""
    assert first_generation(12) == 12 * GENERATIONS_OF_A_PERSON > first_generation(11) + MOST_ROTATIONS

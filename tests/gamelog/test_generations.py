"""Which seat tokens are valid: by the header of the game, with what an earlier release has kept elsewhere."""

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
    adopt_generations,
    rotate_token,
)
from service.gamelog.store.streams import Store
from service.post.notices import MESSAGE, WEBHOOK, Notice
from service.post.outbox import FIRST, Outbox
from service.post.subscriptions import Subscription, Subscriptions
from service.signing.tokens import GENERATIONS_OF_A_PERSON, MOST_ROTATIONS, SeatToken, first_generation
from tests.gamelog.ledger import new_game, open_games
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
MINE = Subscription(
    email="anna@example.org",
    is_confirmed=True,
    webhook=None,
    on=frozenset({"message"}),
    language="en",
    while_watching=True,
    nonce="n",
)


def opened(client: Client) -> Store:
    games = open_games(client)
    for name in ("g", "h"):
        games.create(new_game(name))
    return games.store


def tokens_of(store: Store, game: str) -> bytes | None:
    found: bytes | None = store.client.hget(store.keys(game).head, "tokens")
    return found


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
    assert tokens_of(store, "g") == b"1=21 0=1 "
    assert tokens_of(store, "h") is None
    with pytest.raises(NoSuchGame):
        rotate_token(store, "nowhere", 0)
    assert not store.client.exists(store.keys("nowhere").head)


def test_a_void_token_appends_nothing(client: Client) -> None:
    """At a process that has the game in its cache, and whether or not the command could be carried out."""
    games, rival = open_games(client), open_games(client)
    games.create(new_game("g"))
    before = rival.load("g")
    first, second = SeatToken("g", 0, 0), SeatToken("g", 0, 1)
    assert games.handle("g", PostMessage(seat=0, text="mine"), token=first).events
    head = rival.load("g")
    assert head.game.version == before.game.version + 1
    rotate_token(games.store, "g", 0)
    assert rival.load_cached("g").generation(0) == 0, "it has not heard of it"
    for text in ("yours", "yours " * 10_000):  # the second one is refused by the rules
        with pytest.raises(TokenVoid):
            rival.handle("g", PostMessage(seat=0, text=text), token=first)
    assert rival.load("g").hash == head.hash
    assert [rival.load("g").generation(seat) for seat in range(3)] == [1, 0, 0]
    assert rival.handle("g", PostMessage(seat=0, text="hers"), token=second).events
    assert rival.handle("g", PostMessage(seat=1, text="another seat's"), token=SeatToken("g", 1, 0)).events


def test_a_person_keeps_what_is_named(client: Client) -> None:
    """If it is still stored; else nothing is voided."""
    store = opened(client)
    kept = Subscriptions(store)
    kept.save("g", 0, MINE)
    found = kept.keep_address("g", 0, 1)
    assert found is not None
    with pytest.raises(SubscriptionChanged):
        rotate_token(store, "g", 0, kept=Kept(b"another", b"x"))
    assert tokens_of(store, "g") is None
    rotate_token(store, "g", 0, kept=found)
    assert kept.load_seat("g", 0) == replace(MINE, generation=1)
    rotate_token(store, "g", 0)
    assert kept.load_seat("g", 0) is None
    kept.save("g", 1, replace(MINE, is_confirmed=False))
    assert kept.keep_address("g", 1, 1) is None
    assert kept.keep_address("g", 0, 1) is None


def test_what_an_earlier_release_has_voided_stays_void(client: Client) -> None:
    """At each start, also after a process of that release has voided more; nothing that is newer is set back.

    The subscription and the notices of such a seat go on, as the present token's.
    """
    store = opened(client)
    kept, outbox = Subscriptions(store), Outbox(store, lambda: 1)
    for seat in (0, 1):
        kept.save("g", seat, MINE)
    notice = Notice(game="g", seat=1, type=MESSAGE, version=5, channel=WEBHOOK, target="host")
    outbox.add([notice])
    legacy, changes = store.keys("g").generations, store.tag("g") + ":voided"
    client.hset(legacy, mapping={"g/1": 3, "gone/0": 7})
    client.xadd(changes, {"seat": "g/1"})
    adopt_generations(store)
    assert tokens_of(store, "g") == b"1=3 "
    assert not client.exists(store.keys("gone").head, changes)
    assert kept.load("g") == {0: MINE, 1: replace(MINE, generation=3)}
    assert b"generation" not in client.hget(store.post("g"), "0")
    (claim,) = outbox.claim(FIRST, 1)
    assert claim.notice == replace(notice, generation=3)
    rotate_token(store, "g", 1)
    client.hset(legacy, "g/0", 1)
    for _ in range(2):
        adopt_generations(store)
        assert sorted((tokens_of(store, "g") or b"").split()) == [b"0=1", b"1=4"]


def test_a_deleted_game_leaves_no_generation(client: Client) -> None:
    """Neither in its header nor where an earlier release has kept it."""
    store = opened(client)
    rotate_token(store, "g", 0)
    client.hset(store.keys("g").generations, "g/0", 1)
    head = open_games(client).load("g")
    assert store.delete("g", head.game.version, head.hash)
    assert not client.exists(store.keys("g").head, store.keys("g").generations)


def test_persons_of_a_seat_have_generations_of_their_own() -> None:
    """No token of one is ever one of the next, who comes with a later version."""
    assert first_generation(12) == 12 * GENERATIONS_OF_A_PERSON > first_generation(11) + MOST_ROTATIONS

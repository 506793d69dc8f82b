"""Which seat tokens are valid: rotated once for each key, followed change by change, bounded in memory."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from service.connections.clients import Client
from service.gamelog.errors import NoSuchGame
from service.gamelog.store.generations import (
    RotationKey,
    TokenVoid,
    TooManyRotations,
    copy_of,
    fill,
    follow,
    rotate_token,
)
from service.gamelog.store.streams import Store
from service.signing.generations import GENERATIONS_OF_A_PERSON, MOST_ROTATIONS, Generations, first_generation
from service.signing.tokens import SeatToken, Tokens
from tests.gamelog.ledger import SHARDS, new_game, open_games
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
NAMES = ("g", "h", "i")


def opened(client: Client) -> Store:
    """A store with three games."""
    games = open_games(client)
    for name in NAMES:
        games.create(new_game(name))
    return games.store


def known(copy: Generations) -> dict[str, int]:
    """All that a copy has in memory."""
    return {seat: generation for shard in copy.shards for seat, generation in shard.seats.items()}


def test_a_rotation_voids_the_token_that_asks(client: Client) -> None:
    """Only the present token rotates; a repeat by its key gives the same generation; a limit stops a person."""
    store = opened(client)
    key = RotationKey(b"k" * 12, b"record:")
    assert rotate_token(store, "g", 1, sent=0, key=key) == 1
    assert rotate_token(store, "g", 1, sent=0, key=key) == b"record:1:"
    with pytest.raises(TokenVoid):
        rotate_token(store, "g", 1, sent=0)
    for generation in range(1, MOST_ROTATIONS):
        assert rotate_token(store, "g", 1, sent=generation) == generation + 1
    with pytest.raises(TooManyRotations):
        rotate_token(store, "g", 1, sent=MOST_ROTATIONS)
    assert rotate_token(store, "g", 1) == MOST_ROTATIONS + 1, "an operator has no limit"
    with pytest.raises(NoSuchGame):
        rotate_token(store, "nowhere", 0)


def test_only_the_present_generation_is_valid(client: Client) -> None:
    """A copy follows; a newer token than it knows is looked up at once, and voids the old one by that."""
    store = opened(client)
    tokens = Tokens(["secret"], copy_of(store))
    first = [tokens.issue("g", seat) for seat in range(3)]
    assert all(tokens.read(token) for token in first)
    assert follow(store, tokens.generations) == set()
    rotate_token(store, "g", 0)
    rotate_token(store, "g", 2)
    assert tokens.read(first[0]), "not yet followed"
    assert tokens.read(tokens.issue("g", 0, 1)) == SeatToken("g", 0, 1)
    assert tokens.read(first[0]) is None
    assert tokens.read(tokens.issue("g", 0, 2)) is None
    assert follow(store, tokens.generations) == {"g"}
    assert [tokens.read(token) is not None for token in first] == [False, True, False]
    assert tokens.read_issued(first[0]) == SeatToken("g", 0, 0)
    assert tokens.issue("g", 0) == first[0], "a repeat of the creation gives the token as first issued"


def test_a_copy_that_missed_changes_reads_anew(client: Client) -> None:
    """Trimmed changes, and a store that was set back, are noticed by the last change that is missing."""
    store = opened(client)
    copy = copy_of(store)
    rotate_token(store, "g", 0)
    assert follow(store, copy) == {"g"}
    changes = store.keys("g").voided
    for _ in range(3):
        rotate_token(store, "g", 1)
    client.xtrim(changes, maxlen=1, approximate=False)
    assert follow(store, copy) == {"g"}
    assert known(copy) == {"g/0": 1, "g/1": 3}
    client.delete(changes, store.keys("g").generations)
    follow(store, copy)
    assert known(copy) == {}


def test_a_full_copy_asks_the_store(client: Client) -> None:
    """Correct, and no larger: a seat that it doesn't know costs a look-up."""
    store = opened(client)
    for name in NAMES:
        rotate_token(store, name, 0)
    small = copy_of(store)
    small.most = 0
    fill(store, small)
    assert known(small) == {}
    assert [small.of(name, 0) for name in NAMES] == [1, 1, 1]
    assert small.of("g", 1) == 0
    rotate_token(store, "g", 1)
    assert follow(store, small) == {"g"}
    assert small.of("g", 1) == 1


def test_a_deleted_game_leaves_no_generation(client: Client) -> None:
    """Neither in the store nor in a copy."""
    store = opened(client)
    copy = copy_of(store)
    rotate_token(store, "g", 0)
    follow(store, copy)
    head = open_games(client).load("g")
    assert store.delete("g", head.game.version, head.hash)
    assert follow(store, copy) == {"g"}
    assert known(copy) == {}
    assert not client.exists(store.keys("g").generations)


def test_persons_of_a_seat_have_generations_of_their_own() -> None:
    """No token of one is ever one of the next, who comes with a later version."""
    assert first_generation(12) == 12 * GENERATIONS_OF_A_PERSON > first_generation(11) + MOST_ROTATIONS


STEPS = strategies.lists(
    strategies.one_of(
        strategies.tuples(strategies.just("rotate"), strategies.sampled_from(NAMES), strategies.integers(0, 2)),
        strategies.tuples(strategies.sampled_from(["follow", "trim"]), strategies.just(""), strategies.just(0)),
    ),
    max_size=30,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_a_copy_equals_the_store_whenever_it_has_followed(
    shared_store: Store, steps: list[tuple[str, str, int]]
) -> None:
    """In any order of rotations, reads and trims."""
    store, copy = shared_store, copy_of(shared_store)
    fill(store, copy)
    for step, game, seat in [*steps, ("follow", "", 0)]:
        match step:
            case "rotate":
                rotate_token(store, game, seat)
            case "trim":
                for changes in store.shard_keys("voided"):
                    store.client.xtrim(changes, maxlen=1, approximate=False)
            case _:
                follow(store, copy)
                stored = {
                    name.decode(): int(generation)
                    for key in store.shard_keys("generations")
                    for name, generation in store.client.hgetall(key).items()
                }
                assert known(copy) == stored


@pytest.fixture
def shared_store(client: Client) -> Store:
    """One store for all examples: what they rotate only adds up."""
    assert SHARDS > 1
    return opened(client)

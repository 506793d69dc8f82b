"""New tokens in the place of revoked ones, in the headers of games.

A rotation is one script: it checks the token that asks, and keeps the new generation with the request's idempotency key
in the same step. So it may be sent twice, and a person whose answer was lost repeats the request and gets the same
token.
"""

import secrets
from typing import Final, NamedTuple

from service.connections.scripts import call_each
from service.gamelog.store.errors import NoSuchGame, TokenVoid
from service.gamelog.store.streams import Store, load_script
from service.signing.tokens import GENERATIONS_OF_A_PERSON, MOST_ROTATIONS

_ROTATE: Final = load_script("tokens.lua", "rotate.lua")
_ADOPT: Final = load_script("tokens.lua", "adopt.lua")


class TooManyRotations(Exception):
    """The seat's person has had MOST_ROTATIONS tokens."""


class SubscriptionChanged(Exception):
    """Another subscription of the seat is stored than the one of which its person was to keep something."""


class RotationKey(NamedTuple):
    """The idempotency key of a rotation, as `IdempotencyKey` gives it."""

    digest: bytes
    record: bytes
    """What is kept, up to the generation."""


class Rotation(NamedTuple):
    generation: int
    """Of the seat's present token."""
    record: bytes = b""
    """Of the first request with this key; empty where this one is the first."""


class Kept(NamedTuple):
    """What the person of a seat keeps; of all else nothing is left."""

    before: bytes
    """The subscription as it must be stored."""
    after: bytes
    """What is stored in its place; empty: nothing."""


def rotate_token(  # noqa: PLR0913 - the rare arguments are keywords
    store: Store,
    game: str,
    seat: int,
    *,
    sent: int | None = None,
    key: RotationKey | None = None,
    keys_expire_s: int | None = None,
    kept: Kept | None = None,
) -> Rotation:
    """Revoke the seat's token, and end its person's subscription and orders.

    `sent`: the generation of the token that asks; None: an operator does. Without a key the request isn't repeated by
    its client, but may be by a lost connection.

    Raises NoSuchGame, TokenVoid, TooManyRotations, SubscriptionChanged and StoreUnavailable.
    """
    own = store.keys(game)
    key = key or RotationKey(secrets.token_bytes(12), b"")
    names = own.head, own.idempotency, own.stream, *store.person_keys(game, seat)
    arguments: list[str | int | bytes] = [seat, "" if sent is None else sent, *key]
    arguments += [MOST_ROTATIONS, GENERATIONS_OF_A_PERSON, "" if keys_expire_s is None else keys_expire_s]
    arguments += kept or ("", "")
    word, *rest = store.run_safely(_ROTATE, names, *arguments)
    match word:
        case b"done":
            return Rotation(int(rest[0]))
        case b"repeat":
            store.confirm(game)
            # Without a record it is a repeat of this very call, whose answer was lost.
            present, record = int(rest[0]), bytes(rest[1])
            return Rotation(present, record) if key.record else Rotation(int(record.rstrip(b":")))
        case b"none":
            raise NoSuchGame(game)
        case b"void":
            raise TokenVoid(game)
        case b"changed":
            raise SubscriptionChanged(game)
    raise TooManyRotations(game)


def adopt_generations(store: Store) -> None:
    """Take over what an earlier release has kept beside the headers, while it runs, too. Raises redis-py's errors."""
    shards = store.shard_keys("generations")
    for shard, exists in zip(shards, call_each(store.client, *(("EXISTS", shard) for shard in shards)), strict=True):
        if exists:
            tag = shard.partition(":")[0]
            store.scripts.run_safely(_ADOPT, [shard, f"{tag}:voided"], tag)

"""New tokens in the place of revoked ones, in the headers of games.

A rotation keeps the new generation with the request's idempotency key in one step. So it may be sent twice, and a
person whose answer was lost repeats the request and gets the same token.
"""

import secrets
from typing import Final, NamedTuple

from service.connections.raw import Command
from service.gamelog.store.commit import Expect
from service.gamelog.store.errors import NoSuchGame, TokenVoid
from service.gamelog.store.replies import Amendments, parse_header
from service.gamelog.store.streams import Store
from service.signing.tokens import GENERATIONS_OF_A_PERSON, MOST_ROTATIONS, SeatToken

_CONVERTED: Final = "reibach:headers"
"""There once no header has `tokens` any more."""
_PAGE: Final = 1000


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
    keys, subscription = store.keys(game), store.post(game)
    key = key or RotationKey(secrets.token_bytes(12), b"")
    while True:
        reads = ("HGETALL", keys.head), ("HGET", keys.idempotency, key.digest), ("HGET", subscription, seat)
        fields, record, present = store.read_together(*reads)
        header = parse_header(fields)
        generation = header.amendments.generation(seat)
        if record:
            store.confirm(game)
            # Without a record it is a repeat of this very call, whose answer was lost.
            return Rotation(generation, record) if key.record else Rotation(int(record.rstrip(b":")))
        if not header.version:
            raise NoSuchGame(game)
        if sent is not None and generation != sent:
            raise TokenVoid(game)
        if sent is not None and generation % GENERATIONS_OF_A_PERSON >= MOST_ROTATIONS:
            raise TooManyRotations(game)
        if kept and present != kept.before:
            raise SubscriptionChanged(game)
        expected = Expect(
            token=SeatToken(game, seat, generation),
            unused=key.digest,
            fields=[(subscription, seat, kept.before)] if kept else (),
            exists=True,
        )
        record = b"%b%d:" % (key.record, generation + 1)
        writes: list[Command] = [("HSET", keys.head, f"token:{seat}", generation + 1), *store.forget_person(game, seat)]
        writes += [("HSET", subscription, seat, kept.after)] if kept and kept.after else []
        writes.append(("HSET", keys.idempotency, key.digest, record))
        writes += [] if keys_expire_s is None else [("EXPIRE", keys.idempotency, keys_expire_s)]
        if not store.commit(game, expected, [*writes, ("PUBLISH", keys.stream, 0)]):
            return Rotation(generation + 1)


def revoke_again(store: Store, game: str, remembered: Amendments, present: Amendments) -> list[int]:
    """Revoke the tokens that were revoked when `remembered` was read, and are valid at `present`; their seats.

    Not those of a person who has come to the seat in between: the log doesn't have the event, and counts.
    """
    head, seats = store.keys(game).head, []
    for seat, generation in remembered.generations.items():
        valid = present.generation(seat)
        if valid < generation and valid // GENERATIONS_OF_A_PERSON == generation // GENERATIONS_OF_A_PERSON:
            expected = Expect(fields=[(head, f"token:{seat}", valid or "")], exists=True)
            writes: list[Command] = [("HSET", head, f"token:{seat}", generation), *store.forget_person(game, seat)]
            store.commit(game, expected, [*writes, ("PUBLISH", store.keys(game).stream, 0)])
            seats.append(seat)
    return seats


def convert_headers(store: Store) -> None:
    """Give the headers of an earlier build the fields of this one, once. Raises StoreUnavailable and redis-py's errors.

    It kept generations and erasures as one text, `<seat>=<generation> ` of each seat and `e=<number> `, in `tokens`. No
    process of that build may run meanwhile: it would take revoked tokens for valid ones.
    """
    if store.client.exists(_CONVERTED):
        return
    for games in store.scan_headers(_PAGE):
        texts = store.call_each(*(("HGET", store.keys(game).head, "tokens") for game in games))
        for game, text in zip(games, texts, strict=True):
            if text:
                head = store.keys(game).head
                parts = (part.partition("=") for part in text.decode().split())
                values = [("erasures" if name == "e" else f"token:{name}", number) for name, _, number in parts]
                writes: list[Command] = [("HSET", head, *value) for value in values]
                store.commit(game, Expect(fields=[(head, "tokens", text)]), [*writes, ("HDEL", head, "tokens")])
    store.client.set(_CONVERTED, 1)

"""The generations of seat tokens in the store: following their changes, and rotating a token.

Rule 1: a copy follows the changes of each shard from the last one that it had; where that one is missing, changes may
have been trimmed, or the store set back, and the shard is read anew.
Rule 2: a rotation is recorded with a key in the same step. So it may be sent twice, and a person whose answer was lost
repeats the request and gets the same token.
"""

import secrets
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from service.gamelog.errors import NoSuchGame
from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store
from service.runtime.guards.threads import FaultLog
from service.signing.generations import GENERATIONS_OF_A_PERSON, MOST_ROTATIONS, Generations, KnownShard

_ROTATE: Final = Script.load("generations.lua", "rotate.lua")
_PAGE: Final = 1000
FOLLOW_SECONDS: Final = 1.0


class TokenVoid(Exception):
    """The token that asks for its successor is void."""


class TooManyRotations(Exception):
    """The seat's person has had MOST_ROTATIONS tokens."""


class RotationKey(NamedTuple):
    """The idempotency key of a rotation, as `IdempotencyKey` gives it."""

    digest: bytes
    record: bytes
    """What is kept, up to the generation."""


def copy_of(store: Store) -> Generations:
    """An empty copy, which reads from this store."""

    def look_up(game: str, seat: int) -> int:
        (found,) = store.read_together(("HGET", store.keys(game).generations, f"{game}/{seat}"))
        return int(found or 0)

    return Generations(store.shard, store.shards, look_up)


def fill(store: Store, copy: Generations) -> None:
    """Read all that the store has now, as far as the copy takes it. Raises redis-py's errors."""
    for shard in range(store.shards):
        _read_all(store, copy, shard)


def follow(store: Store, copy: Generations) -> set[str]:
    """Take over what has changed since the last call: one round trip where that is nothing. Raises redis-py's errors.

    Returns the games of which a token has become void; of a shard that was read anew, all that are known.
    """
    pipeline = store.client.pipeline(transaction=False)
    for shard, changes in zip(copy.shards, store.shard_keys("voided"), strict=True):
        pipeline.xrange(changes, shard.position or "-", "+", count=_PAGE)
    changed: set[str] = set()
    for number, found in enumerate(pipeline.execute()):
        changed |= _take_over(store, copy, number, found)
    return changed


def _take_over(store: Store, copy: Generations, number: int, found: Sequence[Any]) -> set[str]:
    shard = copy.shards[number]
    changed: set[str] = set()
    while True:
        if not found and not shard.position:
            return changed
        if not found or (shard.position and _id_of(found[0]) != shard.position):
            _read_all(store, copy, number)
            return changed | {_game_of(seat) for seat in copy.shards[number].seats}
        for change in found[1:] if shard.position else found:
            fields = change[1]
            seat = fields[b"seat"].decode()
            if shard.note(seat, int(fields[b"generation"]), copy.most):
                changed.add(_game_of(seat))
        shard.position = _id_of(found[-1])
        if len(found) < _PAGE:
            return changed
        found = store.client.xrange(store.shard_keys("voided")[number], shard.position, "+", count=_PAGE)


def _read_all(store: Store, copy: Generations, number: int) -> None:
    """Read a shard anew, in pages, up to as many seats as the copy holds."""
    changes, generations = store.shard_keys("voided")[number], store.shard_keys("generations")[number]
    last = store.client.xrevrange(changes, count=1)  # first: what changes meanwhile is followed afterwards
    fresh = KnownShard(position=_id_of(last[0]) if last else "")
    cursor = 0
    while True:
        cursor, page = store.client.hscan(generations, cursor, count=_PAGE)
        for seat, generation in page.items():
            fresh.note(seat.decode(), int(generation), copy.most)
        if not cursor or not fresh.is_whole:
            break
    copy.shards[number] = fresh


def _id_of(change: Any) -> str:
    name: str = change[0].decode()
    return name


def _game_of(seat: str) -> str:
    return seat.rpartition("/")[0]


def rotate_token(  # noqa: PLR0913 - the rare arguments are keywords
    store: Store,
    game: str,
    seat: int,
    *,
    sent: int | None = None,
    key: RotationKey | None = None,
    keys_expire_s: int | None = None,
    same_person: bool = False,
) -> int | bytes:
    """Void the seat's token: the generation of the new one, or the record of the first request with this key.

    `sent`: the generation of the token that asks; None: an operator does. Without a key the request isn't repeated by
    its client, but may be by a lost connection. `same_person`: the seat's subscription and standing orders stay.

    Raises NoSuchGame, TokenVoid, TooManyRotations and StoreUnavailable.
    """
    own = store.keys(game)
    key = key or RotationKey(secrets.token_bytes(12), b"")
    arguments: list[str | int | bytes] = [f"{game}/{seat}", "" if sent is None else sent, *key]
    arguments += [MOST_ROTATIONS, GENERATIONS_OF_A_PERSON, "" if keys_expire_s is None else keys_expire_s]
    generations, changes, *of_person = store.seat_keys(game, seat)
    names = own.head, own.idempotency, generations, changes, *([] if same_person else of_person)
    word, *rest = store.with_retries(lambda: store.run(_ROTATE, names, *arguments), names[0])
    match word:
        case b"done":
            return int(rest[0])
        case b"repeat":
            store.confirm(game)
            # Without a record it is a repeat of this very call, whose answer was lost.
            return bytes(rest[0]) if key.record else int(rest[0].rstrip(b":"))
        case b"none":
            raise NoSuchGame(game)
        case b"void":
            raise TokenVoid(game)
    raise TooManyRotations(game)


def start_following(renew: Callable[[], None], stopped: Event) -> None:
    """Call `renew` every second in a thread of its own, until `stopped` is set."""

    def run() -> None:
        faults = FaultLog("generations")
        while not stopped.wait(FOLLOW_SECONDS):
            try:
                renew()
            except Exception as error:  # noqa: BLE001 - void tokens would stay valid for good
                faults.note(error)

    Thread(target=run, name="generations", daemon=True).start()

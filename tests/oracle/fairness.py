"""Commitment, shuffle and hash chain, from the contract alone."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rfc8785

from tests.oracle.terms import BUSINESSES, DISPLAY_SLOTS, HAND, HAND_CARDS, Event, need

ERASABLE = {"PlayerJoined": "name", "SeatReplaced": "name", "MessagePosted": "text"}


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def commitment(server_seed: str) -> str:
    """Return the commitment, 64 hex digits, of a seed of 64 hex digits."""
    return hashlib.sha256(b"reibach/commitment" + bytes.fromhex(server_seed)).hexdigest()


def shuffle_key(server_seed: str, entropies: Sequence[str]) -> bytes:
    """Return the 32 bytes that key the random stream."""
    return _hmac(bytes.fromhex(server_seed), b"reibach/shuffle" + rfc8785.dumps(list(entropies)))


def integers(key: bytes) -> Iterator[int]:
    """Yield the random stream's integers, 32 bits each, without end."""
    block = 0
    while True:
        digest = _hmac(key, block.to_bytes(8, "big"))
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def _below(stream: Iterator[int], bound: int) -> int:
    limit = (1 << 32) - (1 << 32) % bound
    return next(number for number in stream if number < limit) % bound


def shuffle(stream: Iterator[int], cards: list[str]) -> None:
    for index in range(len(cards) - 1, 0, -1):
        other = _below(stream, index + 1)
        cards[index], cards[other] = cards[other], cards[index]


def deal(server_seed: str, entropies: Sequence[str], size: int = HAND) -> dict[str, Any]:
    """Return the data of `GameStarted`: `hands` by seat, `display`, `draw_pile` with its top first."""
    stream = integers(shuffle_key(server_seed, entropies))
    cards = [business for business in BUSINESSES for _ in range(9)] + ["multitalent"] * 5 + ["risk"] * 5
    shuffle(stream, cards)
    dealt = size * len(entropies)
    pile = cards[dealt + DISPLAY_SLOTS :] + ["reibach"] * 10
    shuffle(stream, pile)
    hands = [cards[start : start + size] for start in range(0, dealt, size)]
    return {"hands": hands, "display": cards[dealt : dealt + DISPLAY_SLOTS], "draw_pile": pile}


def fill(server_seed: str, entropies: Sequence[str], seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of `PositionSet` from what its seat sees: null hands, businessmakers and pile are dealt anew."""
    stream = integers(shuffle_key(server_seed, entropies))
    left = dict.fromkeys(BUSINESSES, 9) | {"multitalent": 5, "risk": 5}
    seen_rows = [row for rows in seen["rows"] for row in rows]
    for card in (
        *seen["display"],
        *(card for hand in seen["hands"] for card in hand or []),
        *(card for row in seen_rows for card in row["cards"]),
        *(row["businessmaker"] for row in seen_rows if row["shown"]),
    ):
        left[card] -= 1
    need(min(left.values()) >= 0, "there are not so many cards of a kind")
    cards = [card for card in HAND_CARDS for _ in range(left[card])]
    shuffle(stream, cards)
    hands = [
        hand or [cards.pop(0) for _ in range(size)]
        for hand, size in zip(seen["hands"], seen["hand_sizes"], strict=True)
    ]
    rows = [[row if row["shown"] else {**row, "businessmaker": cards.pop(0)} for row in rows] for rows in seen["rows"]]
    pile = cards + ["reibach"] * (10 - seen["revealed"])
    shuffle(stream, pile)
    return {**seen, "hands": hands, "rows": rows, "draw_pile": pile}


def unerased(event: Event) -> Event:
    """The event with some text where an operator has erased one; itself where none is erased."""
    text, data = ERASABLE.get(event["type"], ""), event["data"]
    if not text or data.get("erased") is not True or data[text] is not None:
        return event
    return {**event, "data": {name: data[name] for name in data if name != "erased"} | {text: data.get("bot") or "?"}}


def chain(server_seed: str, game: str, events: Sequence[Event]) -> Iterator[str]:
    """Yield the hash, in hex, that each event from version 1 on must carry."""
    key = _hmac(bytes.fromhex(server_seed), b"reibach/chain")
    link = _hmac(key, game.encode())
    for event in events:
        content = {name: event[name] for name in ("at", "data", "type", "version")}
        if unerased(event) is not event:
            link = bytes.fromhex(event["hash"])  # as stated
        else:
            link = _hmac(key, link + rfc8785.dumps(content))
        yield link.hex()

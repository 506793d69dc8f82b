"""Commitment, shuffle and hash chain, from the contract alone."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rfc8785

from tests.oracle.terms import BUSINESSES, DISPLAY_SLOTS, ERASABLE, HAND, HAND_CARDS, Event, need


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
    """The event with some text and salt where an operator has erased them; itself where nothing is erased."""
    data = event["data"]
    if "erased" not in data:
        return event
    text = ERASABLE[event["type"]]
    left = {name: data[name] for name in data if name not in {"erased", "digest"}}
    return {**event, "data": left | {text: data.get("bot") or "?", "salt": "0" * 32}}


def hashed(event: Event) -> dict[str, Any]:
    """What the chain takes of an event: a digest in the place of words and salt, as contract 5 has it."""
    content = {name: event[name] for name in ("at", "data", "type", "version")}
    data, text = dict(event["data"]), ERASABLE.get(event["type"])
    need("erased" not in data or text, "no event of this type can be erased")
    if "erased" in data:
        need(data.pop("erased") is True and data.pop(text) is None and "salt" not in data, "words beside erased")
        need(re.fullmatch("[0-9a-f]{64}", data.get("digest", "")), "the proof ends here: erased without a digest")
    elif text and "salt" in data:
        salt = data.pop("salt")
        need("digest" not in data and re.fullmatch("[0-9a-f]{32}", salt), "a salt has 32 hex digits, and no digest")
        data["digest"] = _hmac(bytes.fromhex(salt), f"{data.pop(text, None)}".encode()).hex()
    return {**content, "data": data}


def chain(server_seed: str, game: str, events: Sequence[Event]) -> Iterator[str]:
    """Yield the hash, in hex, that each event from version 1 on must carry."""
    key = _hmac(bytes.fromhex(server_seed), b"reibach/chain")
    link = _hmac(key, game.encode())
    for event in events:
        link = _hmac(key, link + rfc8785.dumps(hashed(event)))
        yield link.hex()

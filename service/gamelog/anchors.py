"""Anchors: what the header of a game with many messages keeps, so that its past can be proved in parts.

Rule: an anchor proves what is read from the entries, and is never served in their place. One that is missing costs
time; one that is wrong makes the reader prove the whole game.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from operator import attrgetter
from struct import Struct
from typing import Any, Final, NamedTuple

import orjson

from domain.fairness.chain import chain_key
from domain.state import Game
from service.gamelog.cache import LoadedGame, apply_entries
from service.gamelog.codec import MESSAGE_BEGIN, decode_rows, fold_entries
from service.gamelog.entry import Entry, entry_time
from service.gamelog.history import CHECKPOINT_EVENTS, History

ANCHOR_MESSAGES: Final = 25
"""Messages from one anchor to the next: so many more than were asked for may have to be hashed."""
LONG_STRETCH: Final = 4 * CHECKPOINT_EVENTS
"""Events from which on it is cheaper to fold up to an anchor than to hash all of them."""
_FORM: Final = Struct(">I32sI8s")


class Anchor(NamedTuple):
    """The proof of a game at the end of an entry, 48 bytes in the header."""

    version: int
    hash: bytes
    """Of the event of that version."""
    message_bytes: int
    """Length of all messages so far, which is all that the state keeps of their texts."""
    digest: bytes
    """Of the state there: the hash proves the events, but not the state that they lead to."""


def read_anchors(field: bytes) -> list[Anchor]:
    """The anchors in the field of a header, in order; none if it isn't of their form."""
    return [] if len(field) % _FORM.size else [Anchor._make(parts) for parts in _FORM.iter_unpack(field)]


def make_anchors(new: History) -> bytes:
    """What an append adds to the field: an anchor at each entry that completes another ANCHOR_MESSAGES messages."""
    if new.start.game.messages // ANCHOR_MESSAGES == new.head.game.messages // ANCHOR_MESSAGES:
        return b""
    return b"".join(_FORM.pack(*anchor) for anchor in _anchors(new))


def _anchors(new: History) -> Iterator[Anchor]:
    state, messages, first = new.start, new.start.game.messages, 0
    for number, entry in enumerate(new.entries, 1):
        events = new.events_between(entry.version - entry.count, entry.version)
        messages += sum(event["type"] == "MessagePosted" for event in events)
        if messages // ANCHOR_MESSAGES > state.game.messages // ANCHOR_MESSAGES:
            state = apply_entries(state, new.entries[first:number], bytes.fromhex(events[-1]["hash"]))
            first = number
            yield Anchor(entry.version, state.hash, state.game.message_bytes, _digest(state.game))


def states_at(anchors: Sequence[Anchor], entries: Sequence[Entry], start: LoadedGame, after: int) -> list[LoadedGame]:
    """States at anchors within the entries, which follow `start`, up to the first that its anchor disproves.

    Of all states those that make checkpoints, the last one, and the last one that isn't behind version `after`; none
    where the stretch is so short that it may be hashed whole. Raises CorruptLog.
    """
    found: list[LoadedGame] = []
    if not entries or entries[-1].version - start.game.version < LONG_STRETCH:
        return found
    state, first = start, 0
    within = [anchor for anchor in anchors if start.game.version < anchor.version <= entries[-1].version]
    for anchor, following in zip_longest(within, within[1:]):
        # From one checkpoint to the next at most CHECKPOINT_EVENTS, where anchors are so close.
        until = following.version if following else math.inf
        if until <= state.game.version + CHECKPOINT_EVENTS and not anchor.version <= after < until:
            continue
        end = bisect_right(entries, anchor.version, key=attrgetter("version"))
        if end <= first or entries[end - 1].version != anchor.version:
            break
        state = _fold_to(anchor, entries[first:end], state)
        if _digest(state.game) != anchor.digest:
            break
        found.append(state)
        first = end
    return found


def _fold_to(anchor: Anchor, entries: Sequence[Entry], state: LoadedGame) -> LoadedGame:
    """The state after the entries. Their messages, which change nothing but its numbers of them, are not parsed."""
    game = state.game.copy()
    others = [entry for entry in entries if not entry.body.startswith(MESSAGE_BEGIN)]
    fold_entries(game, others, decode_rows([entry.body for entry in others]))
    game.version, game.at = entries[-1].version, entry_time(entries[-1], game.created)
    game.messages += len(entries) - len(others)
    game.message_bytes = anchor.message_bytes
    return LoadedGame(game, anchor.hash, state.chain_key or chain_key(game.server_seed))


def _digest(game: Game) -> bytes:
    """Of every field, as text that is kept nowhere. A release that adds a field reads without the older anchors."""
    text = orjson.dumps(game, default=_plain, option=orjson.OPT_SORT_KEYS)
    return sha256(text).digest()[:8]


def _plain(value: Any) -> Any:
    """Bytes and named tuples, which orjson doesn't write, as values that it does."""
    return value.hex() if isinstance(value, bytes) else tuple(value)

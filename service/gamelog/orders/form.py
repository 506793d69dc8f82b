"""The stored form of a seat's standing orders.

It is read strictly. What another release has written, and this one doesn't know, is no orders: they rest, and their
owner finds none.
"""

from typing import Any, NamedTuple

import orjson

from domain.orders.planner import Dropped, Orders, Step
from domain.orders.wishes import json_of, wish_of
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence


class StoredOrders(NamedTuple):
    """Orders as they were put in, or dropped. Steps that were carried out since are among them."""

    nonce: str
    """Distinguishes them from all other orders of the game."""
    orders: Orders


def pack(stored: StoredOrders) -> bytes:
    orders = stored.orders
    form = {"nonce": stored.nonce, "steps": json_of_steps(orders.steps), "turn": orders.put_in}
    if orders.dropped:
        form["dropped"] = {
            "turn": orders.dropped.turn,
            "steps": json_of_steps(orders.dropped.steps),
            "refusals": [[sentence.name, dict(sentence.values)] for sentence in orders.dropped.refusals],
        }
    return orjson.dumps(form)


def unpack(raw: bytes) -> StoredOrders | None:
    """The orders in a stored form; None where this release doesn't know it."""
    try:
        stored = _read(orjson.loads(raw))
        return stored if pack(stored) == raw else None
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


def json_of_steps(steps: tuple[Step, ...]) -> list[list[dict[str, Any]]]:
    return [[json_of(wish) for wish in step] for step in steps]


def _read(form: Any) -> StoredOrders:
    dropped = None
    if "dropped" in form:
        why = form["dropped"]
        refusals = tuple(Sentence(name, values) for name, values in why["refusals"])
        for sentence in refusals:
            phrase_refusal(sentence, "en")
        dropped = Dropped(int(why["turn"]), _read_steps(why["steps"]), refusals)
    return StoredOrders(str(form["nonce"]), Orders(_read_steps(form["steps"]), int(form["turn"]), dropped))


def _read_steps(steps: Any) -> tuple[Step, ...]:
    return tuple(tuple(wish_of(wish) for wish in step) for step in steps)

"""The stored form of a seat's standing orders.

It is read strictly. What another release has written, and this one doesn't know, is no orders: they rest, and their
owner finds none.
"""

from typing import Any

import orjson

from domain.orders.planner import IF_NONE, Dropped, Orders
from domain.orders.wishes import json_of_steps, steps_of
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence


def pack(orders: Orders) -> bytes:
    form: dict[str, Any] = {
        "steps": json_of_steps(orders.steps),
        "turn": orders.put_in,
        "reached": list(orders.reached),
        "done": list(orders.done),
    }
    if orders.dropped:
        form["dropped"] = {
            "turn": orders.dropped.turn,
            "steps": json_of_steps(orders.dropped.steps),
            "refusals": [[sentence.name, dict(sentence.values)] for sentence in orders.dropped.refusals],
        }
    return orjson.dumps(form)


def unpack(raw: bytes) -> Orders | None:
    """The orders in a stored form; None where this release doesn't know it."""
    try:
        stored = _read(orjson.loads(raw))
        return stored if pack(stored) == raw else None
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


def _read(form: Any) -> Orders:
    dropped = None
    if "dropped" in form:
        why = form["dropped"]
        refusals = tuple(Sentence(name, values) for name, values in why["refusals"])
        for sentence in refusals:
            phrase_refusal(sentence, "en")
        dropped = Dropped(int(why["turn"]), steps_of(why["steps"]), refusals)
    steps = steps_of(form["steps"])
    if any(step.if_none not in IF_NONE for step in steps):
        raise ValueError("a step of a later release")
    turn, is_late, step = form["reached"]
    put_in = None if form["turn"] is None else int(form["turn"])
    return Orders(steps, put_in, dropped, (int(turn), bool(is_late), int(step)), tuple(form["done"]))

"""Erased text (contract 5): an operator has taken a person's words out of a log, and has left all else as it was."""

from typing import Final

from domain.events import EventRecord
from domain.fairness.canonical import JsonObject
from domain.fairness.chain import ERASABLE, hashed_data

ERASED: Final = ""
"""What a game's state has in its place; no name and no message is empty."""


def erase(kind: str, data: JsonObject) -> JsonObject:
    """The data without the person's words; the hash still follows from it, unless it is from before salts."""
    return hashed_data(kind, data) | {ERASABLE[kind]: None, "erased": True}


def is_erased(kind: str, data: JsonObject) -> bool:
    return kind in ERASABLE and data.get("erased") is True and data.get(ERASABLE[kind], ERASED) is None


def read_erased(event: EventRecord) -> EventRecord:
    """The event as the rules take it: with ERASED, of a bot its own name, for what was erased; its digest as the salt.

    One that has an empty text without being erased gets null there, which no rule accepts.
    """
    kind, data = event["type"], event["data"]
    if kind not in ERASABLE:
        return event
    member, read = ERASABLE[kind], data
    if is_erased(kind, data):
        bot = data.get("bot")
        read = {"salt" if name == "digest" else name: value for name, value in data.items() if name != "erased"}
        read[member] = bot if isinstance(bot, str) else ERASED
    elif data.get(member) == ERASED:
        read = data | {member: None}
    return event if read is data else event | {"data": read}

"""The form of what the rules take from a log as it stands: the table's settings, and who sits there (contract 1, 2, 6).

`decide` takes these values from a command that the API has checked; a log can hold anything in their place.
"""

import re
from typing import Any, Final

from domain.audit.chain import Offence, Offended
from domain.commands import LONGEST_ENTROPY, LONGEST_NAME
from domain.fairness.canonical import JsonObject

_SEATS: Final = (2, 5)
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
"""The Unicode category Cc, which Unicode never changes."""
_TURN_SECONDS: Final = (60, 90 * 24 * 60 * 60)
_ON_TIMEOUT: Final = ("bot", "wait")


def check_created(data: JsonObject) -> None:
    """Raise Offended where the data of GameCreated holds a setting of another type or range than there is."""
    fewest, most = _SEATS
    if not (isinstance(data["game"], str) and data["game"]):
        raise Offended(Offence(1, "GameCreated with a game's id"))
    if not _is_within(data["seats"], fewest, most):
        raise Offended(Offence(1, f"GameCreated with {fewest} to {most} seats"))
    if not _is_within(data["starting_seat"], 0, data["seats"] - 1):
        raise Offended(Offence(1, "GameCreated with a starting seat of its own"))
    if not isinstance(data["listed"], bool):
        raise Offended(Offence(1, "GameCreated with listed true or false"))
    if "pace" in data and not _is_pace(data["pace"]):
        raise Offended(Offence(1, "GameCreated with a pace of turn_seconds, reminder_seconds and on_timeout"))


def check_player(data: JsonObject, version: int) -> None:
    """Raise Offended where the data of the PlayerJoined at `version` holds a name, bot or entropy of no lawful form."""
    if not _is_text(data.get("name"), 1, LONGEST_NAME):
        raise Offended(Offence(version, f"PlayerJoined with a name of 1 to {LONGEST_NAME} characters"))
    if not _is_text(data.get("entropy"), 0, LONGEST_ENTROPY):
        raise Offended(Offence(version, f"PlayerJoined with an entropy of up to {LONGEST_ENTROPY} characters"))
    if not isinstance(data.get("bot", 0), str | None):
        raise Offended(Offence(version, "PlayerJoined with a bot's name, or null"))


def _is_within(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_text(value: Any, shortest: int, longest: int) -> bool:
    """Whether it is a text of so many characters, none of them a control character."""
    return isinstance(value, str) and shortest <= len(value) <= longest and not _CONTROL.search(value)


def _is_pace(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() - {"reminder_seconds"} != {"turn_seconds", "on_timeout"}:
        return False
    seconds = value["turn_seconds"]
    if not (_is_within(seconds, *_TURN_SECONDS) and value["on_timeout"] in _ON_TIMEOUT):
        return False
    return "reminder_seconds" not in value or _is_within(value["reminder_seconds"], 1, seconds - 1)

"""What a copy has of the people of its parent: whether each event about them can have happened there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from tests.oracle.position import Position
from tests.oracle.terms import OF_BANK, SILENCE, Due, Event, moment, need, whole

PRESENCE = {"SeatAbandoned", "SeatReclaimed", "SeatReplaced", "PlayerResigned"}
MOST_SECONDS = 90 * 24 * 3600


def last(past: Sequence[Event], kinds: set[str], **members: Any) -> Event:
    """Return the last event of these types that has these members, or lacks them altogether."""
    for event in reversed(past):
        if event["type"] in kinds and all(event["data"].get(name, value) == value for name, value in members.items()):
            return event
    return {"type": "", "data": {}}


def agreed(past: Sequence[Event], seat: int, to: str, table: Position) -> bool:
    """Return whether the seat has agreed, and neither taken it back, nor left, nor has it happened since.

    A release ends with the wait that it was agreed in.
    """
    ending = {"ConsentGiven", "ConsentWithdrawn", "SeatAbandoned", "PlayerResigned"}
    ending |= {"GamePaused"} if to == "pause" else set()
    found = last(past, ending, seat=seat, to=to)
    is_old = to == "release" and found["type"] and moment(found["at"]) < moment(table.play_at)
    return bool(found["type"] == "ConsentGiven" and not is_old)


def settle(table: Position, past: Sequence[Event], event: Event, due: Due | None) -> None:
    """Take an event about a time bank: what the turn that ends used, or got."""
    data, seat = event["data"], event["data"]["seat"]
    need(due is not None and due[0] == "TurnStarted" and table.turn, "banks change at the end of a turn")
    need(event["at"] == table.at and whole(seat) and seat == table.actor, "of the seat that has played")
    need(whole(data["seconds"]) and data["seconds"] in range(1, MOST_SECONDS + 1), "no such time")
    need(whole(data["left"]) and data["left"] in range(MOST_SECONDS + 1), "no such time")
    before = last(past, OF_BANK, seat=seat)["data"].get("left")
    step = data["seconds"] if event["type"] == "BankRefilled" else -data["seconds"]
    full = before is None and event["type"] == "BankUsed"
    need(full or (before is not None and before + step == data["left"]), "another sum")


def follow(table: Position, past: Sequence[Event], event: Event, due: Due | None) -> None:
    """Take any event about the parent's people. `past`: those before it; AssertionError where it needs another one."""
    kind, data = event["type"], event["data"]
    if kind in OF_BANK:
        settle(table, past, event, due)
        return
    invitations = {"SeatsInvited", "InvitationAccepted"}
    need(table.status in {"playing", "scoring"} or kind in invitations, f"{kind} only while the game runs")
    need(due is None or due[0] == "RoundScored", f"{kind} can't come inside an append: {due} must come")
    seat = data.get("seat", 0)
    need(whole(seat) and seat in range(len(table.seats)), "no such seat")
    before = last(past, PRESENCE, seat=seat)["type"]
    if kind in invitations:
        _guests(table, past, event)
    elif kind == "TurnTimedOut":
        need(whole(data["turn"]) and (data["turn"], seat) == (table.turn, table.actor), "not the present turn")
        need(table.status == "playing" and before != "SeatAbandoned", "a bot is never late")
        need(not last(past, {kind}, turn=table.turn)["type"], "a turn times out once")
    elif kind == "SeatAbandoned":
        before_it = past[-1] if past else {"type": ""}
        late = before_it["type"] == "TurnTimedOut" and before_it["data"] == {"turn": table.turn, "seat": seat}
        released = before_it["type"] in {"ConsentGiven", "PlayerResigned"} and seat == table.actor
        released = released and any(agreed(past, one, "release", table) for one in range(len(table.seats)))
        need(late or released, "no late turn, and not released")
        need(event["at"] == table.at, "a seat is abandoned with its late turn")
    elif kind in {"SeatReclaimed", "SeatReplaced"}:
        need(before == "SeatAbandoned", "only an abandoned seat is taken")
        name = data.get("name", "-")
        need(isinstance(name, str) and len(name) in range(1, 41), "a length is out of bounds")
        need(not any(unicodedata.category(sign) == "Cc" for sign in name), "there are no control characters")
    elif kind == "VacationTaken":
        _vacation(event)
    elif kind == "VacationEnded":
        taken = last(past, {"VacationTaken", kind}, seat=seat)
        need(taken["type"] == "VacationTaken" and taken["data"]["until"] > event["at"], "no vacation is on")
    else:
        _agree(table, past, event, seat)


def _guests(table: Position, past: Sequence[Event], event: Event) -> None:
    need(table.turn < 2 and table.status != "over", "the first turn has ended")
    data, places = event["data"], range(len(table.seats))
    if event["type"] == "SeatsInvited":
        need(not past and event["at"] == table.created_at, "who is invited is said with the creation, once")
        seats = data["seats"]
        need(isinstance(seats, list) and seats and all(map(whole, seats)), "no seats")
        need(seats == sorted(set(seats)) and set(seats) <= set(places), "not seats in order")
        return
    need(past and past[0]["type"] == "SeatsInvited" and data["seat"] in past[0]["data"]["seats"], "no guest")
    need(all(one["type"] != event["type"] or one["data"] != data for one in past), "nobody comes twice")


def _agree(table: Position, past: Sequence[Event], event: Event, seat: int) -> None:
    kind, data = event["type"], event["data"]
    if "about" in data:
        need(data["to"] == "release" and table.status == "playing", "only a release is about a seat, in its turn")
        need(whole(data["about"]) and data["about"] == table.actor != seat, "not the seat that the others wait for")
        need(moment(event["at"]) - moment(table.play_at) >= SILENCE, "the seat was not silent")
    if kind == "ConsentGiven":
        need(data["to"] in {"cancel", "pause", "release"}, "nothing that can be agreed on")
        need("about" in data or data["to"] != "release", "nobody is released")
    elif kind == "ConsentWithdrawn":
        need("about" in data or data["to"] != "release", "nobody is released")
        need(agreed(past, seat, data["to"], table), "no consent to withdraw")
    elif kind == "GamePaused":
        need(any(agreed(past, one, "pause", table) for one in range(len(table.seats))), "nobody has agreed")
        need(event["at"] == table.at, "a pause begins with the last consent")
    elif kind == "GameResumed":
        need(last(past, {"GamePaused", kind})["type"] == "GamePaused", "no pause is on")


def _vacation(event: Event) -> None:
    until = event["data"]["until"]
    need(isinstance(until, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", until), "no time")
    length = moment(until) - moment(event["at"])
    need(timedelta(0) < length <= timedelta(days=30), "30 days of vacation at most")

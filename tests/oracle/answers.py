"""What the service has to answer about a log: views, events, scores, actions, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.oracle.table import Table
from tests.oracle.terms import HAND_CARDS, THRESHOLDS, Action, Event, need, same, text


def replay(events: Sequence[Event], version: int | None = None) -> Table:
    """Fold the first `version` events (None: all); `AssertionError` at one that may not come (hashes not checked)."""
    table = Table()
    for event in events[:version]:
        table.apply(event)
    return table


def view_at(events: Sequence[Event], version: int, viewer: int | None, head_version: int) -> dict[str, Any]:
    """Return the view at `version` for a seat (None: a spectator) while the game's head is at `head_version`."""
    table = replay(events, version)
    return view_of_table(table, table if head_version == version else replay(events, head_version), viewer)


def view_of_table(table: Table, head: Table, viewer: int | None) -> dict[str, Any]:
    """Return the view of a table for a seat (None: a spectator) while the game's head is the table `head`.

    `turn.deadline` is there only where the game was created with a pace.
    The view shares lists with the table: compare it before the next event.
    """
    over = head.status == "over"
    created, running = table.created, table.turn > 0 and table.status != "over"
    turn: dict[str, Any] = {"number": table.turn, "seat": table.actor, "action_points": table.points}
    view = {
        "id": created["game"],
        "name": created.get("name"),
        "version": table.version,
        "rules": created["rules"],
        "status": table.status,
        "listed": created["listed"],
        "variants": created["variants"],
        "pace": created.get("pace"),
        "seats": [_seat_view(table, head, number, over=over) for number in range(len(table.seats))],
        "display": table.display,
        "draw_pile": None if table.pile is None else len(table.pile),
        "reibach": {
            "revealed": table.revealed,
            "next_scoring_at": (*THRESHOLDS, None)[len(table.rounds)],
            "rounds_scored": len(table.rounds),
        },
        "turn": turn if running else None,
        "you": None,
        "winners": table.winners,
        "fairness": {
            "commitment": created["commitment"],
            "entropy": [seat.entropy for seat in table.seats],
            "server_seed": created["server_seed"] if over else None,
        },
        "receipt": {"version": table.version, "hash": table.hash},
    }
    if viewer is not None:
        view["you"] = {"seat": viewer, "hand": sorted(table.seats[viewer].hand, key=HAND_CARDS.index)}
    if created.get("parent") not in (None, head.position_of):
        view["open_information"] = True
    if created.get("pace"):
        turn["deadline"] = table.deadline if running and table.paused is None else None
        bank = table.seats[table.actor].bank if turn["deadline"] else None
        turn["bank_from"] = table.when_used(created["pace"]["turn_seconds"]) if bank else None
    if table.paused is not None:
        view["paused_since"] = text(table.paused)
    return view


def _seat_view(table: Table, head: Table, number: int, *, over: bool) -> dict[str, Any]:
    seat = table.seats[number]
    rows = [
        {
            "row": index,
            "business": row.business,
            "cards": row.cards,
            "length": row.length,
            "closed": row.closed,
            "businessmaker": row.businessmaker if over or head.seats[number].rows[index].seen else None,
        }
        for index, row in enumerate(seat.rows)
    ]
    view = {
        "seat": number,
        "name": seat.name,
        "bot": seat.bot,
        "away": seat.away,
        "hand_size": len(seat.hand),
        "total": seat.total,
        "rows": rows,
    }
    if "pace" in table.created:
        view["timeouts"] = seat.late_turns
        if seat.away == "abandoned" and "replaceable" in table.created:
            view["free_from"] = table.when_used(3600, seat.left_at, stops=False)
    if seat.bank is not None:
        view["bank_seconds"] = seat.bank
    if seat.vacations:
        view["vacations"] = [{"from": text(since), "until": text(end)} for since, end in seat.vacations]
    return view


def events_as_seen(events: Sequence[Event], viewer: int | None, head: int) -> list[Event]:
    """Return events 1 to `head` as `/events` gives them to a seat (None: a spectator) while the head is there."""
    return redacted(events[:head], viewer, replay(events, head))


def redacted(events: Sequence[Event], viewer: int | None, head: Table) -> list[Event]:
    """Return some events as a seat (None: a spectator) sees them while the game's head is the table `head`."""
    if head.status == "over":
        return [dict(event) for event in events]
    return [{**event, "data": _redacted(event, viewer, head)} for event in events]


def _redacted(event: Event, viewer: int | None, head: Table) -> dict[str, Any]:
    kind, data = event["type"], dict(event["data"])
    if kind == "GameCreated":
        data["server_seed"] = None
    elif kind == "GameStarted":
        data["hands"] = [hand if seat == viewer else None for seat, hand in enumerate(data["hands"])]
        data["draw_pile"] = None
    elif kind == "PositionSet":
        data["hands"] = [hand if seat == viewer else None for seat, hand in enumerate(data["hands"])]
        data["draw_pile"] = None
        data["rows"] = [
            [
                {**row, "businessmaker": row["businessmaker"] if head.seats[seat].rows[number].seen else None}
                for number, row in enumerate(rows)
            ]
            for seat, rows in enumerate(data["rows"])
        ]
    elif kind == "CardDrawn":
        data["card"] = data["card"] if data["seat"] == viewer else None
    elif kind == "BusinessmakerLaid":
        data["card"] = data["card"] if head.seats[data["seat"]].rows[data["row"]].seen else None
    return data


def scores_at(events: Sequence[Event]) -> dict[str, Any]:
    """Return what `/scores` must give while the last of `events` is the head."""
    table = replay(events)
    set_rounds = [
        (event["version"], done)
        for event in events
        if event["type"] == "PositionSet"
        for done in event["data"]["rounds"]
    ]
    scored = [(event["version"], event["data"]) for event in events if event["type"] == "RoundScored"]
    rounds = [
        {"round": done["round"], "version": version, "seats": done["seats"]} for version, done in (*set_rounds, *scored)
    ]
    totals = [seat.total for seat in table.seats]
    return {"rounds": rounds, "bonus": table.bonus(), "totals": totals, "winners": table.winners}


def as_set(actions: Sequence[Action]) -> set[tuple[tuple[str, Any], ...]]:
    """Make lists of actions comparable; `AssertionError` where one is given twice."""
    keys = {tuple(sorted(action.items())) for action in actions}
    need(len(keys) == len(actions), "an action is listed twice")
    return keys


def refusal(events: Sequence[Event], version: int, seat: int, action: Action) -> set[str]:
    """Return the codes (409, or 422 `invalid-request`) of which any one may be the answer; empty: accepted."""
    return replay(events, version).refusal(seat, action)


def assert_covers(answer: object, expected: object, where: str = "$") -> None:
    """Assert that an answer holds all that is expected; objects may hold further fields, lists no further items."""
    if isinstance(expected, dict) and isinstance(answer, dict):
        for key, item in expected.items():
            need(key in answer, f"{where}.{key} is missing")
            assert_covers(answer[key], item, f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(answer, list):
        need(len(answer) == len(expected), f"{where} has {len(answer)} items, not {len(expected)}")
        for index, (got, item) in enumerate(zip(answer, expected, strict=True)):
            assert_covers(got, item, f"{where}[{index}]")
    else:
        need(same(answer, expected), f"{where} is {answer!r}, not {expected!r}")

"""Whole games played at random by the oracle's own rules, as complete logs: material for tests, no service needed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.oracle.fairness import chain, commitment
from tests.oracle.table import Table
from tests.oracle.terms import ACTION_EVENTS, ERASABLE, NEWEST, RULE_SETS, Action, Event

EVENT_OF = {action: event for event, action in ACTION_EVENTS.items()}
START = datetime(2026, 1, 31, 18, 5, tzinfo=UTC)


def rechain(events: Iterable[Event]) -> list[Event]:
    """Return the events with new hashes, as a forger who knows the seed could compute them."""
    log = [dict(event) for event in events]
    created = log[0]["data"]
    for event, link in zip(log, chain(created["server_seed"], created["game"], log), strict=True):
        event["hash"] = link
    return log


class Writer:
    """A log while it is written, and its present table; `tick` begins a new append."""

    def __init__(self, chance: random.Random, *, stops: bool = False) -> None:
        """Start an empty log whose clock and choices come from `chance`."""
        self.chance, self.stops = chance, stops
        self.table = Table()
        self.events: list[Event] = []
        self.now = START

    def tick(self) -> None:
        """Let up to five seconds pass, or none at all."""
        self.now += timedelta(milliseconds=self.chance.choice([0, 1, 250, 5000]))
        if self.stops:
            self.now += timedelta(minutes=self.chance.choice([0, 0, 0, 20, 90]))
            self.now += timedelta(days=60 * (self.chance.random() < 1 / 40))

    def add(self, kind: str, data: dict[str, Any]) -> None:
        """Append one event to log and table."""
        at = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if kind in ERASABLE:
            data = {**data, "salt": hashlib.sha256(f"{len(self.events)} {data}".encode()).hexdigest()[:32]}
        event: Event = {"version": len(self.events) + 1, "type": kind, "at": at, "data": data, "hash": ""}
        self.table.apply(event)
        self.events.append(event)

    def settle(self) -> None:
        """Append all that must follow; scoring is an append of its own, at times after a message."""
        while (due := self.table.due()) is not None:
            if due[0] == "RoundScored":
                self.tick()
                self.aside()
                self.tick()
            self.add(*due)

    def aside(self) -> None:
        """Add, one time in eight, an event that doesn't move the game."""
        if self.chance.random() > 1 / 8:
            return
        table, seat = self.table, self.chance.choice(self.table.joined)
        wishes: list[tuple[str, dict[str, Any]]] = [
            ("MessagePosted", {"seat": seat, "text": "na so was\n\u2028\u00f6"}),
            ("SomethingNew", {"seat": seat, "number": 1}),
        ]
        wishes += [
            ("SeatReclaimed", {"seat": number}) for number, place in enumerate(table.seats) if place.away == "abandoned"
        ]
        if self.stops:
            wishes += self._stops(seat)
        if "pace" in table.created and not (table.timed_out or table.played_by_bot) and table.status == "playing":
            wishes += 3 * (table.paused is None) * [("TurnTimedOut", {"turn": table.turn, "seat": table.actor})]
        place = table.seats[seat]
        if place.bot is None and place.away != "resigned" and self.chance.random() < 1 / 8:
            wishes.append(("PlayerResigned", {"seat": seat}))
        kind, data = self.chance.choice(wishes)
        if kind == "TurnTimedOut":
            self.now = max(self.now, datetime.fromisoformat(table.deadline))
        self.add(kind, data)
        while (due := table.due()) is not None and due[0] in {"SeatAbandoned", "GamePaused"}:
            self.add(*due)
        self.tick()

    def _stops(self, seat: int) -> list[tuple[str, dict[str, Any]]]:
        """What the seat may do to stop the clock, or to let it run again."""
        table, place = self.table, self.table.seats[seat]
        if table.status not in {"playing", "scoring"} or place.bot is not None or place.away is not None:
            return []
        if table.paused is not None:
            return 3 * [("GameResumed", {"seat": seat})]
        last = place.vacations[-1][1] if place.vacations else self.now
        until = (self.now + timedelta(hours=self.chance.randint(1, 15 * 24))).isoformat(timespec="milliseconds")
        if last > self.now:
            return [("VacationEnded", {"seat": seat})]
        wishes: list[tuple[str, dict[str, Any]]] = []
        if len(place.vacations) < 2:
            wishes.append(("VacationTaken", {"seat": seat, "until": until.replace("+00:00", "Z")}))
        if place.consents < 20:
            wishes.append(
                ("ConsentWithdrawn" if "pause" in place.agreed else "ConsentGiven", {"seat": seat, "to": "pause"})
            )
        if place.consents < 20 and seat != table.actor and table.silent(self.now):
            kind = "ConsentWithdrawn" if "release" in place.agreed else "ConsentGiven"
            wishes += 3 * [(kind, {"seat": seat, "to": "release", "about": table.actor})]
        return wishes

    def act(self, action: Action) -> None:
        """Append an action of the seat whose turn it is and all that it causes."""
        table = self.table
        data = {"seat": table.actor, **{key: item for key, item in action.items() if key != "type"}}
        if action["type"] == "take":
            data |= {"card": table.display[action["slot"]], "cost": table.cost(action)}
        elif action["type"] == "lay_businessmaker":
            data["row"] = len(table.seats[table.actor].rows)
        self.add(EVENT_OF[action["type"]], data)
        self.settle()


def _create(writer: Writer, seats: int, variants: dict[str, bool], seed: int) -> None:
    chance = writer.chance
    server_seed = hashlib.sha256(f"oracle {seed}".encode()).hexdigest()
    created: dict[str, Any] = {
        "game": f"ORACLE-{seed:012}",
        "rules": NEWEST,
        "seats": seats,
        "variants": dict.fromkeys(RULE_SETS[NEWEST], False) | variants,
        "starting_seat": chance.randrange(seats),
        "listed": False,
        "commitment": commitment(server_seed),
        "server_seed": server_seed,
    }
    if chance.random() < 1 / 2:
        pace = created["pace"] = {"turn_seconds": 3600, "on_timeout": chance.choice(["bot", "bot", "wait"])}
        if writer.stops and chance.random() < 2 / 3:
            pace |= {"bank_seconds": 1800, "bank_refill_seconds": 60}
        if writer.stops and chance.random() < 2 / 3:
            pace["hours"] = {"from": "21:00", "to": "03:00", "zone": "Europe/Berlin"}
    writer.add("GameCreated", created)
    guests: list[int] = []
    at_once = sorted(chance.sample(range(seats), chance.randint(0, seats)))
    for seat in (*at_once, *(other for other in range(seats) if other not in at_once)):
        bot = "greedy" if seat in at_once and chance.random() < 1 / 3 else None
        if seat not in at_once:
            _invite(writer, guests, is_over=False)
            writer.tick()
        entropy = "" if bot else chance.choice(["", "tulip", "Gr\u00fc\u00dfe \u2028"])
        writer.add("PlayerJoined", {"seat": seat, "name": bot or f"P{seat}", "bot": bot, "entropy": entropy})
    writer.settle()
    _invite(writer, guests, is_over=True)


def _invite(writer: Writer, guests: list[int], *, is_over: bool) -> None:
    """Say who of the present people was invited, once, with the creation; and let some of them accept."""
    table = writer.table
    people = [seat for seat in table.joined if table.seats[seat].bot is None]
    if not writer.stops or "pace" not in table.created or not people:
        return
    if not guests and not table.is_opening:
        return
    if not guests:
        guests += sorted(writer.chance.sample(people, writer.chance.randint(1, len(people))))
        writer.add("SeatsInvited", {"seats": guests})
    for seat in guests:
        writer.tick()
        if table.waits_for(seat, writer.now) and writer.chance.random() < (2 / 3 if is_over else 1 / 3):
            writer.add("InvitationAccepted", {"seat": seat})


def choose(chance: random.Random, legal: list[Action], eager: float) -> Action:
    """Pick a kind of action, then one of it: uniform over all would hardly ever draw from a full hand.

    `eager` is the share of choices that lay or append where that is possible.
    """
    laying = [action for action in legal if action["type"] in {"lay_businessmaker", "append"}]
    if laying and chance.random() < eager:
        return chance.choice(laying)
    kind = chance.choice(sorted({action["type"] for action in legal}))
    return chance.choice([action for action in legal if action["type"] == kind])


def play(
    seed: int, seats: int, variants: dict[str, bool], *, eager: float = 0.3, asides: bool = True, stops: bool = False
) -> list[Event]:
    """Return the complete, unredacted log of one game for 2 to 5 `seats`; the same arguments give the same log.

    `stops`: with time banks, allowed hours, vacations and pauses.
    """
    writer = Writer(random.Random(f"{seed} {seats} {sorted(variants.items())} {eager}"), stops=stops)
    _create(writer, seats, variants, seed)
    while writer.table.status != "over":
        writer.tick()
        if asides:
            writer.aside()
        writer.act(choose(writer.chance, writer.table.possible(), eager))
    writer.tick()
    writer.add("MessagePosted", {"seat": 0, "text": "good game"})
    return rechain(writer.events)

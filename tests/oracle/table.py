"""The fold: takes events one after the other, and refuses those that may not come."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.oracle.fairness import commitment, fill
from tests.oracle.past import follow
from tests.oracle.position import Position, Row, Seat
from tests.oracle.scoring import score_round
from tests.oracle.terms import (
    ACTION_EVENTS,
    ACTION_FIELDS,
    ASIDES,
    BUSINESSES,
    CONSENTS,
    DISPLAY_SLOTS,
    ERASABLE,
    HAND_CARDS,
    KEYS,
    MOST_BUSINESSMAKERS,
    OF_BANK,
    OF_PEOPLE,
    OPTIONAL_KEYS,
    ROUNDS,
    RULE_SETS,
    SPECIALS,
    THRESHOLDS,
    TURN_POINTS,
    Action,
    Due,
    Event,
    allowed,
    moment,
    need,
    same,
    well_formed,
    whole,
)


@dataclass
class Table(Position):
    """The game at one version. `apply` raises `AssertionError` (without the version) at what may not come next."""

    def apply(self, event: Event) -> None:
        """Take the next event, or raise `AssertionError` at one that may not come here."""
        kind, data = event["type"], event["data"]
        due = self.due()
        if kind in KEYS:
            need(isinstance(data, dict), "data is no object")
            extra = data.keys() - KEYS[kind]
            need(data.keys() >= KEYS[kind] and extra <= OPTIONAL_KEYS.get(kind, set()), f"{kind} has other fields")
            if kind in ERASABLE and (kind == "PlayerJoined" or self.version >= self.copied):
                self.salted = "salt" in data if self.salted is None else self.salted
                need(self.salted == ("salt" in data), "all words of a game have salts, or none")
        if kind in OF_PEOPLE and self.version < self.copied:
            follow(self, self.past, event, due)
            self.past.append(event)
        elif kind in ASIDES:
            self._aside(event, due)
        elif kind in KEYS:
            self._play(event, due)
            self.play_at = self.play_at if kind == "GamePaused" else event["at"]
        if kind in KEYS:
            all_agreements = {"cancel", "pause", "release"} if kind in {"SeatAbandoned", "PlayerResigned"} else set()
            opening = {"GameCreated", "PlayerJoined", "GameStarted", "TurnStarted"} if self.turn < 2 else set()
            self.is_opening = kind in opening and event["at"] == self.created_at and not self.late_joins
            self.asked = {data["to"]} if kind == "ConsentGiven" and self.version >= self.copied else all_agreements
        self.version, self.at, self.hash = event["version"], event["at"], event["hash"]

    def _play(self, event: Event, due: Due | None) -> None:
        kind, data = event["type"], event["data"]
        if kind == "PositionSet":
            need(due is not None and due[0] == "GameStarted" and "parent" in self.created, f"{kind} has no place here")
            need(event["at"] == self.created_at and not self.late_joins, f"{kind} and all seats come with the creation")
            self._set(data)
        elif due is not None:
            need(kind == due[0], f"{due[0]} must come here, not {kind}")
            need(same(data, due[1]), f"{kind} must be {due[1]}, not {data}")
            own_append = self.turn == 0 or kind == "RoundScored"
            before = self.at if kind in {"GameCancelled", "GamePaused"} else self.play_at
            need(own_append or event["at"] == before, f"{kind} belongs to the append before it")
            if kind in OF_BANK:
                self.seats[self.actor].bank, self.settled = data["left"], kind
            elif kind == "GamePaused":
                self.paused = moment(event["at"])
                for seat in self.seats:
                    seat.agreed.discard("pause")
            else:
                self._follow(kind, data, event["at"])
        elif kind == "GameCreated":
            self._create(data)
            self.created_at = event["at"]
        elif kind == "PlayerJoined":
            self._join(data, late=event["at"] != self.created_at)
        else:
            need(kind in ACTION_EVENTS and self.status == "playing", f"{kind} has no place here")
            self._act(kind, data)

    def _create(self, data: dict[str, Any]) -> None:
        need(not self.created and self.version == 0, "GameCreated is the first event, once")
        need(isinstance(data["game"], str) and data["game"], "a game has an id")
        need(data["rules"] in RULE_SETS, "unknown rules")
        need(whole(data["seats"]) and data["seats"] in range(2, 6), "2 to 5 seats")
        variants = data["variants"]
        need(set(variants) == set(RULE_SETS[data["rules"]]), "not the variants of the rule set")
        need(all(isinstance(flag, bool) for flag in (*variants.values(), data["listed"])), "flags are booleans")
        first = data["starting_seat"]
        need(whole(first) and first in range(data["seats"]), "no such starting seat")
        need(re.fullmatch("[0-9a-f]{64}", data["server_seed"] or ""), "the seed is 64 hex digits")
        pace = data.get("pace")
        need("pace" not in data or self._paced(pace), "a pace is in seconds, 60 of them to 90 days")
        if "replaceable" in data:
            need(data["replaceable"] is True and pace["on_timeout"] == "bot", "no seat is ever abandoned")
        name = data.get("name", "-")
        need(isinstance(name, str) and len(name) in range(1, 61), "a table's name has 1 to 60 characters")
        need(not any(unicodedata.category(sign) == "Cc" for sign in name), "there are no control characters")
        need(("parent" in data) == ("from" in data), "a fork names its parent and the version there")
        if "parent" in data:
            need(isinstance(data["parent"], str) and data["parent"] != data["game"], "a parent is another game")
            need(whole(data["from"]) and data["from"] > 0, "from is a version")
            need("pace" not in data, "no turn of a fork has a deadline")
            self.copied, self.copied_play = data["from"], True
        need(data["commitment"] == commitment(data["server_seed"]), "the seed doesn't honour the commitment")
        self.created = data
        self.seats = [Seat(bonus, bank=data.get("pace", {}).get("bank_seconds")) for bonus in self.bonus()]

    @staticmethod
    def _paced(pace: dict[str, Any]) -> bool:
        turn = pace["turn_seconds"]
        soon = pace.get("reminder_seconds", 1)
        optional = {"reminder_seconds", "bank_seconds", "bank_refill_seconds", "hours", "timeouts"}
        known = {"turn_seconds", "on_timeout"} <= set(pace) <= {"turn_seconds", "on_timeout"} | optional
        banks = [pace[name] for name in ("bank_seconds", "bank_refill_seconds") if name in pace]
        known = known and all(whole(bank) and bank in range(90 * 24 * 3600 + 1) for bank in banks)
        known = known and ("bank_seconds" in pace or "bank_refill_seconds" not in pace)
        most = pace.get("timeouts", 2)
        known = (
            known and whole(most) and most in range(2, 21) and ("timeouts" not in pace or pace["on_timeout"] == "bot")
        )
        need("hours" not in pace or allowed(**pace["hours"]), "hours are two times of day and a zone")
        sound = whole(turn) and turn in range(60, 90 * 24 * 3600 + 1) and whole(soon) and soon in range(1, turn)
        return known and sound and pace["on_timeout"] in ("bot", "wait")

    def bonus(self) -> list[int]:
        """Return what `staggered_start` gives each seat, zeros without it."""
        count, first = self.created["seats"], self.created["starting_seat"]
        staggered = self.created["variants"]["staggered_start"]
        return [(seat - first) % count if staggered else 0 for seat in range(count)]

    def _join(self, data: dict[str, Any], *, late: bool) -> None:
        number, name, bot, entropy = (data[key] for key in ("seat", "name", "bot", "entropy"))
        need(self.created and self.status == "open", "no player can join here")
        need(whole(number) and number in range(len(self.seats)) and number not in self.joined, "no such open seat")
        # Seats of the creation come in seat order; a later player takes the lowest open seat.
        self.late_joins = self.late_joins or late or any(number < before for before in self.joined)
        lowest = min(seat for seat in range(len(self.seats)) if seat not in self.joined)
        fork = "parent" in self.created
        need(not self.late_joins or (number == lowest and (bot is None or fork)), "seats are taken out of order")
        need(isinstance(name, str) and isinstance(entropy, str), "name and entropy are strings")
        need(len(name) in range(1, 41) and len(entropy) in range(201), "a length is out of bounds")
        need(not any(unicodedata.category(sign) == "Cc" for sign in name + entropy), "there are no control characters")
        need(bot is None or (bot == name and (entropy == "" or fork)), "a bot bears its own name, gives no entropy")
        seat = self.seats[number]
        seat.name, seat.bot, seat.entropy = name, bot, entropy
        seat.bank = seat.bank if bot is None else None
        self.joined.append(number)

    def _set(self, data: dict[str, Any]) -> None:
        """Take over the position that a fork of a running game starts from."""
        seen = {
            **data,
            "hands": [hand if seat == data["seat"] else None for seat, hand in enumerate(data["hands"])],
            "draw_pile": None,
        }
        entropies = [seat.entropy or "" for seat in self.seats]
        filled = fill(self.created["server_seed"], entropies, seen)
        need(same(data, filled), f"PositionSet must be {filled}, not {data}")
        self._form_of_position(data)
        totals = self.bonus()
        for number, done in enumerate(data["rounds"], start=1):
            need(set(done) == {"round", "seats"} and same(done["round"], number), "not the rounds one after the other")
            self._past_round(done["seats"], data["rows"], number)
            totals = [total + line["income"] for total, line in zip(totals, done["seats"], strict=True)]
        need(same(data["totals"], totals), f"totals are {totals}")
        need(same([len(hand) for hand in data["hands"]], data["hand_sizes"]), "a hand has another size")
        self.status, self.position_of = "playing", data["parent"]
        if data["parent"] == self.created["parent"]:
            self.copied, self.copied_play = 0, False
        self.display, self.pile, self.revealed = list(data["display"]), list(data["draw_pile"]), data["revealed"]
        self.rounds = list(data["rounds"])
        need(
            len(self.rounds) == sum(self.revealed >= due for due in THRESHOLDS) < ROUNDS, "not the rounds that were due"
        )
        turn = data["turn"]
        self.turn, self.actor, self.points = turn["number"], turn["seat"], turn["action_points"]
        need(self.actor == (self.created["starting_seat"] + self.turn - 1) % len(self.seats), "not this seat's turn")
        need(self.points in range(1, TURN_POINTS + 1), "not so many action points")
        for seat, hand, rows, total in zip(self.seats, data["hands"], data["rows"], totals, strict=True):
            seat.hand, seat.total = list(hand), total
            seat.rows = [Row(row["businessmaker"], row["shown"], list(row["cards"])) for row in rows]

    def _form_of_position(self, data: dict[str, Any]) -> None:
        """Types, and rows as cards can have been laid."""
        seats, turn = range(len(self.seats)), data["turn"]
        need(isinstance(data["parent"], str) and data["parent"] != self.created["game"], "a parent is another game")
        need(whole(data["seat"]) and data["seat"] in seats and whole(data["revealed"]), "seat and revealed are numbers")
        need(len(data["rows"]) == len(data["hands"]) == len(seats), "not one of each for every seat")
        need(len(data["display"]) == DISPLAY_SLOTS, "not three open cards")
        need(set(turn) == {"number", "seat", "action_points"} and all(map(whole, turn.values())), "no such turn")
        need(turn["number"] in range(1, 2**53), "no such turn")
        for rows in data["rows"]:
            opened = [row["cards"][0] for row in rows if row["cards"]]
            need(len(set(opened)) == len(opened) and set(opened) <= set(BUSINESSES), "a row begins with its business")
            need(len(rows) <= MOST_BUSINESSMAKERS, "too many businessmakers")
            for row in rows:
                need(set(row) == {"businessmaker", "shown", "cards"} and isinstance(row["shown"], bool), "no such row")
                need(row["businessmaker"] in HAND_CARDS, "no such card")
                need(isinstance(row["cards"], list), "no such row")
                need(set(row["cards"][1:-1]) <= {row["cards"][0], "multitalent"} if row["cards"] else True, "mixed row")
                need(set(row["cards"][1:]) <= {row["cards"][0], *SPECIALS} if row["cards"] else True, "mixed row")

    @staticmethod
    def _past_round(sheet: list[dict[str, Any]], rows: list[list[dict[str, Any]]], number: int) -> None:
        """A round before the position: scored by the rules, from rows no longer than they are now."""
        then = [
            {business: (line["length"], line["doubled"]) for business, line in seat["businesses"].items()}
            for seat in sheet
        ]
        need(same(sheet, score_round(number, then, [0] * len(then), [0] * len(then))), "another score")
        for lengths, own in zip(then, rows, strict=True):
            now = {row["cards"][0]: row["cards"] for row in own if row["cards"]}
            for business, (length, doubled) in lengths.items():
                most = len(now[business]) - now[business].count("risk")
                need(whole(length) and length in range(1, most + 1), "no row was longer than it is")
                need(doubled is False or (doubled is True and ("risk" in now[business])), "no card is taken back")

    def _aside(self, event: Event, due: Due | None) -> None:
        """Take an event that doesn't move the game."""
        kind, data = event["type"], event["data"]
        if kind == "SeatAbandoned":
            need(due == (kind, data) and event["at"] == self.at, "no late turn, and not released")
            self._leave(self.actor, "abandoned")
            self.seats[self.actor].left_at = event["at"]
            return
        need(due is None or due[0] == "RoundScored", f"{kind} can't come inside an append: {due} must come")
        if kind == "SeatsInvited":
            need(self.is_opening and "pace" in self.created, "who is invited is said at the end of the creation")
            self._invite(data["seats"])
            return
        need(whole(data["seat"]) and data["seat"] in self.joined, f"{kind} of an open seat")
        if kind == "MessagePosted":
            need(isinstance(data["text"], str) and len(data["text"]) in range(1, 2001), "a length is out of bounds")
            return
        if kind == "InvitationAccepted":
            is_guest = self.status != "over" and self.waits_for(data["seat"], moment(event["at"]))
            need(is_guest, "nobody waits for this one")
            self._arrive(data["seat"], event["at"])
            return
        need(self.status in {"playing", "scoring"}, f"{kind} only while the game runs")
        seat = self.seats[data["seat"]]
        need(seat.bot is None, f"{kind} of a bot's seat")
        if kind == "TurnTimedOut":
            now = {"turn": self.turn, "seat": self.actor}
            need("pace" in self.created, "no deadline without a pace")
            need(same(data, now) and not self.timed_out, "not the turn that can time out")
            need(not self.played_by_bot, "a bot is never late")
            need(self.status == "playing", "a deadline takes effect after RoundScored")
            need(self.paused is None and event["at"] >= self.deadline, "the deadline lies ahead")
            self.timed_out = True
            seat.late, seat.late_turns = seat.late + 1, seat.late_turns + 1
        elif kind == "SeatReclaimed":
            need(seat.away == "abandoned", "only an abandoned seat is taken back")
            seat.away, seat.late, seat.excused = None, 0, seat.late_turns
            self._wait_anew(data["seat"], event["at"])
        elif kind == "SeatReplaced":
            self._replace(seat, data)
            self._wait_anew(data["seat"], event["at"])
        elif kind == "PlayerResigned":
            need(seat.away != "resigned", "no seat resigns twice")
            self._arrive(data["seat"], event["at"])
            self._leave(data["seat"], "resigned")
        elif kind in {"ConsentGiven", "ConsentWithdrawn"}:
            need(self.paused is None or data["to"] != "pause", "the game is paused already")
            self._consent(kind, seat, event)
        else:
            need(seat.away is None, f"{kind} of a seat that nobody plays")
            self._stop(kind, seat, moment(event["at"]), data.get("until"))

    def _invite(self, seats: list[int]) -> None:
        need(isinstance(seats, list) and seats and all(map(whole, seats)), "no seats")
        need(seats == sorted(set(seats)) and set(seats) <= set(self.joined), "not seats in order")
        need(all(self.seats[seat].bot is None for seat in seats), "nobody invites a bot")
        self.guests, self.late_joins = set(seats), True
        self._hold(self.at)

    def _hold(self, at: str) -> None:
        """Let the first turn's clock begin a turn's time later, for there are guests to come."""
        if self.turn == 1 and self.guests:
            self.turn_at = self.when_used(self.created["pace"]["turn_seconds"], at, stops=False)

    def _arrive(self, guest: int, at: str) -> None:
        """Begin the first turn's clock at once if this was the last guest, who has come, or never will."""
        self.guests.discard(guest)
        if self.turn == 1 and not self.guests:
            self.turn_at = min(self.turn_at, at)

    def _stop(self, kind: str, seat: Seat, at: datetime, until: str | None) -> None:
        """Stop the clock, or let it run again."""
        if kind == "GameResumed":
            need(self.paused is not None, "no pause is on")
            self.pauses.append((self.paused or at, at))
            self.paused = None
            return
        last = max((end for _, end in seat.vacations), default=at)
        if kind == "VacationEnded":
            need(last > at, "no vacation is on")
            seat.vacations[-1] = (seat.vacations[-1][0], at)
            return
        need(isinstance(until, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", until), "no time")
        try:
            end = moment(until or "")
        except ValueError:
            raise AssertionError("no time") from None
        need(last <= at < end and len(seat.vacations) < 2, "no vacation within another, and two at most")
        seat.vacations.append((at, end))
        taken = sum((end - begin for begin, end in seat.vacations), timedelta())
        need(taken <= timedelta(days=30), "30 days of vacation at most")

    def _replace(self, seat: Seat, data: dict[str, Any]) -> None:
        lowest = [number for number, one in enumerate(self.seats) if one.away == "abandoned"][:1]
        need("replaceable" in self.created, "this game replaces nobody")
        need(lowest == [data["seat"]], "only the lowest abandoned seat is taken")
        name = data["name"]
        need(isinstance(name, str) and len(name) in range(1, 41), "a length is out of bounds")
        need(not any(unicodedata.category(sign) == "Cc" for sign in name), "there are no control characters")
        seat.name, seat.away, seat.late, seat.consents = name, None, 0, 0
        seat.late_turns = seat.excused = 0

    def _leave(self, number: int, away: str) -> None:
        self.seats[number].away = away
        self.seats[number].agreed.clear()
        if number == self.actor:
            self._end_releases()

    def _wait_anew(self, number: int, at: str) -> None:
        """A person has just come whose turn it is."""
        if number == self.actor:
            self.play_at = at
            self._end_releases()

    def _end_releases(self) -> None:
        for seat in self.seats:
            seat.agreed.discard("release")

    def _consent(self, kind: str, seat: Seat, event: Event) -> None:
        to, about = event["data"]["to"], event["data"].get("about")
        need(to in {"cancel", "pause", "release"}, "nothing that can be agreed on")
        need(("about" in event["data"]) == (to == "release"), "a release is about a seat, and nothing else is")
        if to == "release":
            need(same(about, self.actor) and event["data"]["seat"] != about, "not the seat that the others wait for")
            need(self.silent(moment(event["at"])), "the seat is not silent")
        need(seat.away is None, "a person who is away agrees to nothing")
        need((to in seat.agreed) == (kind == "ConsentWithdrawn"), "no consent is given or withdrawn twice")
        if kind == "ConsentGiven":
            seat.consents += 1
            need(seat.consents <= CONSENTS, "too many consents")
            seat.agreed.add(to)
        else:
            seat.agreed.remove(to)

    def _act(self, kind: str, data: dict[str, Any]) -> None:
        need(same(data["seat"], self.actor), "not this seat's turn")
        self.copied_play = self.copied_play and self.version < self.copied
        self._end_releases()
        name = ACTION_EVENTS[kind]
        action: Action = {"type": name, **{key: data[key] for key in ACTION_FIELDS[name]}}
        seat = self.seats[self.actor]
        if kind == "BusinessmakerLaid":
            need(same(data["row"], len(seat.rows)), "rows are counted in the order laid")
        need(same(well_formed(action), action), f"{action} is no action")
        refused = self.rule_refusals(action)
        need(not refused, f"the rules refuse {action}: {sorted(refused)}")
        cost = self.cost(action)
        self.points -= cost
        if kind == "CardTaken":
            slot = data["slot"]
            need(same([data["card"], data["cost"]], [self.display[slot], cost]), "another card or cost")
            seat.hand.append(data["card"])
            self.display[slot], self.pending = None, slot
        elif kind == "PileDrawn":
            self.pending = "draw"
        else:
            seat.hand.remove(data["card"])
            if kind == "BusinessmakerLaid":
                seat.rows.append(Row(data["card"]))
            else:
                seat.rows[data["row"]].cards.append(data["card"])

    def _begin_turn(self, data: dict[str, Any], at: str) -> None:
        if self.turn and not self.timed_out and self.seats[self.actor].away is None:
            self.seats[self.actor].late = 0
        self.turn, self.actor, self.points = data["turn"], data["seat"], TURN_POINTS
        self.turn_at, self.timed_out, self.settled = at, False, ""
        self.pauses = []
        self._hold(at)

    def _follow(self, kind: str, data: dict[str, Any], at: str) -> None:
        if kind == "GameStarted":
            self.status, self.display, self.pile = "playing", list(data["display"]), list(data["draw_pile"])
            for seat, hand in zip(self.seats, data["hands"], strict=True):
                seat.hand = list(hand)
        elif kind == "TurnStarted":
            self._begin_turn(data, at)
            for row in self.seats[self.actor].rows:
                row.seen = False
        elif kind == "ScoringStarted":
            self.status = "scoring"
        elif kind == "RoundScored":
            self.rounds.append(data)
            self.status = "playing" if len(self.rounds) < ROUNDS else "scoring"
            for seat, total in zip(self.seats, data["totals"], strict=True):
                seat.total = total
        elif kind == "ActionPointsForfeited":
            self.points = 0
        elif kind in {"GameEnded", "GameCancelled"}:
            self.status, self.winners = "over", data.get("winners", [])
        else:
            self._turn_up(kind, self._pile().pop(0))

    def _turn_up(self, kind: str, card: str) -> None:
        if kind == "ReibachRevealed":
            self.revealed += 1
            return
        if isinstance(self.pending, int):
            self.display[self.pending] = card
        else:
            self.seats[self.actor].hand.append(card)
        self.pending = None

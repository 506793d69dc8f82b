"""The game at one version: what must come next, and what a player may do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.oracle.fairness import deal
from tests.oracle.scoring import score_round
from tests.oracle.terms import (
    BUSINESSES,
    DISPLAY_SLOTS,
    HAND_CARDS,
    MOST_BUSINESSMAKERS,
    ROUNDS,
    SILENCE,
    SPECIALS,
    STATE_REFUSALS,
    THRESHOLDS,
    Action,
    Due,
    Event,
    hand_of,
    moment,
    need,
    text,
    well_formed,
)


@dataclass
class Row:
    """A businessmaker and the cards on it; `seen` while every viewer may see the businessmaker (ruling 7)."""

    businessmaker: str
    seen: bool = True
    cards: list[str] = field(default_factory=list)

    @property
    def business(self) -> str | None:
        """The row's business, None while no business card lies on it."""
        return self.cards[0] if self.cards else None

    @property
    def closed(self) -> bool:
        """Whether a risk card has closed the row."""
        return "risk" in self.cards

    @property
    def length(self) -> int:
        """Business cards and multitalents."""
        return len(self.cards) - self.cards.count("risk")


@dataclass
class Seat:
    """One place at the table; `name` is None while it is open."""

    total: int
    name: str | None = None
    bot: str | None = None
    entropy: str | None = None
    hand: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    away: str | None = None
    """`abandoned` or `resigned` while a bot plays for the seat's person."""
    left_at: str = ""
    """When it was abandoned."""
    late: int = 0
    """Its last turns in a row that timed out."""
    late_turns: int = 0
    """All of its person's."""
    excused: int = 0
    """Those before it was last reclaimed."""
    bank: int | None = None
    """Seconds of its time bank, in a game that has banks."""
    vacations: list[tuple[datetime, datetime]] = field(default_factory=list)
    agreed: set[str] = field(default_factory=set)
    consents: int = 0


@dataclass
class Position:
    """The game at one version: what must come next, and what a player may do. `Table` folds events into it."""

    created: dict[str, Any] = field(default_factory=dict)
    seats: list[Seat] = field(default_factory=list)
    joined: list[int] = field(default_factory=list)
    late_joins: bool = False
    salted: bool | None = None
    """Whether words have salts, as the first seat's name says."""
    status: str = "open"
    display: list[str | None] = field(default_factory=lambda: [None] * DISPLAY_SLOTS)
    pile: list[str] | None = None
    revealed: int = 0
    rounds: list[dict[str, Any]] = field(default_factory=list)
    turn: int = 0
    actor: int = 0
    points: int = 0
    pending: int | str | None = None
    timed_out: bool = False
    copied: int = 0
    """The version up to which a copy has its parent's events, those about its people included."""
    past: list[Event] = field(default_factory=list)
    """In a copy: the events about its parent's people so far."""
    winners: list[int] | None = None
    position_of: str | None = None
    version: int = 0
    at: str = ""
    created_at: str = ""
    play_at: str = ""
    turn_at: str = ""
    """When the clock of the turn begins."""
    guests: set[int] = field(default_factory=set)
    """The seats of invited people who have not accepted."""
    is_opening: bool = False
    """Whether there is nothing yet but what came with the creation."""
    paused: datetime | None = None
    pauses: list[tuple[datetime, datetime]] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    """What may be agreed on by the last event: what it agreed to, or anything where a person has left by it."""
    copied_play: bool = False
    """Whether no seat has acted since the copy was made: nobody knows how long it has waited."""
    settled: str = ""
    """The last event about the time bank in this turn."""
    hash: str = ""

    # What must come next.

    def due(self) -> Due | None:
        """Return type and data of the event that must come next, None where a player, or no seat, has to act."""
        if self.status == "open":
            if not self.created or len(self.joined) < len(self.seats):
                return None
            entropies = [seat.entropy or "" for seat in self.seats]
            return "GameStarted", deal(self.created["server_seed"], entropies, hand_of(self.created))
        if self.status == "over":
            return None
        outcomes = (("cancel", "GameCancelled"), ("pause", "GamePaused"), ("release", "SeatAbandoned"))
        for to, kind in outcomes:
            if to in self.asked and self.all_agree_to(to):
                return kind, {"seat": self.actor} if to == "release" else {}
        if self.status == "scoring":
            return self._end() if len(self.rounds) == ROUNDS else ("RoundScored", self._scored())
        return self._due_in_turn() if self.turn else self._due_at_end()

    def all_agree_to(self, to: str) -> bool:
        """Whether every person who plays, but a silent one, has agreed, and one has."""
        people = [seat for seat in self.seats if seat.name is not None and seat.bot is None and seat.away is None]
        silent = [self.seats[self.actor]] if self.silent(moment(self.at)) else []
        return any(to in seat.agreed for seat in people) and all(to in seat.agreed or seat in silent for seat in people)

    def silent(self, at: datetime) -> bool:
        """Whether the game has waited so long for the person whose turn it is."""
        if self.status != "playing" or self.turn == 0 or self.played_by_bot or self.copied_play:
            return False
        return self._ran(at, self.play_at) >= SILENCE

    def waits_for(self, seat: int, at: datetime) -> bool:
        """Whether the first turn's clock waits then, or will, for this guest."""
        return seat in self.guests and (self.turn == 0 or (self.turn == 1 and at < moment(self.turn_at)))

    def _due_in_turn(self) -> Due | None:
        place = self.seats[self.actor]
        most = self.created.get("pace", {}).get("timeouts", 10**9)
        lost = place.late > 1 or place.late_turns - place.excused >= most
        if self.handed_over and lost and place.away is None:
            return "SeatAbandoned", {"seat": self.actor}
        if self.revealed == THRESHOLDS[len(self.rounds)]:
            return "ScoringStarted", {"round": len(self.rounds) + 1}
        if self.pending is not None:
            return self._next_of_pile()
        if self.stuck():
            return "ActionPointsForfeited", {"seat": self.actor, "points": 1}
        return self._due_at_end() if self.points == 0 else None

    def _due_at_end(self) -> Due:
        """The bank's events, then the next turn."""
        if self.turn == 0:
            return "TurnStarted", {"turn": 1, "seat": self.created["starting_seat"]}
        following = {"turn": self.turn + 1, "seat": (self.actor + 1) % len(self.seats)}
        return self._due_of_bank() or ("TurnStarted", following)

    def _due_of_bank(self) -> Due | None:
        """What the turn that ends has used of its seat's bank, then what a turn gives."""
        seat, pace = self.seats[self.actor], self.created.get("pace", {})
        if seat.bank is None or (seat.away is not None and not self.timed_out):
            return None
        if not self.settled:
            over = int(self._ran(moment(self.play_at)).total_seconds()) - pace["turn_seconds"]
            used = seat.bank if self.timed_out else max(0, min(over, seat.bank))
            if used:
                return "BankUsed", {"seat": self.actor, "seconds": used, "left": seat.bank - used}
        given = min(pace.get("bank_refill_seconds", 0), pace["bank_seconds"] - seat.bank)
        if self.settled != "BankRefilled" and given:
            return "BankRefilled", {"seat": self.actor, "seconds": given, "left": seat.bank + given}
        return None

    def _ran(self, until: datetime, since: str = "") -> timedelta:
        """How long the clock of the turn has run at that time, since its start or later."""
        return sum((step for _, step in self._walk(until, since)), timedelta())

    def _walk(self, until: datetime, since: str = "", *, stops: bool = True) -> Iterator[tuple[datetime, timedelta]]:
        """The steps in which the turn's clock runs: when each begins, and how long it is. Or no pause stops it."""
        at, hours = moment(since or self.turn_at), self.created.get("pace", {}).get("hours")
        never = datetime.max.replace(tzinfo=UTC)
        now = [] if self.paused is None else [(self.paused, never)]
        pauses = [*self.pauses, *self.seats[self.actor].vacations, *now] if stops else []
        while at < until:
            if ends := [end for since, end in pauses if since <= at < end]:
                at = max(ends)
                continue
            step = min([until, *(since for since, _ in pauses if since > at)]) - at
            if hours:
                shown = at.astimezone(ZoneInfo(hours["zone"]))
                # All clocks are changed at a quarter of an hour, and a test's hours begin at one.
                past = timedelta(minutes=shown.minute % 15, seconds=shown.second, microseconds=shown.microsecond)
                step = min(step, timedelta(minutes=15) - past)
                low, now, high = hours["from"], shown.strftime("%H:%M"), hours["to"]
                if not (low <= now < high if low < high else now >= low or now < high):
                    at += step
                    continue
            yield at, step
            at += step

    def _next_of_pile(self) -> Due:
        top = self._pile()[0]
        if top == "reibach":
            return "ReibachRevealed", {"count": self.revealed + 1}
        if self.pending == "draw":
            return "CardDrawn", {"seat": self.actor, "card": top}
        return "DisplayRefilled", {"slot": self.pending, "card": top}

    def _scored(self) -> dict[str, Any]:
        number = len(self.rounds) + 1
        rows = [{row.business: (row.length, row.closed) for row in seat.rows if row.business} for seat in self.seats]
        empty = [sum(row.business is None for row in seat.rows) for seat in self.seats]
        sheet = score_round(number, rows, empty, [len(seat.hand) for seat in self.seats])
        totals = [seat.total + line["income"] for seat, line in zip(self.seats, sheet, strict=True)]
        return {"round": number, "seats": sheet, "totals": totals}

    def _end(self) -> Due:
        totals = [seat.total for seat in self.seats]
        best = [seat for seat, total in enumerate(totals) if total == max(totals)]
        return "GameEnded", {"totals": totals, "winners": best}

    def stuck(self) -> bool:
        """Ruling 5, word for word."""
        seat = self.seats[self.actor]
        if self.points != 1 or not self.created["variants"]["expensive_specials"]:
            return False
        if not all(card in SPECIALS for card in self.display):
            return False
        appendable = any(
            not self._append_refusals(seat, card, row) for card in seat.hand for row in range(len(seat.rows))
        )
        return not seat.hand or (len(seat.rows) == MOST_BUSINESSMAKERS and not appendable)

    @property
    def handed_over(self) -> bool:
        """Whether the bot plays the rest of a turn that timed out."""
        return self.timed_out and self.created["pace"].get("on_timeout", "bot") == "bot"

    @property
    def played_by_bot(self) -> bool:
        """Whether a bot, and not the seat's person, plays the present turn."""
        seat = self.seats[self.actor]
        return seat.bot is not None or seat.away is not None or self.handed_over

    def waiting(self) -> tuple[str, str, int | None] | None:
        """Return what the game waits for, since when, and which seat or round; None once it is over.

        A wait begins with the last event that moved the game (`play_at`).
        """
        if self.status == "over":
            return None
        if self.status == "open":
            return "players", self.play_at, None
        if self.status == "scoring":
            return "scoring", self.play_at, len(self.rounds) + 1
        return "bot" if self.played_by_bot else "seat", self.play_at, self.actor

    # What a player may do.

    def cost(self, action: Action) -> int:
        """Return what an action costs in action points; for `take` the slot must hold a card."""
        if action["type"] == "draw":
            return 2
        dear = self.created["variants"]["expensive_specials"]
        return 2 if action["type"] == "take" and dear and self.display[action["slot"]] in SPECIALS else 1

    @property
    def deadline(self) -> str:
        """When the present turn must have ended, in a game with a pace."""
        return self.when_used(self.created["pace"]["turn_seconds"] + (self.seats[self.actor].bank or 0))

    def when_used(self, seconds: int, since: str = "", *, stops: bool = True) -> str:
        """When the present turn's clock has run for so long, since its start or later."""
        left = timedelta(seconds=seconds)
        for at, step in self._walk(datetime.max.replace(tzinfo=UTC), since, stops=stops):
            if left <= step:
                return text(at + left)
            left -= step
        raise AssertionError("the calendar ends")

    def rule_refusals(self, action: Action) -> set[str]:
        """Every code with which the rules refuse a well-formed action of the seat whose turn it is."""
        seat, kind = self.seats[self.actor], action["type"]
        codes = {"not-enough-action-points"} if self.points < self.cost(action) else set()
        if "card" in action and action["card"] not in seat.hand:
            codes.add("card-not-in-hand")
        if kind == "lay_businessmaker" and len(seat.rows) >= MOST_BUSINESSMAKERS:
            codes.add("too-many-businessmakers")
        return codes | self._append_refusals(seat, action["card"], action["row"]) if kind == "append" else codes

    @staticmethod
    def _append_refusals(seat: Seat, card: str, number: int) -> set[str]:
        if number >= len(seat.rows):
            return {"no-such-row"}
        row = seat.rows[number]
        codes = {"row-closed"} if row.closed else set()
        if row.business is None:
            if card in SPECIALS:
                codes.add("row-needs-business-first")
            elif any(other.business == card for other in seat.rows):
                codes.add("business-already-has-row")
        elif card in BUSINESSES and card != row.business:
            codes.add("wrong-business")
        return codes

    def legal_actions(self, seat: int) -> list[Action]:
        """Return every action that the service must accept from `seat` now: none from one that resigned."""
        if seat != self.actor or self.handed_over or self.seats[seat].away == "resigned":
            return []
        return self.possible()

    def possible(self) -> list[Action]:
        """Return what can be done for the seat whose turn it is; nothing where an append isn't complete."""
        if self.status != "playing" or self.due() is not None:
            return []
        own = self.seats[self.actor]
        hand = sorted(set(own.hand), key=HAND_CARDS.index)
        wishes: list[Action] = [{"type": "take", "slot": slot} for slot in range(DISPLAY_SLOTS)]
        wishes.append({"type": "draw"})
        wishes += [{"type": "lay_businessmaker", "card": card} for card in hand]
        wishes += [{"type": "append", "card": card, "row": row} for card in hand for row in range(len(own.rows))]
        return [wish for wish in wishes if not self.rule_refusals(wish)]

    def refusal(self, seat: int, action: Action) -> set[str]:
        """Codes of which the service may answer any one; empty: the action must be accepted."""
        plain = well_formed(action)
        return {"invalid-request"} if plain is None else self.game_refusals(seat, plain)

    def game_refusals(self, seat: int, plain: Action) -> set[str]:
        """Codes with which state, turn or rules refuse an action, whether or not the API would pass it on to them."""
        need(self.status != "playing" or self.due() is None, "an append is not complete: no request is answered here")
        if self.status in STATE_REFUSALS:
            return {STATE_REFUSALS[self.status]}
        if seat != self.actor:
            return {"not-your-turn"}
        if self.seats[seat].away == "resigned":
            return {"seat-resigned"}
        return {"not-your-turn"} if self.handed_over else self.rule_refusals(plain)

    def _pile(self) -> list[str]:
        need(self.pile, "there is no draw pile")
        return self.pile or []

    def count_cards(self) -> int:
        """Count all cards at the table: 110 in every started game."""
        held = sum(len(seat.hand) + sum(1 + len(row.cards) for row in seat.rows) for seat in self.seats)
        return held + sum(card is not None for card in self.display) + len(self.pile or []) + self.revealed

"""A second reading of the rules and the contract, written apart from the service and used to check it in tests.

Nothing here is imported from the product. A `Table` is folded from *unredacted* events and knows at every version
which single event must come next (`due`), or that a player must act. Everything else follows from that:

- `OracleGame(events)` checks a whole log and raises `AssertionError`, naming the version, at the first offence;
- `view_at`, `events_as_seen`, `scores_at`, `legal_actions_at` and `refusal` say what the service has to answer.

Events are dicts `{"version", "type", "at", "data", "hash"}` as in a finished game's NDJSON; event v is item v - 1.
Money is in millions. The game's words are those of the rules.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

import rfc8785

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Event = dict[str, Any]
Action = dict[str, Any]
Due = tuple[str, dict[str, Any]]

BUSINESSES = (
    "shares", "gold", "property", "currency", "luxury", "gambling", "antiques", "oil", "jewellery", "art",
)  # fmt: skip
SPECIALS = ("multitalent", "risk")
HAND_CARDS = (*BUSINESSES, *SPECIALS)
THRESHOLDS = (4, 7, 10)
ALL_CARDS = 110
TURN_POINTS, MOST_BUSINESSMAKERS, DISPLAY_SLOTS, ROUNDS = 3, 10, 3, 3

KEYS = {
    kind: frozenset(words.split())
    for kind, words in {
        "GameCreated": "game rules seats variants starting_seat listed commitment server_seed",
        "PlayerJoined": "seat name bot entropy",
        "GameStarted": "hands display draw_pile",
        "PositionSet": "parent seat hands hand_sizes rows display draw_pile revealed rounds totals turn",
        "TurnStarted": "turn seat",
        "CardTaken": "seat slot card cost",
        "PileDrawn": "seat",
        "CardDrawn": "seat card",
        "BusinessmakerLaid": "seat row card",
        "CardAppended": "seat row card",
        "DisplayRefilled": "slot card",
        "ReibachRevealed": "count",
        "ScoringStarted": "round",
        "RoundScored": "round seats totals",
        "ActionPointsForfeited": "seat points",
        "GameEnded": "totals winners",
        "TurnTimedOut": "turn seat",
        "SeatAbandoned": "seat",
        "SeatReclaimed": "seat",
        "SeatReplaced": "seat name",
        "PlayerResigned": "seat",
        "BankUsed": "seat seconds left",
        "BankRefilled": "seat seconds left",
        "VacationTaken": "seat until",
        "VacationEnded": "seat",
        "GamePaused": "",
        "GameResumed": "seat",
        "ConsentGiven": "seat to",
        "ConsentWithdrawn": "seat to",
        "GameCancelled": "",
        "MessagePosted": "seat text",
    }.items()
}
OPTIONAL_KEYS = {"GameCreated": {"pace", "replaceable", "parent", "from"}}
ASIDES = frozenset(
    {"TurnTimedOut", "SeatAbandoned", "SeatReclaimed", "PlayerResigned", "MessagePosted"}
    | {"ConsentGiven", "ConsentWithdrawn", "SeatReplaced", "VacationTaken", "VacationEnded", "GameResumed"}
)
CONSENTS = 20
"""The most that a seat gives in a game."""
OF_BANK = frozenset({"BankUsed", "BankRefilled"})
HISTORY = OF_BANK | {"GamePaused"}
"""Events within an append that a copy has from its parent, and that mean nothing there."""
ACTION_EVENTS = {
    "CardTaken": "take",
    "PileDrawn": "draw",
    "BusinessmakerLaid": "lay_businessmaker",
    "CardAppended": "append",
}
ACTION_FIELDS: dict[str, tuple[str, ...]] = {
    "take": ("slot",),
    "draw": (),
    "lay_businessmaker": ("card",),
    "append": ("card", "row"),
}
STATE_REFUSALS = {"open": "game-not-started", "over": "game-over", "scoring": "scoring-in-progress"}


def need(holds: object, complaint: str) -> None:
    """Raise `AssertionError(complaint)` unless `holds`: works under `python -O` too."""
    if not holds:
        raise AssertionError(complaint)


def same(left: object, right: object) -> bool:
    """Equal as JSON values of the same types, so that True is not 1 and 1.0 is not 1."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def whole(number: object) -> bool:
    """Whether a JSON value is an integer (a boolean is none)."""
    return isinstance(number, int) and not isinstance(number, bool)


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def commitment(server_seed: str) -> str:
    """Return the commitment, 64 hex digits, of a seed of 64 hex digits."""
    return hashlib.sha256(b"reibach/commitment" + bytes.fromhex(server_seed)).hexdigest()


def shuffle_key(server_seed: str, entropies: Sequence[str]) -> bytes:
    """Return the 32 bytes that key the random stream."""
    return _hmac(bytes.fromhex(server_seed), b"reibach/shuffle" + rfc8785.dumps(list(entropies)))


def integers(key: bytes) -> Iterator[int]:
    """Yield the random stream's integers, 32 bits each, without end."""
    block = 0
    while True:
        digest = _hmac(key, block.to_bytes(8, "big"))
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def _below(stream: Iterator[int], bound: int) -> int:
    limit = (1 << 32) - (1 << 32) % bound
    return next(number for number in stream if number < limit) % bound


def _shuffle(stream: Iterator[int], cards: list[str]) -> None:
    for index in range(len(cards) - 1, 0, -1):
        other = _below(stream, index + 1)
        cards[index], cards[other] = cards[other], cards[index]


def deal(server_seed: str, entropies: Sequence[str]) -> dict[str, Any]:
    """Return the data of `GameStarted`: `hands` by seat, `display`, `draw_pile` with its top first."""
    stream = integers(shuffle_key(server_seed, entropies))
    cards = [business for business in BUSINESSES for _ in range(9)] + ["multitalent"] * 5 + ["risk"] * 5
    _shuffle(stream, cards)
    dealt = 4 * len(entropies)
    pile = cards[dealt + DISPLAY_SLOTS :] + ["reibach"] * 10
    _shuffle(stream, pile)
    hands = [cards[start : start + 4] for start in range(0, dealt, 4)]
    return {"hands": hands, "display": cards[dealt : dealt + DISPLAY_SLOTS], "draw_pile": pile}


def fill(server_seed: str, entropies: Sequence[str], seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of `PositionSet` from what its seat sees: null hands, businessmakers and pile are dealt anew."""
    stream = integers(shuffle_key(server_seed, entropies))
    left = dict.fromkeys(BUSINESSES, 9) | {"multitalent": 5, "risk": 5}
    seen_rows = [row for rows in seen["rows"] for row in rows]
    for card in (
        *seen["display"],
        *(card for hand in seen["hands"] for card in hand or []),
        *(card for row in seen_rows for card in row["cards"]),
        *(row["businessmaker"] for row in seen_rows if row["shown"]),
    ):
        left[card] -= 1
    need(min(left.values()) >= 0, "there are not so many cards of a kind")
    cards = [card for card in HAND_CARDS for _ in range(left[card])]
    _shuffle(stream, cards)
    hands = [
        hand or [cards.pop(0) for _ in range(size)]
        for hand, size in zip(seen["hands"], seen["hand_sizes"], strict=True)
    ]
    rows = [[row if row["shown"] else {**row, "businessmaker": cards.pop(0)} for row in rows] for rows in seen["rows"]]
    pile = cards + ["reibach"] * (10 - seen["revealed"])
    _shuffle(stream, pile)
    return {**seen, "hands": hands, "rows": rows, "draw_pile": pile}


def chain(server_seed: str, game: str, events: Sequence[Event]) -> Iterator[str]:
    """Yield the hash, in hex, that each event from version 1 on must carry."""
    key = _hmac(bytes.fromhex(server_seed), b"reibach/chain")
    link = _hmac(key, game.encode())
    for event in events:
        content = {name: event[name] for name in ("at", "data", "type", "version")}
        link = _hmac(key, link + rfc8785.dumps(content))
        yield link.hex()


def award(length: int, lengths: Sequence[int]) -> tuple[int, str]:
    """Return income before doubling, and reason, of one row among all rows of its business (itself included)."""
    if len(lengths) == 1:
        return 4, "monopoly"
    longest = max(lengths)
    leaders = lengths.count(longest)
    if length == longest:
        return (3, "longest") if leaders == 1 else (4 // leaders, "shared_longest")
    runners_up = [other for other in lengths if other < longest]
    if leaders > 1 or length < max(runners_up):
        return 0, "none"
    return (1, "second") if runners_up.count(length) == 1 else (0, "shared_second")


def score_round(
    number: int, rows: Sequence[Mapping[str, tuple[int, bool]]], empty: Sequence[int], hands: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the `seats` of `RoundScored` for round `number` (1 to 3).

    By seat: `rows` maps a business to (length, has a risk card), `empty` counts businessmakers without a business
    card, `hands` counts cards in hand; the last two cost only in round 3.
    """
    sheet = []
    for seat, own in enumerate(rows):
        businesses: dict[str, dict[str, Any]] = {}
        for business, (length, doubled) in own.items():
            rivals = [other[business][0] for other in rows if business in other]
            income, reason = award(length, rivals)
            income *= 2 if doubled else 1
            businesses[business] = {"income": income, "reason": reason, "length": length, "doubled": doubled}
        losses = (-2 * empty[seat], -hands[seat]) if number == ROUNDS else (0, 0)
        penalties = dict(zip(("empty_businessmakers", "hand_cards"), losses, strict=True))
        total = sum(line["income"] for line in businesses.values()) + sum(losses)
        sheet.append({"seat": seat, "businesses": businesses, "penalties": penalties, "income": total})
    return sheet


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
    late: int = 0
    """Its last turns in a row that timed out."""
    bank: int | None = None
    """Seconds of its time bank, in a game that has banks."""
    vacations: list[tuple[datetime, datetime]] = field(default_factory=list)
    agreed: set[str] = field(default_factory=set)
    consents: int = 0


@dataclass
class Table:
    """The game at one version. `apply` raises `AssertionError` (without the version) at what may not come next."""

    created: dict[str, Any] = field(default_factory=dict)
    seats: list[Seat] = field(default_factory=list)
    joined: list[int] = field(default_factory=list)
    late_joins: bool = False
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
    winners: list[int] | None = None
    position_of: str | None = None
    version: int = 0
    at: str = ""
    created_at: str = ""
    play_at: str = ""
    turn_at: str = ""
    paused: datetime | None = None
    pauses: list[tuple[datetime, datetime]] = field(default_factory=list)
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
            return "GameStarted", deal(self.created["server_seed"], entropies)
        if self.status == "over":
            return None
        agreed = [kind for to, kind in (("cancel", "GameCancelled"), ("pause", "GamePaused")) if self.all_agree_to(to)]
        if agreed:
            return agreed[0], {}
        if self.status == "scoring":
            return self._end() if len(self.rounds) == ROUNDS else ("RoundScored", self._scored())
        return self._due_in_turn() if self.turn else self._due_at_end()

    def all_agree_to(self, to: str) -> bool:
        """Whether every person who plays has agreed to cancel, or to pause, the game."""
        people = [seat for seat in self.seats if seat.name is not None and seat.bot is None and seat.away is None]
        return bool(people) and all(to in seat.agreed for seat in people)

    def _due_in_turn(self) -> Due | None:
        if self.handed_over and self.seats[self.actor].late > 1 and self.seats[self.actor].away is None:
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
            over = int(self._ran(_moment(self.play_at)).total_seconds()) - pace["turn_seconds"]
            used = seat.bank if self.timed_out else max(0, min(over, seat.bank))
            if used:
                return "BankUsed", {"seat": self.actor, "seconds": used, "left": seat.bank - used}
        given = min(pace.get("bank_refill_seconds", 0), pace["bank_seconds"] - seat.bank)
        if self.settled != "BankRefilled" and given:
            return "BankRefilled", {"seat": self.actor, "seconds": given, "left": seat.bank + given}
        return None

    def _ran(self, until: datetime) -> timedelta:
        """How long the clock of the turn has run at that time."""
        return sum((step for _, step in self._walk(until)), timedelta())

    def _walk(self, until: datetime) -> Iterator[tuple[datetime, timedelta]]:
        """The steps in which the turn's clock runs: when each begins, and how long it is."""
        at, hours = _moment(self.turn_at), self.created["pace"].get("hours")
        never = datetime.max.replace(tzinfo=UTC)
        now = [] if self.paused is None else [(self.paused, never)]
        stops = [*self.pauses, *self.seats[self.actor].vacations, *now]
        while at < until:
            if ends := [end for since, end in stops if since <= at < end]:
                at = max(ends)
                continue
            step = min([until, *(since for since, _ in stops if since > at)]) - at
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
        pace = self.created["pace"]
        left = timedelta(seconds=pace["turn_seconds"] + (self.seats[self.actor].bank or 0))
        for at, step in self._walk(datetime.max.replace(tzinfo=UTC)):
            if left <= step:
                return _text(at + left)
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

    # The fold.

    def apply(self, event: Event) -> None:
        """Take the next event, or raise `AssertionError` at one that may not come here."""
        kind, data = event["type"], event["data"]
        due = self.due()
        if kind in KEYS:
            need(isinstance(data, dict), "data is no object")
            extra = data.keys() - KEYS[kind]
            need(data.keys() >= KEYS[kind] and extra <= OPTIONAL_KEYS.get(kind, set()), f"{kind} has other fields")
        if kind in HISTORY and self.version < self.copied:
            pass  # of the parent's people
        elif kind in ASIDES:
            self._aside(event, due)
        elif kind in KEYS:
            self._play(event, due)
            self.play_at = self.play_at if kind == "GamePaused" else event["at"]
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
                self.paused = _moment(event["at"])
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
        need(data["rules"] == "standard@1", "unknown rules")
        need(whole(data["seats"]) and data["seats"] in range(2, 6), "2 to 5 seats")
        variants = data["variants"]
        need(set(variants) == {"expensive_specials", "staggered_start"}, "unknown variants")
        need(all(isinstance(flag, bool) for flag in (*variants.values(), data["listed"])), "flags are booleans")
        first = data["starting_seat"]
        need(whole(first) and first in range(data["seats"]), "no such starting seat")
        need(re.fullmatch("[0-9a-f]{64}", data["server_seed"] or ""), "the seed is 64 hex digits")
        pace = data.get("pace")
        need("pace" not in data or self._paced(pace), "a pace is in seconds, 60 of them to 90 days")
        if "replaceable" in data:
            need(data["replaceable"] is True and pace["on_timeout"] == "bot", "no seat is ever abandoned")
        need(("parent" in data) == ("from" in data), "a fork names its parent and the version there")
        if "parent" in data:
            need(isinstance(data["parent"], str) and data["parent"] != data["game"], "a parent is another game")
            need(whole(data["from"]) and data["from"] > 0, "from is a version")
            need("pace" not in data, "no turn of a fork has a deadline")
            self.copied = data["from"]
        need(data["commitment"] == commitment(data["server_seed"]), "the seed doesn't honour the commitment")
        self.created = data
        self.seats = [Seat(bonus, bank=data.get("pace", {}).get("bank_seconds")) for bonus in self.bonus()]

    @staticmethod
    def _paced(pace: dict[str, Any]) -> bool:
        turn = pace["turn_seconds"]
        soon = pace.get("reminder_seconds", 1)
        optional = {"reminder_seconds", "bank_seconds", "bank_refill_seconds", "hours"}
        known = {"turn_seconds", "on_timeout"} <= set(pace) <= {"turn_seconds", "on_timeout"} | optional
        banks = [pace[name] for name in ("bank_seconds", "bank_refill_seconds") if name in pace]
        known = known and all(whole(bank) and bank in range(90 * 24 * 3600 + 1) for bank in banks)
        known = known and ("bank_seconds" in pace or "bank_refill_seconds" not in pace)
        need("hours" not in pace or _allowed(**pace["hours"]), "hours are two times of day and a zone")
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
        self.copied = 0 if data["parent"] == self.created["parent"] else self.copied
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
                need(doubled is False or (doubled is True and "risk" in now[business]), "no card is taken back")

    def _aside(self, event: Event, due: Due | None) -> None:
        """Take an event that doesn't move the game."""
        kind, data = event["type"], event["data"]
        if kind != "MessagePosted" and self.version < self.copied:
            return  # about people of the parent
        if kind == "SeatAbandoned":
            need(due == (kind, data) and event["at"] == self.at, "a seat is abandoned with its second late turn")
            self._leave(self.seats[self.actor], "abandoned")
            return
        need(due is None or due[0] == "RoundScored", f"{kind} can't come inside an append: {due} must come")
        need(whole(data["seat"]) and data["seat"] in self.joined, f"{kind} of an open seat")
        if kind == "MessagePosted":
            need(isinstance(data["text"], str) and len(data["text"]) in range(1, 2001), "a length is out of bounds")
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
            seat.late += 1
        elif kind == "SeatReclaimed":
            need(seat.away == "abandoned", "only an abandoned seat is taken back")
            seat.away, seat.late = None, 0
        elif kind == "SeatReplaced":
            self._replace(seat, data)
        elif kind == "PlayerResigned":
            need(seat.away != "resigned", "no seat resigns twice")
            self._leave(seat, "resigned")
        elif kind in {"ConsentGiven", "ConsentWithdrawn"}:
            need(self.paused is None or data["to"] != "pause", "the game is paused already")
            self._consent(kind, seat, data["to"])
        else:
            need(seat.away is None, f"{kind} of a seat that nobody plays")
            self._stop(kind, seat, _moment(event["at"]), data.get("until"))

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
            end = _moment(until or "")
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

    @staticmethod
    def _leave(seat: Seat, away: str) -> None:
        seat.away = away
        seat.agreed.clear()

    @staticmethod
    def _consent(kind: str, seat: Seat, to: str) -> None:
        need(to in {"cancel", "pause"}, "nothing that can be agreed on")
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

    def _pile(self) -> list[str]:
        need(self.pile, "there is no draw pile")
        return self.pile or []

    def count_cards(self) -> int:
        """Count all cards at the table: 110 in every started game."""
        held = sum(len(seat.hand) + sum(1 + len(row.cards) for row in seat.rows) for seat in self.seats)
        return held + sum(card is not None for card in self.display) + len(self.pile or []) + self.revealed


def well_formed(action: object) -> Action | None:
    """Return an action with its numbers as integers, or None where it must be a 422."""
    if not isinstance(action, dict) or not isinstance(action.get("type"), str):
        return None
    fields = ACTION_FIELDS.get(action["type"])
    if fields is None or set(action) != {"type", *fields}:
        return None
    plain = {key: int(item) if isinstance(item, float) and item.is_integer() else item for key, item in action.items()}
    if "card" in plain and plain["card"] not in HAND_CARDS:
        return None
    if "slot" in plain and not (whole(plain["slot"]) and plain["slot"] in range(DISPLAY_SLOTS)):
        return None
    return None if "row" in plain and not (whole(plain["row"]) and plain["row"] in range(10)) else plain


class OracleGame:
    """A log that has passed every check; raises `AssertionError` naming the offending version otherwise.

    With `complete` the log must reach `GameEnded`; without, any unredacted beginning of a log will do.
    """

    def __init__(self, events: Sequence[Event], *, complete: bool = True) -> None:
        """Check `events` from version 1 on."""
        self.events = list(events)
        self.table = Table()
        need(self.events, "version 1: there are no events")
        for number, event in enumerate(self.events, start=1):
            try:
                self._step(number, event)
            except AssertionError as wrong:
                msg = f"version {number}: {wrong}"
                raise AssertionError(msg) from wrong
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as broken:
                msg = f"version {number}: malformed event ({broken!r})"
                raise AssertionError(msg) from broken
        need(not complete or self.table.status == "over", f"version {len(self.events)}: the log ends before the game")

    def _step(self, number: int, event: Event) -> None:
        need(set(event) == {"version", "type", "at", "data", "hash"}, "an event has five fields")
        need(same(event["version"], number), "versions count 1, 2, 3, ...")
        need(isinstance(event["type"], str), "a type is a string")
        need(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["at"]), "not a time")
        datetime.fromisoformat(event["at"])
        need(event["at"] >= self.table.at, "time runs backwards")
        need(number > 1 or event["type"] == "GameCreated", "GameCreated comes first")
        self.table.apply(event)
        if number == 1:
            self._hashes = chain(self.table.created["server_seed"], self.table.created["game"], self.events)
        need(event["hash"] == next(self._hashes), "the hash chain is broken")
        need(self.table.pile is None or self.table.count_cards() == ALL_CARDS, "cards were lost or made")

    @property
    def winners(self) -> list[int] | None:
        """The winning seats, None while the game runs."""
        return self.table.winners


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
        "version": table.version,
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
    if table.paused is not None:
        view["paused_since"] = _text(table.paused)
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
    if seat.bank is not None:
        view["bank_seconds"] = seat.bank
    if seat.vacations:
        view["vacations"] = [{"from": _text(since), "until": _text(end)} for since, end in seat.vacations]
    return view


def _allowed(zone: str, **times: str) -> bool:
    """Whether hours have the contract's shape: {"from", "to", "zone"}, an hour at least."""
    if set(times) != {"from", "to"} or zone not in available_timezones():
        return False
    if not all(re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", time) for time in times.values()):
        return False
    begins, ends = (60 * int(time[:2]) + int(time[3:]) for time in (times["from"], times["to"]))
    return (ends - begins) % 1440 >= 60


def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at).astimezone(UTC)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


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


def legal_actions_at(events: Sequence[Event], version: int, seat: int) -> list[Action]:
    """Return every action that `seat` may send at `version`, once each, in no promised order."""
    return replay(events, version).legal_actions(seat)


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

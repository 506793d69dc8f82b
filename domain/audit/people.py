"""The events about people: who plays a seat, what stops its clock, what all agree on.

Of a game's own people they are decided again, from the command that causes each. In a copy those of the parent are
taken on trust as far as other people's log would have to prove them: who was a person, and when a deadline was.
"""

from dataclasses import dataclass, field

from domain.audit.findings import whole_number
from domain.audit.opening import name_fault
from domain.clock.deadline import SILENT_MS, deadline, is_awaited, player_of
from domain.clock.pace import BANK_SECONDS, is_within
from domain.clock.timestamps import milliseconds, timestamp
from domain.commands import Command, GiveConsent, JoinGame, TakeVacation, TimeOut, WithdrawConsent
from domain.events import EVENT_TABLE, FIELDS, Event, TurnStarted
from domain.fairness.canonical import JsonObject
from domain.people.decisions import COMMANDS_OF_A_SEAT
from domain.people.legality import AGREEMENTS, MOST_VACATION_MS
from domain.state import Game


def command_about_people(kind: str, data: JsonObject, game: Game, at: int) -> Command | str | None:
    """The command whose first event is of this type, one of OF_PEOPLE, and has this data.

    `game`: right before it; `at`: when it happened, in ms since 1970. In words what should have been there, where it is
    another event of the type; None where no event of the type may come there.
    Raises one of CANT_HAPPEN.
    """
    match kind:
        case _ if kind in COMMANDS_OF_A_SEAT:
            seat = _person(game, data)
            assert kind != "InvitationAccepted" or is_awaited(game, seat, at)
            return COMMANDS_OF_A_SEAT[kind](seat=seat)
        case "VacationTaken":
            return TakeVacation(seat=_person(game, data), until=milliseconds(data["until"]))
        case "SeatReplaced":
            return name_fault(kind, data) or JoinGame(name=data["name"], salt=data.get("salt"), is_history=True)
        case "ConsentGiven" | "ConsentWithdrawn" if data["to"] in AGREEMENTS:
            consent = GiveConsent if kind == "ConsentGiven" else WithdrawConsent
            about = whole_number(data["about"]) if "about" in data else None
            return consent(seat=_person(game, data), to=data["to"], about=about)
        case "TurnTimedOut":
            return _time_out(game, at)
    return None


def _time_out(game: Game, at: int) -> TimeOut | str | None:
    until = deadline(game)
    may_time_out = not game.timed_out and game.status == "playing" and player_of(game) is None
    if until is None or not may_time_out:
        return None
    return TimeOut(turn=game.turn) if at >= until else f"TurnTimedOut at {timestamp(until)} or later"


def _person(game: Game, data: JsonObject) -> int:
    """The seat that the event is about. AssertionError where it is no person's."""
    seat = whole_number(data["seat"])
    assert game.seats[seat].name is not None
    assert game.seats[seat].bot is None
    return seat


@dataclass(slots=True)
class ParentsPeople:
    """What has happened to the people of a copy's parent, as far as later events about them need it to have happened.

    The parent may be a copy itself, of people who are others again. So nothing that happened to a seat keeps it from
    happening once more: a seat may have resigned in the one game and in the other.
    """

    last: str = ""
    """The type of the last of these events."""
    timed_out: int = 0
    """The last turn that did."""
    abandoned: set[int] = field(default_factory=set)
    consents: set[tuple[int, str, int]] = field(default_factory=set)
    """Seat, what it agrees to, and for a release since when the game waits, in ms since 1970; else 0."""
    paused: bool = False
    vacations: dict[int, int] = field(default_factory=dict)
    """Until when the vacation of a seat lasts, in ms since 1970."""
    awaited: set[int] | None = None
    """The invited seats whose people have not accepted; None: nobody has been invited."""
    banks: dict[int, int] = field(default_factory=dict)
    """Seconds left in the time bank of a seat."""

    def apply(self, kind: str, data: JsonObject, game: Game, at: int) -> None:
        """Take an event that is not within an action's append; `game`: right before it. Raises one of CANT_HAPPEN."""
        more = {"salt"} & data.keys() if kind == "SeatReplaced" else {"about"} if data.get("to") == "release" else set()
        assert data.keys() == set(FIELDS[kind]) | more
        assert game.started or kind in {"SeatsInvited", "InvitationAccepted"}
        assert EVENT_TABLE[kind].begins or at == game.at
        seat = whole_number(data.get("seat", 0))
        assert seat < len(game.seats)
        match kind:
            case "TurnTimedOut" | "SeatAbandoned" | "SeatReclaimed" | "SeatReplaced" | "PlayerResigned":
                self._change_player(kind, data, game, seat)
            case "VacationTaken":
                until = milliseconds(data["until"])
                assert timestamp(until) == data["until"]
                assert 0 < until - at <= MOST_VACATION_MS
                self.vacations[seat] = until
            case "VacationEnded":
                assert self.vacations.pop(seat) > at
            case "SeatsInvited":
                self._invite(data["seats"], game, at)
            case "InvitationAccepted":
                assert game.turn <= 1
                assert self.awaited is not None
                self.awaited.remove(seat)
            case _:
                wait = 0
                if "about" in data:
                    wait = game.waiting_since
                    assert game.status == "playing"
                    assert whole_number(data["about"]) == game.turn_seat != seat
                    assert at - wait >= SILENT_MS
                self._change_agreement(kind, data, seat, wait)
        self.last = kind

    def _invite(self, seats: list[int], game: Game, at: int) -> None:
        assert game.turn <= 1
        assert (self.awaited, self.last, at) == (None, "", game.created)
        assert seats == sorted({whole_number(seat) for seat in seats})
        assert seats[-1] < len(game.seats)
        self.awaited = set(seats)

    def _change_player(self, kind: str, data: JsonObject, game: Game, seat: int) -> None:
        match kind:
            case "TurnTimedOut":
                assert game.status == "playing"
                assert (whole_number(data["turn"]), seat) == (game.turn, game.turn_seat)
                assert self.timed_out < game.turn
                assert seat not in self.abandoned
                self.timed_out = game.turn
            case "SeatAbandoned":
                assert seat == game.turn_seat
                is_late = (self.last, self.timed_out) == ("TurnTimedOut", game.turn)
                is_released = any(consent[1:] == ("release", game.waiting_since) for consent in self.consents)
                assert is_late or (is_released and self.last in {"ConsentGiven", "PlayerResigned"})
                self._leave(seat)
                self.abandoned.add(seat)
            case "SeatReclaimed":
                self.abandoned.remove(seat)
            case "SeatReplaced":
                assert not name_fault(kind, data)
                self.abandoned.remove(seat)
            case "PlayerResigned":
                self._leave(seat)
                self.abandoned.discard(seat)

    def _change_agreement(self, kind: str, data: JsonObject, seat: int, wait: int) -> None:
        match kind:
            case "ConsentGiven":
                assert data["to"] in AGREEMENTS
                self.consents.add((seat, data["to"], wait))
            case "ConsentWithdrawn":
                self.consents.remove((seat, data["to"], wait))
            case "GamePaused":
                agreed = {consent for consent in self.consents if consent[1] == "pause"}
                assert agreed
                self.consents -= agreed
                self.paused = True
            case "GameResumed":
                assert self.paused
                self.paused = False
            case "BankUsed" | "BankRefilled":
                raise AssertionError("time banks change within an append")

    def settle_bank(self, kind: str, data: JsonObject, following: Event, seats: int) -> None:
        """Take what a turn used of its bank, or gave back, right before `following`. Raises one of CANT_HAPPEN."""
        assert data.keys() == set(FIELDS[kind])
        assert isinstance(following, TurnStarted)
        assert following.turn > 1
        seat, seconds, left = data["seat"], data["seconds"], data["left"]
        assert whole_number(seat) == (following.seat - 1) % seats
        assert is_within(seconds, 1, BANK_SECONDS[1])
        assert is_within(left, 0, BANK_SECONDS[1])
        # A bank is full at first, so that a turn uses it before one gives back.
        before = left + seconds if kind == "BankUsed" else left - seconds
        assert self.banks.get(seat, left + seconds) == before
        self.banks[seat] = left

    def _leave(self, seat: int) -> None:
        self.consents = {consent for consent in self.consents if consent[0] != seat}

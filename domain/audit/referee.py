"""The audit's check `rules`: every event must be exactly what `decide` causes.

Rule 1: actions, names, entropy and messages are taken from the log, chance from its GameStarted or PositionSet; all
else is decided again.
Rule 2: whatever a log may hold, nothing is raised; the first event that isn't as it must be is named.
Rule 3: types that are not known here are passed over, but their versions count.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

from domain.audit.chain import Offence
from domain.audit.origin import cut_short, names_parent, wrong_origin
from domain.audit.points import ill_spent
from domain.audit.position import position_in
from domain.audit.redacted import Veil
from domain.audit.totals import CANT_HAPPEN, difference, live_through
from domain.commands import (
    LONGEST_MESSAGE,
    Act,
    Action,
    Append,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    JoinGame,
    LayBusinessmaker,
    PostMessage,
    SeatPlan,
    Take,
)
from domain.decide import Decision, decide_into
from domain.events import ACTIONS, FIELDS, Event, EventRecord, GameStarted, PositionSet, type_of
from domain.position import fill_hidden, hide_unseen
from domain.refusals import Refused
from domain.rules import rules_of
from domain.state import Game

_SEATS: Final = (2, 5)


class _Offended(Exception):
    def __init__(self, version: int, expected: str) -> None:
        super().__init__(expected)
        self.offence = Offence(version, expected)


class Referee:
    """Decides a whole log again. `offence` is what was found first; without one, `game` is the game at its end."""

    def __init__(self, events: Sequence[EventRecord], seed: str | None) -> None:
        """`events`: with type and data; `seed`: 64 hex digits, None where the log is redacted."""
        self._events = events
        self._seed = seed
        self._veil = Veil(list(events)) if seed is None else None
        self.game = Game()
        """As far as it was decided again."""
        self.dealt: tuple[int, GameStarted | PositionSet] | None = None
        """Version of the log's GameStarted, or PositionSet, and what it should have told by seed and entropy."""
        self._no_position: Offence | None = None
        """What is wrong with the log's PositionSet; it is looked at before the events that stand before it."""
        self.offence = self._judge()

    def _judge(self) -> Offence | None:
        index = 0
        try:
            while index < len(self._events):
                index = self._after_append(index)
        except _Offended as offended:
            return offended.offence
        except Refused as refused:
            return Offence(index + 1, f"no such action ({refused.reason})")
        except CANT_HAPPEN:
            return Offence(index + 1, "an event that can happen here")
        if not self._events:
            return Offence(1, "GameCreated")
        self.game.version = index
        if self.game.parent is None:
            return None
        return cut_short(self._events, 1 + len(joined_at_creation(self._events)))

    def _after_append(self, index: int) -> int:
        """Decide the event at `index` again, and all that it causes; returns where the next append begins."""
        if self._events[index]["type"] not in FIELDS:
            return index + 1
        self.game.version = index
        command = self._command(index)
        decision = Decision(self.game, at=self.game.at)  # no copy: after a refusal nobody asks for this game any more
        decide_into(decision, command)
        after = self._compare(decision.events, index)
        if isinstance(command, CreateGame | JoinGame):
            self.game = self._fold(after)
        return after

    def _compare(self, decided: Sequence[Event], index: int) -> int:
        """Hold what was decided against the log from `index` on; returns where the next append begins."""
        events = self._events
        at = events[index].get("at")
        for expected in decided:
            while index < len(events) and events[index]["type"] not in FIELDS:
                index += 1
            if index == len(events):
                raise _Offended(index + 1, type_of(expected))
            if isinstance(expected, GameStarted) and events[index]["type"] == "GameStarted":
                self.dealt = index + 1, expected  # chance: that it follows from the seed is the check `shuffle`
            elif isinstance(expected, PositionSet) and events[index]["type"] == "PositionSet":
                if self._seed is not None:
                    self.dealt = index + 1, self._filled(index, bytes.fromhex(self._seed))
            elif self._no_position and self._no_position.version == index + 1:
                raise _Offended(*self._no_position)
            elif expectation := difference(expected, events[index], redacted=self._veil is not None):
                raise _Offended(index + 1, expectation)
            if events[index].get("at") != at:
                raise _Offended(index + 1, f"the time of the whole append, {at}")
            index += 1
        return index

    def _filled(self, index: int, seed: bytes) -> PositionSet:
        """What the log's PositionSet should tell, by what the asking seat could see."""
        game = self._fold(index)
        entropies = [place.entropy or "" for place in game.seats]
        try:
            return fill_hidden(hide_unseen(self._events[index]["data"]), game.rules, seed, entropies)
        except CANT_HAPPEN:
            raise _Offended(index + 1, "a position of the cards that there are") from None

    def _fold(self, end: int) -> Game:
        """The game as the log's own first events tell it."""
        game = Game()
        for index in range(end):
            try:
                live_through(game, self._events, index, self._veil)
            except CANT_HAPPEN:
                raise _Offended(index + 1, "an event that can happen here") from None
        return game

    def _command(self, index: int) -> Command:
        kind, data = self._events[index]["type"], self._events[index]["data"]
        game = self.game
        if index == 0 and kind == "GameCreated":
            return self._creation(data)
        if kind == "PlayerJoined" and index > 0:
            bot = data["bot"] if game.parent is not None else None
            return JoinGame(name=data["name"], entropy=data["entropy"], bot=bot)
        if kind == "RoundScored" and game.scoring is not None:
            if self._veil:
                self._veil.uncover(game, index)
            return CompleteScoring(round=game.scoring)
        if index > 0 and kind in ACTIONS:
            return Act(seat=_whole(data["seat"]), actions=(self._action(index),))
        if index > 0 and kind == "MessagePosted":
            return PostMessage(seat=_whole(data["seat"]), text=_message(index + 1, data["text"]))
        raise _Offended(index + 1, _due(game))

    def _action(self, index: int) -> Action:
        kind = self._events[index]["type"]
        data = self._veil.uncover(self.game, index) if self._veil else self._events[index]["data"]
        if kind == "CardTaken":
            slot = _whole(data["slot"])
            assert slot < self.game.rules.display_size
            return Take(slot=slot)
        if kind == "PileDrawn":
            return Draw()
        assert isinstance(data["card"], str)
        if kind == "BusinessmakerLaid":
            return LayBusinessmaker(card=data["card"])
        return Append(card=data["card"], row=_whole(data["row"]))

    def _creation(self, data: dict[str, Any]) -> CreateGame:
        fewest, most = _SEATS
        if not (type(data["seats"]) is int and fewest <= data["seats"] <= most):
            raise _Offended(1, f"GameCreated with {fewest} to {most} seats")
        if not (type(data["starting_seat"]) is int and 0 <= data["starting_seat"] < data["seats"]):
            raise _Offended(1, "GameCreated with a starting seat of its own")
        plans = [SeatPlan()] * data["seats"]
        forked = names_parent(self._events)
        joined = joined_at_creation(self._events)
        if forked and (expected := wrong_origin(self._events, 1 + len(joined))):
            raise _Offended(1, expected)
        for one in joined:
            entropy = one["entropy"] if forked or one["bot"] is None else ""
            plans[one["seat"]] = SeatPlan(name=one["name"], bot=one["bot"], entropy=entropy)
        return CreateGame(
            game=data["game"],
            server_seed=bytes.fromhex(self._seed or ""),
            seats=tuple(plans),
            variants=frozenset(name for name, on in data["variants"].items() if on),
            starting_seat=data["starting_seat"],
            listed=data["listed"],
            rules=data["rules"],
            parent=data.get("parent"),
            from_version=data.get("from"),
            position=self._position(1 + len(joined), data) if forked else None,
        )

    def _position(self, index: int, created: dict[str, Any]) -> PositionSet | None:
        """What the log's PositionSet says, where there is one at `index` that can be."""
        if index >= len(self._events) or self._events[index]["type"] != "PositionSet":
            return None
        rules = rules_of(created["rules"], frozenset(name for name, on in created["variants"].items() if on))
        position = None
        try:
            data = self._veil.uncover(Game(rules=rules), index) if self._veil else self._events[index]["data"]
            assert len(data["totals"]) == created["seats"]
            position = position_in(data, rules, created["starting_seat"])
        except CANT_HAPPEN:
            expected = "a position that a game can come to"
        else:
            expected = ill_spent(data, rules, created["starting_seat"])
            if position.parent == created["game"]:
                expected = "PositionSet with another game than itself as its parent"
        self._no_position = Offence(index + 1, expected) if expected else None
        return None if expected else position


def joined_at_creation(events: Sequence[EventRecord]) -> list[dict[str, Any]]:
    """The data of those PlayerJoined that came with the creation: right behind it, at its time, in seat order.

    One that joined later in the very same millisecond may be taken for one of them, never the other way round.
    """
    at = events[0].get("at")
    behind = takewhile(lambda event: event["type"] == "PlayerJoined" and event.get("at") == at, events[1:])
    found: list[dict[str, Any]] = []
    for event in behind:
        seat = event["data"].get("seat")
        if type(seat) is not int or (found and seat <= found[-1]["seat"]):
            break
        found.append(event["data"])
    return found


def _due(game: Game) -> str:
    """What may come next, for a log in which something else does."""
    if not game.version:
        return "GameCreated"
    return {
        "open": "PlayerJoined",
        "playing": f"an action of seat {game.turn_seat}",
        "scoring": f"RoundScored of round {game.scoring}",
        "over": "nothing that changes a game that is over",
    }[game.status]


def _message(version: int, text: object) -> str:
    if isinstance(text, str) and 1 <= len(text) <= LONGEST_MESSAGE:
        return text
    raise _Offended(version, f"MessagePosted with a text of 1 to {LONGEST_MESSAGE} characters")


def _whole(value: object) -> int:
    assert type(value) is int
    assert value >= 0
    return value

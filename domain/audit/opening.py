"""How a log begins: its creation, the seats that came with it, and what a fork's own log shows of its parent."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from domain.audit.chain import Offence
from domain.events import OPTIONAL, EventRecord
from domain.fairness.canonical import LARGEST, JsonObject


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first append of a log holds; read once, whatever is wrong with it."""

    created: JsonObject
    """The data of GameCreated; empty in an empty log."""
    joined: Sequence[JsonObject]
    """The data of each PlayerJoined that came with the creation: right behind it, at its time, in seat order."""
    position: JsonObject | None
    """The data of the PositionSet that follows them; None where another event does."""
    end: int
    """The version of GameEnded; 0 where the game isn't over."""

    @property
    def forked(self) -> bool:
        """Whether GameCreated says anything of a parent."""
        return any(name in self.created for name in OPTIONAL["GameCreated"])

    @property
    def copied(self) -> bool:
        """Whether a fork's cards are those of a finished game, as `Game.open_information` has it."""
        if self.position is None:
            return True
        seen_in = self.position.get("parent")
        # One that can't be is the position's own offence, and says nothing of `from`.
        return isinstance(seen_in, str) and seen_in not in (self.created.get("parent"), self.created.get("game"))


def read_opening(events: Sequence[EventRecord]) -> Opening:
    """The opening of a log, whose first event, if there is one, is GameCreated.

    A seat taken later in the very same millisecond may pass for one of the creation, never the other way round.
    """
    created, *rest = events or [{"data": {}}]
    joined: list[JsonObject] = []
    for event in takewhile(
        lambda event: event["type"] == "PlayerJoined" and event.get("at") == created.get("at"), rest
    ):
        seat = event["data"].get("seat")
        if type(seat) is not int or (joined and seat <= joined[-1]["seat"]):
            break
        joined.append(event["data"])
    after = rest[len(joined) : len(joined) + 1]
    position = next((event["data"] for event in after if event["type"] == "PositionSet"), None)
    return Opening(created["data"], joined, position, first_version("GameEnded", events))


def first_version(kind: str, events: Sequence[EventRecord]) -> int:
    """The version of the first event of this type; 0 where there is none."""
    return next((index + 1 for index, event in enumerate(events) if event["type"] == kind), 0)


def wrong_origin(opening: Opening) -> str:
    """What the GameCreated of a fork should have been; empty where its own log shows nothing wrong.

    A copy of a finished game holds the parent's first `from` events, GameEnded not among them, and what they cause. A
    fork of a running game holds none of them; its parent was in a turn, so it had at least `seats` + 2 events.
    """
    created = opening.created
    parent, version = created.get("parent"), created.get("from")
    if not (isinstance(parent, str) and type(version) is int and version > 0):
        return "GameCreated with parent and from, or neither"
    if parent == created["game"]:
        return "GameCreated with another game than itself as its parent"
    # A parent that began with a position was in a turn at once.
    fewest, most = created["seats"] + 2, LARGEST
    if opening.copied:
        fewest, most = 1, (opening.end or LARGEST + 1) - 1
    if fewest <= version <= most:
        return ""
    return f"GameCreated with from {fewest} {'or more' if most == LARGEST else f'to {most}'}"


def cut_short(opening: Opening, last: int, turn: int) -> Offence | None:
    """The first version that a fork has had since its creation, and that a log up to `last` has not.

    `opening`: of a fork in whose origin nothing is wrong; `turn`: at the log's end, 0 where none has started.
    """
    if not turn:
        return Offence(last + 1, "an event, for a fork has no open seats and begins in a turn; the log is cut")
    version = opening.created["from"]
    if not opening.copied or version <= last:
        return None
    return Offence(last + 1, f"an event, for a copy of {version} has no fewer; the log is cut, or from is wrong")

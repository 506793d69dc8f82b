"""The past of a game as far as this process has read and proved it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from domain.events import EventRecord
from domain.view import Viewer
from service.gamelog.cache import LoadedGame
from service.gamelog.entry import Entry
from service.gamelog.errors import NoSuchVersion
from service.gamelog.history import History
from service.gamelog.past.stretch import Encoder, Stretch

_LONGEST: Final = 512
"""Events from which on a stretch isn't extended: that copies lists of them."""
_WEIGHT_OF_HEAD: Final = 20_000
"""Of the state at the head, and of one at the beginning of a stretch, in bytes; both may be in other caches, too."""


@dataclass(frozen=True, slots=True)
class Past:
    """A game at the version at which it was read last, and stretches that are proved to lead there."""

    head: LoadedGame
    stretches: tuple[Stretch, ...] = ()
    """In order; they don't overlap."""

    @classmethod
    def of(cls, history: History, known: "Past | None", form: Encoder | None = None) -> Self:
        """What was just read and proved, with what was known before, if the game has not changed meanwhile.

        `form`: as Stretch.of has it.
        """
        head = history.head
        if not history.entries:
            return cls(head)
        new = Stretch.of(history.start, history.entries, history.events, head.chain_key, form)
        others: Sequence[Stretch] = ()
        if known is not None and (known.head.game.version, known.head.hash) == (head.game.version, head.hash):
            others = [part for part in known.stretches if part.end <= new.begin or part.begin >= new.end]
        return cls(head, tuple(sorted([*others, new], key=_begin_of)))

    @property
    def weight(self) -> int:
        """The most memory that it ever takes, in bytes."""
        return _WEIGHT_OF_HEAD + sum(_WEIGHT_OF_HEAD + part.weight for part in self.stretches)

    def follow(self, entries: Sequence[Entry], events: Sequence[EventRecord], head: LoadedGame) -> "Past":
        """The past when the game has gone on to `head` with these entries, whose events are proved."""
        last = self.stretches[-1] if self.stretches else None
        if last is None or last.end != self.head.game.version or last.end - last.begin >= _LONGEST:
            new = Stretch.of(self.head, entries, events, head.chain_key)
            return Past(head, (*self.stretches, new))
        return Past(head, (*self.stretches[:-1], last.extend(entries, events)))

    def covers(self, after: int, until: int | None) -> bool:
        """Whether it holds the events after version `after` up to `until`, or to the head."""
        end = self._last(until)
        for part in self.stretches:
            if part.begin <= after <= part.end:
                after = part.end
        return after >= end

    def state_at(self, version: int) -> LoadedGame:
        """The game at a version that it covers. Raises NoSuchVersion and CorruptLog."""
        if version == self.head.game.version:
            return self.head
        for part in self.stretches:
            if part.begin <= version <= part.end:
                return part.state_at(version)
        raise NoSuchVersion(version)

    def lines(self, encode: Encoder, viewer: Viewer, after: int, until: int | None) -> list[bytes]:
        """The events after version `after` up to `until`, which it covers, encoded, as `viewer` may see them now."""
        end = self._last(until)
        found: list[bytes] = []
        for part in self.stretches:
            if part.begin < end and after < part.end:
                found += part.lines(encode, viewer, self.head, max(after, part.begin), min(end, part.end))
        return found

    def _last(self, until: int | None) -> int:
        version = self.head.game.version
        return version if until is None else min(until, version)


def _begin_of(part: Stretch) -> int:
    return part.begin

"""A notice that waits: what is kept of it, what it is called in the store, and what may become of it once claimed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from domain.clock.timestamps import timestamp
from service.connections.scripts import Script
from service.gamelog.store.streams import Store
from service.post.channel_table import CHANNELS
from service.post.notices import ANSWER, BANK, CONSENT, DEVICE, ENDED, MESSAGE, OF_A_TURN, RECEIVER, TOKEN, Notice

_SEAL, _SETTLE = (Script.load(f"outbox_{name}.lua", room="service.post") for name in ("seal", "settle"))
FIRST: Final = "sending"
"""The lane of first attempts to receivers that haven't failed lately."""
AGAIN: Final = "retries"
"""The lane of all other attempts."""
_DELIVERIES: Final = 50
"""Attempts that are shown to a seat."""
_DEAD_LETTERS: Final = 1000
"""Of a shard: the newest stay."""
_VERBS: Final = {"delivered": "done", "retry": "retry", "refused": "drop", "dead": "dead"}
"""Of outbox_settle.lua, by the status in the deliveries. Who refuses has unsubscribed, or is gone."""
_KEPT: Final = ("target", "detail", "until", "generation", "doer")
"""What a record has of its notice, beside what its name in the store says."""
SHOWN: Final = "shown"
"""In a line of the deliveries, for us alone."""
_SHARED: Final = "all"
"""In names, in the place of the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A notice that no other process sends before a lease ends, and the verbs that say what becomes of it.

    Each is one round trip, and writes nothing where another claim counts by then: but a delivery can't be undone. Of
    those with `over` that is the version of the game if it is over, else 0; `began`: when an attempt was made. All
    times are in ms since 1970.
    """

    notice: Notice
    created: int
    """When the notice was added."""
    attempts: int = 0
    """Those that have failed."""
    first: int = 0
    """When the first attempt was made; 0: none was."""
    is_shown: bool = False
    """Whether it is shown as delivered already."""
    member: str
    lease_ends: int
    store: Store = field(repr=False)
    seats: tuple[int, ...] = ()
    """Whose deliveries show it; none: those of the notice's seat."""
    shown: int = 0
    """The version of the game that an attempt tells of."""

    @classmethod
    def read(cls, store: Store, member: str, lease_ends: int, text: bytes | None) -> "Claim":
        """From the name and the record in the store; None: it is gone. Raises ValueError or TypeError."""
        record: dict[str, Any] = json.loads(text) if text else {"created": 0}
        game, _, seat, channel, kind, version, last = member.split("|")
        if channel not in CHANNELS:
            raise ValueError("this is no channel")
        notice = Notice(
            game=game,
            seat=-1 if seat == _SHARED else int(seat),
            type=kind,
            version=int(version),
            channel=channel,
            place=last.partition("@")[2],
            is_shared=seat == _SHARED,
            **{name: record.pop(name) for name in _KEPT if name in record},
        )
        return cls(notice=notice, member=member, lease_ends=lease_ends, store=store, **record)

    def settle(self, status: str, began: int, error: str | None = None, at: int | None = None, over: int = 0) -> None:
        """The attempt has this status, one of _VERBS; after a `retry` the next one is made at `at`."""
        record = self._dump(attempts=self.attempts + 1, first=self.first or began)
        self._settle(_VERBS[status], self._line(began, status, error), record=record, at=at, over=over)

    def drop(self, *, over: int = 0) -> None:
        """It isn't due any more. A turn's notice may be added again: its player may come back, or subscribe again."""
        self._settle("drop", over=over)

    def postpone(self, at: int) -> None:
        """Look at it again at `at`; no attempt was made."""
        self._settle("postpone", at=at)

    def put_off(self, began: int, at: int) -> None:
        """Postpone it, shown as delivered once and for all: its seat must not learn that others wait for the same."""
        self._settle("retry", self._line(began, "delivered"), record=self._dump(is_shown=True), at=at)

    def set_aside(self, at: int) -> None:
        """Send it with the retries, from `at` on: its receiver has failed lately."""
        self._settle("aside", at=at)

    def seal(self, version: int, now: int) -> "Claim | None":
        """Fix what a notice that gathers tells: all that has come until now, in each attempt from now on.

        Of others nothing is left to fix: no round trip. None where it can't be sent now, and has been postponed:
        something has happened after `version`, at which the game was loaded; or the mail before it still fails.
        """
        gathering = _gathering(self.notice)
        if self.notice.until or not gathering:
            return self
        keys = keys_of(self.store, self.notice)
        words: list[Any] = [self.member, field_of(self.member), self.lease_ends, gathering, _marker(self.notice)]
        words += [version, now, CHANNELS[self.notice.channel].pause_ms, self.notice.version]
        (until,) = self.store.run(_SEAL, keys[:3], *words)
        return replace(self, notice=replace(self.notice, until=until)) if until else None

    def waits_for(self, kind: str, versions: Sequence[int]) -> bool:
        """Whether a notice of that type and one of those versions to the same receiver hasn't been settled yet."""
        names = (_name(replace(self.notice, type=kind, version=version)) for version in versions)
        return any(self.store.call_each(*(("HEXISTS", self.store.outbox(self.notice.game), name) for name in names)))

    def find_shown(self, kind: str) -> int:
        """The newest version that a delivered notice of that type has shown to the seat in this channel; 0: none."""
        (lines,) = self.store.call_each(("LRANGE", self.store.deliveries(self.notice.game, self.notice.seat), 0, -1))
        wanted = {"channel": self.notice.channel, "type": kind, "status": "delivered"}.items()
        return max((line.get(SHOWN, 0) for line in map(json.loads, lines) if wanted <= line.items()), default=0)

    def _dump(self, **changes: int) -> str:
        progress = {name: getattr(self, name) for name in ("created", "attempts", "first", "is_shown")}
        return _dump_record(self.notice, **progress | changes)

    def _line(self, began: int, status: str, error: str | None = None) -> dict[str, Any]:
        """A line of the deliveries, in the contract's shape."""
        return {
            "at": timestamp(began),
            "channel": self.notice.channel,
            "type": self.notice.type,
            "version": self.notice.version,
            "attempt": self.attempts + 1,
            "status": status,
            "error": error,
            SHOWN: self.shown,
        }

    def _settle(
        self,
        verb: str,
        line: Mapping[str, Any] | None = None,
        *,
        record: str = "",
        at: int | None = None,
        over: int = 0,
    ) -> None:
        notice = self.notice
        text = "" if line is None or self.is_shown else json.dumps(line, separators=(",", ":"))
        unmarked = _marker(notice) if verb == "drop" and notice.type in OF_A_TURN else ""
        words = [verb, self.member, field_of(self.member), self.lease_ends, notice.target]
        words += [record, "" if at is None else at, text, unmarked]
        words += [notice.version, over, _DELIVERIES, _DEAD_LETTERS]
        shown = self.seats or (notice.seat,)
        keys = keys_of(self.store, replace(notice, seat=shown[0]))
        keys += tuple(self.store.deliveries(notice.game, seat) for seat in shown[1:])
        self.store.run(_SETTLE, keys, *words)


def _dump_record(notice: Notice, **progress: int) -> str:
    kept = {name: getattr(notice, name) for name in _KEPT}
    return json.dumps(kept | progress, ensure_ascii=False, separators=(",", ":"))


def game_of(member: str) -> str:
    return member.partition("|")[0]


def field_of(member: str) -> str:
    return member.partition("|")[2]


def member_of(notice: Notice) -> str:
    """What the lanes call it."""
    return f"{notice.game}|{_name(notice)}"


def _name(notice: Notice) -> str:
    place = f"@{notice.place}" * bool(notice.place)
    return f"r|{_owner(notice)}|{notice.channel}|{notice.type}|{notice.version}|{notice.digest}{place}"


def _owner(notice: Notice) -> str:
    return _SHARED if notice.is_shared else str(notice.seat)


def _marker(notice: Notice) -> str:
    """The marker's name; empty for an answer and what is told of a webhook: there may be many; and for a new token.

    The game may have been archived long ago, and must leave nothing behind.
    """
    if notice.type in {ANSWER, RECEIVER, DEVICE, ENDED, TOKEN}:
        return ""
    kind = notice.type + f"|{notice.detail}" * (notice.detail in {BANK, CONSENT})
    return f"m|{_owner(notice)}|{notice.channel}|{kind}" + f"|{notice.place}" * bool(notice.place)


def _gathering(notice: Notice) -> str:
    """The name of what is known of the seat's messages by this channel, or mails about consents; empty for all else."""
    channel = CHANNELS[notice.channel]
    if notice.type != MESSAGE and not (notice.detail == CONSENT and channel.gathers_consents):
        return ""
    name = f"g|{_owner(notice)}|{notice.type}" + f"|{notice.channel}" * (not channel.is_unnamed)
    return name + f"|{notice.place}" * bool(notice.place)


def words_of(notice: Notice, now: int) -> list[Any]:
    """What outbox_add.lua gets of a notice."""
    receiver = notice.target or notice.digest
    channel = CHANNELS[notice.channel]
    pauses = _gathering(notice), channel.pause_ms, channel.burst_ms
    return [_name(notice), _marker(notice), notice.version, receiver, _dump_record(notice, created=now), *pauses]


def keys_of(store: Store, notice: Notice) -> tuple[str, ...]:
    """The game's outbox, the shard's two lanes, the seat's deliveries, the shard's dead letters."""
    first, again, dead = store.lanes(notice.game)
    return store.outbox(notice.game), first, again, store.deliveries(notice.game, notice.seat), dead

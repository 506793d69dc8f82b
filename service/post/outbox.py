"""The outbox: notices that wait to be sent, and what has become of them.

Rule 1: a notice is added at most once for each (game, version, seat, channel, type), whatever adds it.
Rule 2: a notice stays until a claim of it is settled. A process that crashes leaves a lease that ends.
Rule 3: everything of a game lies in its shard, and each step is one script: nothing is half done.
Rule 4: a notice that is tried again has the same id, and tells the same.
Rule 5: messages are gathered for mails: a seat has one mail about messages in GATHER_MS, with all that have come by
then, and while one of them fails, the next waits.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store
from service.post.notices import ANSWER, OF_A_TURN, TOKEN, Notice

_ADD, _CLAIM, _SEAL, _SETTLE, _REVIVE, _FORGET = (
    Script.load(f"outbox_{name}.lua", room="service.post")
    for name in ("add", "claim", "seal", "settle", "revive", "forget")
)
FIRST: Final = "sending"
"""The lane of first attempts to receivers that haven't failed lately."""
AGAIN: Final = "retries"
"""The lane of all other attempts."""
LEASE_MS: Final = {"webhook": 20_000, "email": 45_000}
"""By channel: longer than an attempt takes, 10 s and 30 s."""
GATHER_MS: Final = 300_000
"""Between two mails about messages to one seat."""
_DELIVERIES: Final = 50
"""Attempts that are shown to a seat."""
_DEAD_LETTERS: Final = 1000
"""Of a shard: the newest stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is kept of a notice while it waits."""

    created: int
    """In ms since 1970, like `first`."""
    attempts: int = 0
    """Those that have failed."""
    first: int = 0
    """When the first attempt was made; 0: none was."""
    target: str = field(default="", repr=False)
    detail: str = field(default="", repr=False)
    until: int = 0
    """As a Notice has it."""

    def dump(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that no other process sends before `until`, in ms since 1970."""

    member: str
    until: int

    @property
    def game(self) -> str:
        """The game's id."""
        return self.member.partition("|")[0]

    @property
    def field(self) -> str:
        """The record's name in the game's outbox."""
        return self.member.partition("|")[2]

    def notice(self, record: Record) -> Notice:
        """The notice."""
        game, _, seat, channel, kind, version, _ = self.member.split("|")
        return Notice(
            game=game,
            seat=int(seat),
            type=kind,
            version=int(version),
            channel=channel,
            detail=record.detail,
            target=record.target,
            until=record.until,
        )


def notice_id(notice: Notice) -> str:
    """The same in each attempt, and no other notice's."""
    return ".".join([notice.game, str(notice.version), str(notice.seat), notice.type, *_digest(notice)])


def _digest(notice: Notice) -> list[str]:
    return [sha256(notice.detail.encode()).hexdigest()[:16]] if notice.detail else []


def _name(notice: Notice) -> str:
    """The record's name."""
    digest = "".join(_digest(notice))
    return f"r|{notice.seat}|{notice.channel}|{notice.type}|{notice.version}|{digest}"


def _marker(notice: Notice) -> str:
    """The marker's name; empty for an answer: there may be many at one version; and for a link to a new token.

    That may be asked for when the game has long been archived, and must leave nothing behind.
    """
    return "" if notice.type in {ANSWER, TOKEN} else f"m|{notice.seat}|{notice.channel}|{notice.type}"


def _gathering(notice: Notice) -> str:
    """The name of what is known of the seat's mails about messages; empty for all other notices."""
    return f"g|{notice.seat}|{notice.type}" if notice.gathers else ""


class Outbox:
    """The notices of all games. Safe for threads. Methods raise StoreUnavailable."""

    def __init__(self, store: Store, clock: Callable[[], int]) -> None:
        """`clock`: milliseconds since 1970."""
        self._store = store
        self._clock = clock

    def add(self, notices: Sequence[Notice], read: Mapping[str, int] | None = None) -> int:
        """Add those that are new; returns their number. One round trip.

        `read`: by game, the version up to which the feed has been read.
        """
        by_game: defaultdict[str, list[Notice]] = defaultdict(list, {game: [] for game in read or {}})
        for notice in notices:
            by_game[notice.game].append(notice)
        now, store = self._clock(), self._store
        calls = []
        for game, own in by_game.items():
            words: list[Any] = [now, (read or {}).get(game, "")]
            for notice in own:
                receiver = notice.target or "".join(_digest(notice))
                record = Record(created=now, target=notice.target, detail=notice.detail)
                words += [_name(notice), _marker(notice), notice.version, receiver, record.dump(), _gathering(notice)]
            calls.append((_ADD, (store.outbox(game), f"{store.tag(game)}:{FIRST}"), words))
        return sum(added for (added,) in self._run(calls))

    def claim(self, lane: str, limit: int) -> list[Claim]:
        """Claim notices of a lane that are due, at most `limit`, the shard first in which one has waited longest.

        One round trip where none is due, else two.
        """
        now = self._clock()
        keys = self._store.shard_keys(lane)

        def look() -> list[Any]:
            pipeline = self._store.client.pipeline(transaction=False)
            for key in keys:
                pipeline.zrangebyscore(key, "-inf", now, start=0, num=1, withscores=True)
            return list(pipeline.execute())

        firsts = self._store.with_retries(look) if limit > 0 else []
        due = sorted((first[0][1], key) for key, first in zip(keys, firsts, strict=False) if first)
        if not due:
            return []
        each = max(1, limit // len(due))
        words = [now, now + LEASE_MS["webhook"], now + LEASE_MS["email"], each]
        found = self._run([(_CLAIM, (key,), words) for _, key in due[:limit]])
        return [
            Claim(member.decode(), int(until))
            for claimed in found
            for member, until in zip(claimed[::2], claimed[1::2], strict=True)
        ]

    def read(self, claim: Claim) -> Record | None:
        """What is kept of a claimed notice; None where it has been settled or forgotten."""
        key = self._store.outbox(claim.game)
        text = self._store.with_retries(lambda: self._store.client.hget(key, claim.field), key)
        return Record(**json.loads(text)) if text else None

    def read_until(self, game: str) -> int | None:
        """The version up to which the feed was read when the game's last notice was added; None: there was none."""
        key = self._store.outbox(game)
        found = self._store.with_retries(lambda: self._store.client.hget(key, "read"), key)
        return None if found is None else int(found)

    def seal(self, claim: Claim, record: Record, version: int) -> Record | None:
        """Fix what a notice that gathers tells: all that has come until now, in each attempt from now on.

        None where it can't be sent now, and has been postponed: something has come behind `version`, that of the game
        as it was loaded; or the mail before it still fails.
        """
        notice, store = claim.notice(record), self._store
        keys = store.outbox(notice.game), *(f"{store.tag(notice.game)}:{lane}" for lane in (FIRST, AGAIN))
        words = [claim.member, claim.field, claim.until, _gathering(notice), _marker(notice), version, self._clock()]
        ((until,),) = self._run([(_SEAL, keys, [*words, GATHER_MS])])
        return replace(record, until=until) if until else None

    def settle_delivered(self, claim: Claim, record: Record, line: Mapping[str, Any], *, over: int) -> None:
        """The receiver has it. `over`, here as below: the version of the game if it is over, else 0."""
        self._settle("done", claim, record, line=line, over=over)

    def settle_dead(self, claim: Claim, record: Record, line: Mapping[str, Any], *, over: int) -> None:
        """It couldn't be delivered, and is kept among the dead letters."""
        self._settle("dead", claim, record, line=line, over=over)

    def drop(self, claim: Claim, record: Record, line: Mapping[str, Any] | None = None, *, over: int = 0) -> None:
        """It isn't due any more. A turn's may be added again: its player may come back, or subscribe again."""
        self._settle("drop", claim, record, line=line, over=over)

    def retry(self, claim: Claim, record: Record, at: int, line: Mapping[str, Any]) -> None:
        """Try it again at `at`, in ms since 1970; `record`: with the attempt that has failed."""
        self._settle("retry", claim, record, at=at, line=line)

    def postpone(self, claim: Claim, record: Record, at: int) -> None:
        """Look at it again at `at`; no attempt was made."""
        self._settle("postpone", claim, record, at=at)

    def set_aside(self, claim: Claim, record: Record) -> None:
        """Send it with the retries: its receiver has failed lately."""
        self._settle("aside", claim, record, at=self._clock())

    def _settle(  # noqa: PLR0913 - what the verbs need, by keyword
        self,
        verb: str,
        claim: Claim,
        record: Record,
        *,
        at: int | None = None,
        line: Mapping[str, Any] | None = None,
        over: int = 0,
    ) -> None:
        notice, store = claim.notice(record), self._store
        tag = store.tag(notice.game)
        keys = (
            store.outbox(notice.game),
            f"{tag}:{FIRST}",
            f"{tag}:{AGAIN}",
            store.deliveries(notice.game, notice.seat),
            f"{tag}:dead",
        )
        text = "" if line is None else json.dumps(line, separators=(",", ":"))
        unmarked = _marker(notice) if verb == "drop" and notice.type in OF_A_TURN else ""
        words = [verb, claim.member, claim.field, claim.until, record.target, record.dump(), "" if at is None else at]
        words += [text, unmarked, notice.version, over, _DELIVERIES, _DEAD_LETTERS]
        self._run([(_SETTLE, keys, words)])

    def list_deliveries(self, game: str, seat: int) -> list[dict[str, Any]]:
        """The last attempts to tell the seat something, newest first, in the contract's shape."""
        key = self._store.deliveries(game, seat)
        return [json.loads(line) for line in self._list(key)]

    def forget(self, game: str, seat: int) -> None:
        """Delete the seat's record of sent notices and the notices that wait for it."""
        store, tag = self._store, self._store.tag(game)
        keys = store.outbox(game), f"{tag}:{FIRST}", f"{tag}:{AGAIN}", store.deliveries(game, seat)
        self._run([(_FORGET, keys, [game, seat])])

    def resend(self, game: str | None = None) -> int:
        """Send dead letters again, of one game or all; returns their number. Those not due any more are dropped."""
        calls = []
        for key in self._store.shard_keys("dead") if game is None else [f"{self._store.tag(game)}:dead"]:
            for letter in self._list(key):
                member, text = json.loads(letter)
                claim = Claim(member, 0)
                if game in {None, claim.game}:
                    record = replace(Record(**json.loads(text)), attempts=0, first=0)
                    keys = self._store.outbox(claim.game), f"{self._store.tag(claim.game)}:{FIRST}", key
                    calls.append((_REVIVE, keys, [self._clock(), letter, member, claim.field, record.dump()]))
        return sum(done for (done,) in self._run(calls))

    def _list(self, key: str) -> list[bytes]:
        return list(self._store.with_retries(lambda: self._store.client.lrange(key, 0, -1)))

    def _run(self, calls: Sequence[tuple[Script, Sequence[str], Sequence[Any]]]) -> list[Any]:
        """The replies of scripts, which may run twice: one round trip."""

        def run() -> list[Any]:
            pipeline = self._store.client.pipeline(transaction=False)
            for script, keys, words in calls:
                pipeline.execute_command("EVAL", script.text, len(keys), *keys, *words)  # a cluster's has no EVALSHA
            return list(pipeline.execute())

        return self._store.with_retries(run) if calls else []

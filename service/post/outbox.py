"""The outbox: notices that wait to be sent, and what has become of them.

Rule 1: a notice is added at most once for each (game, version, seat, channel, type), whatever adds it.
Rule 2: a notice stays until a claim of it is settled. A process that crashes leaves a lease that ends.
Rule 3: everything of a game lies in its shard, and each step is one script: nothing is half done.
Rule 4: a notice that is tried again has the same id, and tells the same.
Rule 5: messages are gathered: a seat has one notice of them in a channel's pause, with all that have come by
then, and while one of them fails, the next waits.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog

from service.connections.scripts import Script
from service.gamelog.cache import check_token
from service.gamelog.store.commit import Expect
from service.gamelog.store.leases import Claimed, claim, find_due
from service.gamelog.store.replies import parse_header
from service.gamelog.store.streams import Store
from service.post.channel_table import CHANNELS
from service.post.claim import AGAIN, FIRST, SHOWN, Claim, field_of, game_of, member_of, words_of
from service.post.notices import Notice
from service.signing.tokens import SeatToken

_ADD, _LET_GO, _REVIVE = (Script.load(f"outbox_{it}.lua", room="service.post") for it in ("add", "let_go", "revive"))

logger = structlog.get_logger("service.post.outbox")


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
        for game, new in by_game.items():
            words = [word for notice in new for word in words_of(notice, now)]
            keys = store.outbox(game), f"{store.tag(game)}:{FIRST}"
            calls.append((_ADD, keys, now, (read or {}).get(game, ""), *words))
        return sum(added for (added,) in store.call_each(*calls))

    def claim(self, lane: str, limit: int) -> list[Claim]:
        """Claim notices of a lane that are due, at most `limit`, the shard first in which one has waited longest.

        One round trip where none is due, else three.
        """
        now, store = self._clock(), self._store
        due = find_due(store, store.shard_keys(lane), now) if limit > 0 else []
        if not due:
            return []
        most = dict.fromkeys(due[:limit], max(1, limit // len(due)))
        leases = {name: channel.lease_ms for name, channel in CHANNELS.items()}
        return self._open(claim(store, most, now, max(leases.values()), leases))

    def _open(self, claimed: Sequence[Claimed]) -> list[Claim]:
        """Their claims. What was settled or forgotten goes."""
        members = [each.member.decode() for each in claimed]
        places = [(self._store.outbox(game_of(member)), field_of(member)) for member in members]
        texts = self._store.call_each(*(("HGET", *place) for place in places))
        claims = []
        for member, (_, _, ends), text in zip(members, claimed, texts, strict=True):
            try:
                opened = Claim.read(self._store, member, ends, text)
            except (ValueError, TypeError):  # of a later version: the others are sent
                logger.error("a notice can't be read", game=game_of(member))
                continue
            if text:
                claims.append(opened)
            else:
                opened.drop()
        return claims

    def find_waits(self, notices: Sequence[Notice]) -> list[int]:
        """When each is tried next, in ms since 1970; 0: it was sent; -1: it was given up. One round trip."""
        calls: list[tuple[Any, ...]] = []
        for notice in notices:
            calls += [("ZSCORE", lane, member_of(notice)) for lane in self._store.lanes(notice.game)[:2]]
            calls.append(("LINDEX", self._store.deliveries(notice.game, notice.seat), 0))
        replies = iter(self._store.call_each(*calls))
        tried = zip(replies, replies, replies, strict=True)
        return [int(first or again or -(b'"status":"dead"' in (last or b""))) for first, again, last in tried]

    def read_until(self, game: str) -> int | None:
        """The version up to which the feed was read when the game's last notice was added; None: there was none."""
        (version,) = self._store.call_each(("HGET", self._store.outbox(game), "read"))
        return None if version is None else int(version)

    def list_deliveries(self, game: str, seat: int, token: SeatToken | None = None) -> list[dict[str, Any]]:
        """The last attempts to tell the seat something, newest first, in the contract's shape. Raises TokenVoid."""
        store = self._store
        attempts = "LRANGE", store.deliveries(game, seat), 0, -1
        lines, fields = store.read_together(attempts, ("HGETALL", store.keys(game).head))
        check_token(parse_header(fields).amendments, token)
        return [{name: value for name, value in json.loads(line).items() if name != SHOWN} for line in lines]

    def forget(self, game: str, seat: int, token: SeatToken | None = None) -> None:
        """Delete the seat's record of sent notices and the notices that wait for it, unless the token is revoked."""
        store = self._store
        writes = [("forget", store.outbox(game), seat), ("DEL", store.deliveries(game, seat))]
        store.commit(game, Expect(token=token), writes, safely=False)

    def let_go(self, channel: str = "", game: str | None = None) -> int:
        """Send at once what waits for its next attempt, of a channel, of a game, or all; returns the number."""
        store, now = self._store, self._clock()
        keys = store.shard_keys(AGAIN) if game is None else [f"{store.tag(game)}:{AGAIN}"]
        words = now, now + max(each.lease_ms for each in CHANNELS.values()), channel, game or ""
        return sum(int(done) for (done,) in store.call_each(*((_LET_GO, [key], *words) for key in keys)))

    def resend(self, game: str | None = None) -> int:
        """Send dead letters again, and what waits at once, of one game or all; their number. What isn't due goes."""
        store, calls = self._store, []
        lists = store.shard_keys("dead") if game is None else [f"{store.tag(game)}:dead"]
        for key, letters in zip(lists, store.call_each(*(("LRANGE", key, 0, -1) for key in lists)), strict=True):
            for letter in letters:
                member, text = json.loads(letter)
                name = game_of(member)
                if game in {None, name}:
                    record = json.dumps(json.loads(text) | {"attempts": 0, "first": 0})
                    keys = store.outbox(name), f"{store.tag(name)}:{FIRST}", key
                    calls.append((_REVIVE, keys, self._clock(), letter, member, field_of(member), record))
        return sum(int(done) for (done,) in store.call_each(*calls)) + self.let_go(game=game)

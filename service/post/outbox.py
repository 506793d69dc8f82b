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
from dataclasses import replace
from typing import Any, Final

import structlog

from service.gamelog.cache import check_token
from service.gamelog.store.scripts import TOKENS, Script
from service.gamelog.store.streams import Store, word_of
from service.post.channel_table import CHANNELS
from service.post.claim import AGAIN, FIRST, Claim, Record, field_of, game_of, run_scripts, words_of
from service.post.notices import EMAIL, TURN, Notice
from service.signing.tokens import SeatToken

_ADD, _CLAIM, _REVIVE = (Script.load(f"outbox_{name}.lua", room="service.post") for name in ("add", "claim", "revive"))
_FORGET: Final = Script.of(TOKENS + Script.load("outbox_forget.lua", room="service.post").text)

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
        for game, own in by_game.items():
            words: list[Any] = [now, (read or {}).get(game, "")]
            for notice in own:
                words += words_of(notice, now)
            calls.append((_ADD, (store.outbox(game), f"{store.tag(game)}:{FIRST}"), words))
        return sum(added for (added,) in run_scripts(self._store, calls))

    def claim(self, lane: str, limit: int) -> list[Claim]:
        """Claim notices of a lane that are due, at most `limit`, the shard first in which one has waited longest.

        One round trip where none is due, else three.
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
        leases = [word for name, channel in CHANNELS.items() for word in (name, now + channel.lease_ms)]
        found = run_scripts(self._store, [(_CLAIM, (key,), [now, each, *leases]) for _, key in due[:limit]])
        return self._open(
            [
                (member.decode(), int(ends))
                for claimed in found
                for member, ends in zip(claimed[::2], claimed[1::2], strict=True)
            ]
        )

    def _open(self, leases: Sequence[tuple[str, int]]) -> list[Claim]:
        """The claims of members, with the end of their leases. What was settled or forgotten goes."""
        members = [member for member, _ in leases]
        texts = self._store.call_each(*(("HGET", self._store.outbox(game_of(one)), field_of(one)) for one in members))
        claims = []
        for (member, ends), text in zip(leases, texts, strict=True):
            try:
                claim = Claim.read(self._store, member, ends, text)
            except (ValueError, TypeError):  # of a later version: the others are sent
                logger.error("a notice can't be read", game=game_of(member))
                continue
            if text:
                claims.append(claim)
            else:
                claim.drop()
        return claims

    def read_until(self, game: str) -> int | None:
        """The version up to which the feed was read when the game's last notice was added; None: there was none."""
        key = self._store.outbox(game)
        found = self._store.with_retries(lambda: self._store.client.hget(key, "read"), key)
        return None if found is None else int(found)

    def list_deliveries(self, game: str, seat: int, token: SeatToken | None = None) -> list[dict[str, Any]]:
        """The last attempts to tell the seat something, newest first, in the contract's shape. Raises TokenVoid."""
        store = self._store
        attempts = "LRANGE", store.deliveries(game, seat), 0, -1
        lines, tokens = store.read_together(attempts, ("HGET", store.keys(game).head, "tokens"))
        check_token(tokens or b"", token)
        return [{name: value for name, value in json.loads(line).items() if name != "shown"} for line in lines]

    def find_turn_mail(self, game: str, seat: int) -> int | None:
        """The version whose table the newest turn mail to the seat shows; None where none is known."""
        for line in map(json.loads, self._store.call_each(("LRANGE", self._store.deliveries(game, seat), 0, -1))[0]):
            if (line["type"], line["channel"], line["status"]) == (TURN, EMAIL, "delivered"):
                return int(line.get("shown") or line["version"])
        return None

    def forget(self, game: str, seat: int, token: SeatToken | None = None) -> None:
        """Delete the seat's record of sent notices and the notices that wait for it, unless the token is void."""
        store, tag = self._store, self._store.tag(game)
        keys = store.outbox(game), f"{tag}:{FIRST}", f"{tag}:{AGAIN}", store.deliveries(game, seat)
        run_scripts(store, [(_FORGET, (*keys, store.keys(game).head), [game, seat, word_of(token)])])

    def resend(self, game: str | None = None) -> int:
        """Send dead letters again, of one game or all; returns their number. Those not due any more are dropped."""
        store, calls = self._store, []
        lists = store.shard_keys("dead") if game is None else [f"{store.tag(game)}:dead"]
        for key, letters in zip(lists, store.call_each(*(("LRANGE", key, 0, -1) for key in lists)), strict=True):
            for letter in letters:
                member, text = json.loads(letter)
                name = game_of(member)
                if game in {None, name}:
                    record = replace(Record(**json.loads(text)), attempts=0, first=0)
                    keys = store.outbox(name), f"{store.tag(name)}:{FIRST}", key
                    calls.append((_REVIVE, keys, [self._clock(), letter, member, field_of(member), record.dump()]))
        return sum(done for (done,) in run_scripts(store, calls))

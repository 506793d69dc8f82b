"""The game streams in Redis or Valkey, and their only writer.

Rule 1: one script writes, or refuses (`commit.py`): what is expected and what is written are one atomic step.
Rule 2: a script is sent again after a lost connection only if it may run twice. An append may: its entry carries a
random request id, by which a resend finds that the first send had arrived.
Rule 3: redis-py itself never retries (its default applied writes twice).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple

from service.connections.raw import Command
from service.connections.scripts import Script, call_each
from service.gamelog.store.commit import Expect, StoreWriter
from service.gamelog.store.errors import CorruptLog, StaleVersion, TokenVoid
from service.gamelog.store.form.archive import ArchivePlace
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.form.listing import Listing
from service.gamelog.store.form.places import ArchiveFiles
from service.gamelog.store.keys import MOST_SEATS, DueList, GameKeys
from service.gamelog.store.replies import ReadReply
from service.signing.tokens import SeatToken

_WRITE: Final = Script.of("redis.call('SET', KEYS[1], 1, 'PX', 1000) return {}")
_MOST_WORDS: Final = 4000
"""Of entries in one command, four of each: half of what Lua hands over to a function."""
_REMEMBERED_S: Final = 86_400
"""Seconds for which a deleted game without keys is: no process that remembers it reports a loss."""


class AppendRequest(NamedTuple):
    """New entries of a game, with everything that is written in the same atomic step."""

    game: str
    entries: Sequence[Entry]
    """One, of an accepted request; all of them, of a game that is imported."""
    head_hash: bytes
    """Of the last event, 32 bytes."""
    types: Sequence[str]
    """Of the last entry's events, for the feed."""
    previous: bytes = b""
    """Hash of the event before the first one, 32 bytes; empty for a new game."""
    due: tuple[DueList, int | None] | None = ("due", None)
    """The due list in which the game waits for a worker, and when one must look at it, in milliseconds since 1970, or
    None, if no worker has to. None: its place in these lists stays as it is."""
    look_at: int | None = None
    """When the archiver must look at the game, in milliseconds since 1970; None: as before."""
    key: bytes = b""
    """Digest of the request's idempotency key; empty where it has none."""
    record: bytes = b""
    """What is kept with that key."""
    keys_expire_s: int | None = None
    """Seconds after which all idempotency keys of the game expire; None: as before."""
    voids: tuple[int, int] | None = None
    """The seat whose token is revoked, and the generation of the new one."""
    generations: Mapping[int, int] = MappingProxyType({})
    """Of a new game's tokens, where no seat's first one may be valid."""
    orders: tuple[int, bytes, bytes] | None = None
    """A seat, its standing orders as they must be stored, and as they are then; None: this is no step of orders."""
    erasures: int = 0
    """How often words were erased from the log that was decided on."""
    token: SeatToken | None = None
    """That which asks; None where none does."""
    listing: Listing | None = None
    """How the lists of games show the game; None: it is not listed."""

    @property
    def expected_version(self) -> int:
        return self.entries[0].version - self.entries[0].count


class Erasure(NamedTuple):
    """A game's log without a person's words, and where it was when it was read."""

    game: str
    version: int
    last_hash: bytes
    erasures: int
    """How often words were erased before."""
    entries: Sequence[Entry]
    """Empty: no words are left in the log, which stays as it is."""
    token: SeatToken | None
    """The seat's valid one, which is revoked; None in a copy."""
    listing: Listing | None
    at: int
    """In ms since 1970."""
    is_archived: bool
    """The archiver looks at such a game again at once."""


class Store(StoreWriter):
    """The streams, headers, archives, idempotency keys, feeds and due lists of all games."""

    def append(self, new: AppendRequest) -> ReadReply | None:
        """Append the entries if the game is at the version before them; None when that is done, else what is there.

        Done is what enough replicas have on disk, too. Raises StoreUnavailable; the entries may be stored then all the
        same. Raises TokenVoid; StaleVersion for a step of orders that are stored no longer; and CorruptLog where the
        stream doesn't end with the entry that the header names.
        """
        version = new.expected_version
        refused = self.commit(new.game, self._expected(new), self._append_writes(new), after=version)
        if refused is None:
            return None
        word, _, reading = refused
        if word == "damaged":
            raise CorruptLog(f"the stream of game {new.game} doesn't end where its header says")
        if reading.place and reading.place.version > version:  # a script can't read what is in an archive
            reading = self.read(new.game, version, new.key)
        if _is_in(new, reading):  # appended by this call: the first answer was lost
            return self._confirm_append(new)
        if word == "void" and reading.hash:
            raise TokenVoid(new.game)
        if word == "changed":
            raise StaleVersion(version)
        return reading

    def _expected(self, new: AppendRequest) -> Expect:
        """What an append depends on. A new game replaces nothing, not even a stream without a header."""
        keys = self.keys(new.game)
        # The seat's orders may have been dropped, replaced, or deleted with its person's other things since.
        orders = [(self.orders(new.game), *new.orders[:2])] if new.orders else ()
        if version := new.expected_version:
            return Expect(
                token=new.token,
                unused=new.key,
                fields=orders,
                version=version,
                hash=new.previous,
                erasures=new.erasures,
            )
        # A key opens one game: one that was deleted has left a mark.
        return Expect(unused=new.key, absent=(keys.stream, keys.head, *([keys.idempotency] if new.key else ())))

    def _append_writes(self, new: AppendRequest) -> list[Command]:
        game, keys = new.game, self.keys(new.game)
        *earlier, last = new.entries
        writes = _entry_writes(keys.stream, earlier)
        writes.append(extend_game(keys, game, last, new.head_hash, new.types))
        if not new.expected_version:
            # It may have the mark of a game that was deleted, and is imported again.
            writes.append(("PERSIST", keys.idempotency))
            writes += [_token_write(keys.head, *generation) for generation in new.generations.items()]
        if new.key:
            writes.append(("HSET", keys.idempotency, new.key, new.record))
        if new.keys_expire_s is not None:
            writes.append(("EXPIRE", keys.idempotency, new.keys_expire_s))
        if new.voids:
            writes += [_token_write(keys.head, *new.voids), *self.forget_person(game, new.voids[0])]
        if new.orders:
            writes.append(("HSET", self.orders(game), new.orders[0], new.orders[2]))
        if new.due:
            due_in, due_at = new.due
            writes.append(("wait", keys.due_lists[due_in], game, "" if due_at is None else due_at))
        if new.look_at is not None:
            writes.append(("ZADD", keys.quiet, new.look_at, game))
        if new.listing:
            status, summary = new.listing
            writes += [("leave", key, game) for kind, key in keys.listed.items() if kind != status]
            writes += (("list", keys.listed[status], game), ("HSET", keys.summaries, game, summary))
        return writes

    def forget_person(self, game: str, seat: int) -> list[Command]:
        """Deletes what the person at a seat has said beside the log: the next one would get that one's mails."""
        fields = [("HDEL", key, seat) for key in (self.post(game), self.orders(game), self.notes(game))]
        dead = ("bury", self.lanes(game)[2], f"{game}|r|{seat}|")
        return [*fields, ("DEL", self.deliveries(game, seat)), ("forget", self.outbox(game), seat), dead]

    def _confirm_append(self, new: AppendRequest) -> ReadReply | None:
        """As `append`, for entries that were seen in the store: a server without them may have taken its place."""
        if not self.replicas:
            return None
        self.confirm(new.game)
        reading = self.read(new.game, new.expected_version, new.key)
        return None if _is_in(new, reading) else reading

    def write_file(self, game: str, place: ArchivePlace, archive: bytes) -> None:
        """Write a game's archive to a file, to which no header points yet. Raises StoreUnavailable."""
        self._use_files(lambda files: files.write(place.file(game), archive))

    def remove_files(self, game: str, is_owed: Callable[[ArchivePlace], bool]) -> None:
        """Delete those of a game's archive files, which no header may point to. Raises StoreUnavailable."""

        def remove(files: ArchiveFiles) -> None:
            for name in files.names(f"{game}-"):
                place = ArchivePlace.of_file(game, name)
                if place and is_owed(place):
                    files.delete(name)

        if self._files is not None:
            self._use_files(remove)

    def delete_file(self, game: str, place: ArchivePlace) -> None:
        if place.kind == "files":
            self._use_files(lambda files: files.delete(place.file(game)))

    def compact(
        self, game: str, place: ArchivePlace, read: ReadReply, archive: bytes, look_at: int | None = None
    ) -> bool:
        """Replace the stream of a whole game by its archive; False if the game has changed meanwhile.

        `read`: what is in the archive; `archive`: empty if it is in a file; `look_at`: when the archiver looks at the
        game again, None: after its next message. Raises StoreUnavailable.
        """
        keys = self.keys(game)
        writes: list[Command] = [("SET", keys.archive, archive) if archive else ("DEL", keys.archive)]
        writes += [("HSET", keys.head, "archive", place.field()), ("DEL", keys.stream)]
        if look_at is None:
            writes += [("DEL", key) for key in self.side_keys(game)]
        before = [(keys.head, "archive", read.place.field() if read.place else "")]
        state = Expect(fields=before, version=place.version, hash=read.hash, erasures=read.amendments.erasures)
        return not self.commit(game, state, [*writes, self._look(game, look_at)], safely=False)

    def postpone(self, game: str, version: int, last_hash: bytes, look_at: int | None) -> bool:
        """Set when the archiver looks at the game again (None: never); False if the game has changed meanwhile."""
        state = Expect(version=version, hash=last_hash)
        return not self.commit(game, state, [self._look(game, look_at)], safely=False)

    def _look(self, game: str, at: int | None) -> Command:
        quiet = self.keys(game).quiet
        return ("ZREM", quiet, game) if at is None else ("ZADD", quiet, at, game)

    def erase(self, new: Erasure) -> bool:
        """Replace the whole log, and end what its person has; False if the game has changed meanwhile.

        Raises StoreUnavailable.
        """
        game, keys = new.game, self.keys(new.game)
        writes: list[Command] = []
        if new.entries:
            writes += [("DEL", keys.stream), ("DEL", keys.archive), ("HDEL", keys.head, "archive")]
            writes += _entry_writes(keys.stream, new.entries)
            writes.append(("HSET", keys.head, "erasures", new.erasures + 1))
        if new.token:
            _, seat, generation = new.token
            writes += [_token_write(keys.head, seat, generation + 1), ("HSET", keys.head, f"forgotten:{seat}", new.at)]
            writes += self.forget_person(game, seat)
            writes += [("DEL", key) for key in self.mails(game, seat)]
            writes += [("unwait", key, f"{game}|r|{seat}|*") for key in self.lanes(game)[:2]]
        if new.listing:
            writes.append(("HSET", keys.summaries, game, new.listing.summary))
        if new.is_archived:
            writes.append(self._look(game, new.at))
        state = Expect(token=new.token, version=new.version, hash=new.last_hash, erasures=new.erasures)
        return not self.commit(game, state, [*writes, ("PUBLISH", keys.stream, 0)])

    def was_deleted(self, game: str) -> bool:
        """Whether the game was deleted, within a day, or at any time where it had keys. Raises StoreUnavailable."""
        key = self.keys(game).idempotency
        return bool(self.with_retries(lambda: self.client.hexists(key, "deleted"), key))

    def delete(self, game: str, version: int, last_hash: bytes) -> bool:
        """Delete a game at this version and hash; False if it isn't there, also when the call was sent again.

        It leaves a mark under the name of its idempotency keys: for a day, and forever where it has keys. Where it was
        opened with one, its id follows from the key, and must not become another game's, to which the tokens and
        receipts of this one would fit.
        """
        keys = self.keys(game)
        (has_keys,) = self.read_together(("EXISTS", keys.idempotency))
        mails = (key for seat in range(MOST_SEATS) for key in self.mails(game, seat))
        of_log = keys.stream, keys.head, keys.archive, keys.idempotency
        analysis, under_way = self.analysis(game)
        lists = keys.quiet, *keys.listed.values(), under_way, f"{self.tag(game)}:reminders"
        writes: list[Command] = [("wait", keys.due, game, "")]
        writes += [("DEL", key) for key in (*of_log, *self.side_keys(game), *mails, analysis, self.notes(game))]
        writes += [("ZREM", key, game) for key in lists]
        first, again, dead = self.lanes(game)
        writes += [("unwait", first, f"{game}|*"), ("unwait", again, f"{game}|*"), ("bury", dead, f"{game}|")]
        writes += [("HDEL", keys.summaries, game), ("HSET", keys.idempotency, "deleted", 1)]
        writes += [] if has_keys else [("EXPIRE", keys.idempotency, _REMEMBERED_S)]
        state = Expect(absent=() if has_keys else (keys.idempotency,), version=version, hash=last_hash)
        return not self.commit(game, state, writes, safely=False)

    def forget_missing(self, game: str) -> bool:
        """Remove a game that doesn't exist from the lists of due and quiet games; False if it does exist."""
        keys = self.keys(game)
        writes = [("wait", keys.due, game, ""), self._look(game, None)]
        return not self.commit(game, Expect(absent=(keys.head,)), writes, safely=False)

    def set_due(self, game: str, version: int, last_hash: bytes, at: int | None, *, no_later: bool = False) -> bool:
        """Set when a worker must look at a game with people that waits for no bot, in ms since 1970 (None: never).

        `no_later`: unless a worker looks at it sooner anyway. False if the game has changed meanwhile: its append has
        set the time. Raises StoreUnavailable.
        """
        keys = self.keys(game)
        sooner = ("LT",) if no_later else ()
        due = ("ZREM", keys.due, game) if at is None else ("ZADD", keys.due, *sooner, at, game)
        state = Expect(version=version, hash=last_hash)
        return not self.commit(game, state, [("ZREM", keys.turns, game), due], safely=False)

    def count_bot_games(self) -> int:
        """The running games that only bots play: each is in its due list until it is over. One round trip."""
        return sum(self.call_each(*(("ZCARD", key) for key in self.shard_keys("bots"))))

    def check_writable(self) -> None:
        """Raise StoreUnavailable at once if a primary can't be reached or has a full disk: one round trip."""
        self.with_retries(
            lambda: call_each(self.client, *(("SET", key, 1, "PX", 1000) for key in self._writable_keys())), patience=0
        )

    def check_replicas(self) -> None:
        """Raise one of STORE_ERRORS unless a write to each primary reaches enough replicas.

        While they are missing this takes as long as an action then waits for them.
        """
        for key in self._writable_keys():
            self.scripts.run_safely(_WRITE, [key])

    def _writable_keys(self) -> list[str]:
        """A key to write on the server; of a cluster one on each primary. Raises one of STORE_ERRORS."""
        find_node = getattr(self.client, "get_node_from_key", None)
        if find_node is None:
            return ["reibach:writable"]
        return list({find_node(key).name: key for key in self.shard_keys("writable")}.values())


def _is_in(new: AppendRequest, reading: ReadReply) -> bool:
    """Whether this very request has been appended."""
    return bool(reading.entries) and reading.entries[0].check == new.entries[0].check


def _token_write(head: str, seat: int, generation: int) -> Command:
    return "HSET", head, f"token:{seat}", generation


def extend_game(keys: GameKeys, game: str, entry: Entry, last_hash: bytes, types: Sequence[str]) -> Command:
    """Appends the entry, and tells those who follow or watch the game."""
    version, count, elapsed, body, check = entry
    name = f"{version}-{count}"
    return "extend", keys.feed, game, name, elapsed, body, check, version, last_hash, ",".join(types)


def _entry_writes(stream: str, entries: Sequence[Entry]) -> list[Command]:
    each = ((f"{version}-{count}", elapsed, body, check) for version, count, elapsed, body, check in entries)
    words = list(chain.from_iterable(each))
    return [("add", stream, *words[at : at + _MOST_WORDS]) for at in range(0, len(words), _MOST_WORDS)]

"""The game streams in Redis or Valkey, and their only writer.

Rule 1: one script appends, or refuses; expected version by equality, idempotency key, feed and due list in the same
atomic step.
Rule 2: a script is sent again after a lost connection only if it may run twice. An append may: its entry carries a
random request id, by which a resend finds that the first send had arrived.
Rule 3: redis-py itself never retries (its default applied writes twice).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from service.connections.scripts import Script, call_each
from service.gamelog.store.errors import CorruptLog, NoSuchGame, StaleVersion, StoreUnavailable, TokenVoid
from service.gamelog.store.form.archive import ArchivePlace
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.form.listing import STATUSES, Listing
from service.gamelog.store.keys import MOST_SEATS, DueList, GameKeys
from service.gamelog.store.reader import StoreReader
from service.gamelog.store.replies import AppendRefused, parse_reply
from service.signing.tokens import SeatToken

load_script: Final = partial(Script.load, room="service.gamelog.store")
_APPEND: Final = load_script("feed.lua", "tokens.lua", "append.lua")
_CONFIRM: Final = load_script("confirm.lua")
_ARCHIVE: Final = load_script("archive.lua")
_DELETE: Final = load_script("delete.lua")
_DUE: Final = load_script("due.lua")
_FORGET: Final = load_script("forget.lua")
_ERASE: Final = load_script("tokens.lua", "erase.lua")
_EXCHANGE: Final = load_script("tokens.lua", "exchange.lua")
TOKENS: Final = load_script("tokens.lua").text
"""For scripts of other rooms that write for a seat: it begins them."""
_WRITE: Final = Script.of("redis.call('SET', KEYS[1], 1, 'PX', 1000) return {}")
_VOID: Final = -1
"""What exchange.lua says of a revoked token."""


# The list in which a game waits, and the others, which it leaves.
_DUE_KEYS: Final[dict[DueList, Callable[[GameKeys], tuple[str, str, str]]]] = {
    "due": attrgetter("due", "turns", "bots"),
    "turns": attrgetter("turns", "due", "bots"),
    "bots": attrgetter("bots", "turns", "due"),
}


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
    due_in: DueList = "due"
    """The due list in which the game waits for a worker; it leaves the others."""
    due_at: int | None = None
    """When a worker must look at the game, in milliseconds since 1970; None: no worker has to."""
    keep_due: bool = False
    """Whether the game's place in the due lists stays as it is; `due_in` and `due_at` are ignored then."""
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
    tokens: bytes = b""
    """Of a new game: its header's field, where no seat's first token may be valid."""
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

    def arguments(self) -> list[str | int | bytes]:
        """As ARGV of append.lua."""
        arguments: list[str | int | bytes] = [
            self.game,
            self.entries[-1].version,
            self.head_hash,
            ",".join(self.types),
            "kept" if self.keep_due else "" if self.due_at is None else self.due_at,
            "" if self.look_at is None else self.look_at,
            self.key,
            self.record,
            "" if self.keys_expire_s is None else self.keys_expire_s,
            self.expected_version,
            self.previous,
            word_of(self.token),
            self.tokens if self.voids is None else "{}={}".format(*self.voids),
            b"" if self.orders is None else b"%d=%d=%b%b" % (self.orders[0], len(self.orders[1]), *self.orders[1:]),
            self.erasures,
            *_words_of(self.entries),
        ]
        if self.listing:
            arguments.append(self.listing.summary)
        return arguments


def _words_of(entries: Iterable[Entry]) -> list[str | int | bytes]:
    """As scripts take entries."""
    words: list[str | int | bytes] = []
    for version, count, elapsed, body, check in entries:
        words += (f"{version}-{count}", elapsed, body, check)
    return words


def word_of(token: SeatToken | None) -> str:
    """As scripts take the token that asks."""
    return f"{token.seat}={token.generation}" if token else ""


class Erasure(NamedTuple):
    """A game's log without a person's words, and where it was when it was read."""

    game: str
    version: int
    last_hash: bytes
    tokens: bytes
    """The header's field."""
    place: ArchivePlace | None
    entries: Sequence[Entry]
    voids: tuple[int, int] | None
    """The seat whose token is revoked, and the generation of a new one; None in a copy."""
    listing: Listing | None
    look_at: int | None
    """When the archiver must look at the game, in ms since 1970; None: as before."""


class Exchange(NamedTuple):
    """What a seat keeps beside the log, standing orders or a subscription, and what is stored in its place."""

    game: str
    seat: int
    before: bytes | None
    """As it must be stored; empty: nothing is; None: whatever is."""
    after: bytes
    """Empty: nothing."""
    token: SeatToken | None = None
    """That which asks; None where none does."""
    judged: tuple[int, bytes] | tuple[()] = ()
    """Version and hash of the last event, where the game must be as it was judged."""


class Store(StoreReader):
    """The streams, headers, archives, idempotency keys, feeds and due lists of all games."""

    def append(self, new: AppendRequest) -> AppendRefused | None:
        """Append the entries if the game is at the version before them; None when that is done.

        Done is what enough replicas have on disk, too. Raises StoreUnavailable; the entries may be stored then all the
        same. Raises TokenVoid; StaleVersion for a step of orders that are stored no longer; and CorruptLog where the
        stream doesn't end with the entry that the header names.
        """
        own = self.keys(new.game)
        keys = [own.stream, own.head, own.idempotency, own.feed, *_DUE_KEYS[new.due_in](own), own.quiet]
        if new.listing:
            statuses = sorted(STATUSES, key=new.listing.status.__ne__)  # its own first
            keys += [self.summaries(new.game), *self.lists(new.game, statuses)]
        if new.voids:
            keys += self.person_keys(new.game, new.voids[0])
        if new.orders:
            keys.append(self.orders(new.game))
        arguments = new.arguments()
        word, *rest = self.run_safely(_APPEND, keys, *arguments)
        if word == b"appended":
            return None
        if word == b"damaged":
            raise CorruptLog(f"the stream of game {new.game} doesn't end where its header says")
        *rest, field, tokens = rest
        place = ArchivePlace.read(field)
        if place and place.version > new.expected_version:  # a script can't read what is in an archive
            reading = self.read(new.game, new.expected_version, new.key)
        else:
            reading = parse_reply(*rest)
        if reading.entries and reading.entries[0].check == new.entries[0].check:
            return self._confirm_append(new)  # appended by this call: the first answer was lost
        if word == b"void":
            raise TokenVoid(new.game)
        if word == b"orders":
            raise StaleVersion(new.expected_version)
        return AppendRefused(reading._replace(tokens=tokens))

    def _confirm_append(self, new: AppendRequest) -> AppendRefused | None:
        """As `append`, for entries that were seen in the store: a server without them may have taken its place."""
        if not self.replicas:
            return None
        self.confirm(new.game)
        reading = self.read(new.game, new.expected_version, new.key)
        if reading.entries and reading.entries[0].check == new.entries[0].check:
            return None
        return AppendRefused(reading)

    def confirm(self, game: str, key: bytes = b"", record: bytes = b"") -> None:
        """Wait until enough replicas have on disk what was written to the game before this call: one round trip.

        Without replicas nothing is asked. `key`: the digest of an idempotency key, whose record must be there still.
        Raises StoreUnavailable.
        """
        if not self.replicas:
            return
        keys = self.keys(game)
        names = keys.head, keys.idempotency
        (done,) = self.run_safely(_CONFIRM, names, key, record)
        if not done:
            raise StoreUnavailable("the store has lost what this answer was about")

    def write_file(self, game: str, place: ArchivePlace, archive: bytes) -> None:
        """Write a game's archive to a file, to which no header points yet. Raises StoreUnavailable."""
        self._use_files(lambda files: files.write(place.file(game), archive))

    def compact(
        self, game: str, place: ArchivePlace, last_hash: bytes, archive: bytes, look_at: int | None = None
    ) -> bool:
        """Replace the stream of a whole game by its archive; False if the game has changed meanwhile.

        `last_hash`: of the last event in the archive; `archive`: empty if it is in a file; `look_at`: when the archiver
        looks at the game again, None: after its next message. Raises StoreUnavailable.
        """
        look = "" if look_at is None else look_at
        return self._run_archive(game, place.version, last_hash, look, place.field(), archive)

    def postpone(self, game: str, version: int, last_hash: bytes, look_at: int | None) -> bool:
        """Set when the archiver looks at the game again (None: never); False if the game has changed meanwhile."""
        return self._run_archive(game, version, last_hash, "" if look_at is None else look_at, "", b"")

    def _run_archive(self, game: str, *arguments: str | int | bytes) -> bool:
        keys = self.keys(game)
        names = keys.stream, keys.head, keys.archive, keys.quiet, *self.side_keys(game)
        (done,) = self.run(_ARCHIVE, names, game, *arguments)
        return bool(done)

    def erase(self, new: Erasure) -> bool:
        """Replace the whole log; False if the game has changed meanwhile. Raises StoreUnavailable."""
        own, voids = self.keys(new.game), new.voids
        keys = [own.stream, own.head, own.archive, own.quiet, self.summaries(new.game)]
        if voids:
            keys += [*self.person_keys(new.game, voids[0]), *self.mails(new.game, voids[0])]
        arguments = [
            *new[:4],
            "" if voids is None else "{}={}".format(*voids),
            new.listing.summary if new.listing else "",
            "" if new.look_at is None else new.look_at,
            *_words_of(new.entries),
        ]
        (done,) = self.run_safely(_ERASE, keys, *arguments)
        if done and new.place:
            self._delete_file(new.game, new.place)
        return bool(done)

    def was_deleted(self, game: str) -> bool:
        """Whether the game was deleted, within a day or forever as `delete.lua` has it. Raises StoreUnavailable."""
        key = self.keys(game).idempotency
        return bool(self.with_retries(lambda: self.client.hexists(key, "deleted"), key))

    def _delete_file(self, game: str, place: ArchivePlace) -> None:
        if place.kind == "files":
            self._use_files(lambda files: files.delete(place.file(game)))

    def delete(self, game: str, version: int, last_hash: bytes) -> bool:
        """Delete a game at this version and hash; False if it isn't there, also when the call was sent again."""
        keys, place = self.keys(game), self.place(game)
        own = keys.stream, keys.head, keys.idempotency, keys.archive, keys.due, keys.turns, keys.bots, keys.quiet
        listed = *self.lists(game, STATUSES), self.summaries(game)
        mails = (key for seat in range(MOST_SEATS) for key in self.mails(game, seat))
        names = *own, *listed, keys.generations, *self.side_keys(game), *mails, self.analysis(game)[0]
        (done,) = self.run(_DELETE, names, game, version, last_hash)
        if done and place:
            self._delete_file(game, place)
        return bool(done)

    def forget_missing(self, game: str) -> bool:
        """Remove a game that doesn't exist from the lists of due and quiet games; False if it does exist."""
        keys = self.keys(game)
        names = keys.head, keys.due, keys.turns, keys.bots, keys.quiet
        (done,) = self.run(_FORGET, names, game)
        return bool(done)

    def set_due(self, game: str, version: int, last_hash: bytes, at: int | None, *, no_later: bool = False) -> bool:
        """Set when a worker must look at a game with people that waits for no bot, in ms since 1970 (None: never).

        `no_later`: unless a worker looks at it sooner anyway. False if the game has changed meanwhile: its append has
        set the time. Raises StoreUnavailable.
        """
        keys = self.keys(game)
        arguments = game, version, last_hash, "" if at is None else at, "LT" if no_later else ""
        (done,) = self.run(_DUE, (keys.head, keys.due, keys.turns), *arguments)
        return bool(done)

    def exchange(self, key: str, new: Exchange, *, safely: bool) -> bool:
        """Compare and set a seat's value in a game's hash; False if it or the game has changed, or by a resend.

        `safely`: it is done when enough replicas have it on disk, too. Raises TokenVoid; NoSuchGame where something
        would be written for a game that isn't there; and StoreUnavailable.
        """
        before = b"*" if new.before is None else new.before
        arguments = new.seat, before, new.after, word_of(new.token), *(new.judged or ("", ""))
        run = self.run_safely if safely else self.run
        (done,) = run(_EXCHANGE, (self.keys(new.game).head, key), *arguments)
        if done < 0:
            raise TokenVoid(new.game) if done == _VOID else NoSuchGame(new.game)
        return bool(done)

    def count_bot_games(self) -> int:
        """The running games that only bots play: each is in its due list until it is over. One round trip."""
        without_mark = "-inf", "(+inf"
        return sum(self.call_each(*(("ZCOUNT", key, *without_mark) for key in self.shard_keys("bots"))))

    def check_writable(self) -> None:
        """Raise StoreUnavailable at once if a primary can't be reached or has a full disk: one round trip."""
        self.try_once(lambda: call_each(self.client, *(("SET", key, 1, "PX", 1000) for key in self._writable_keys())))

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

"""What a write depends on, and what refuses it: the arguments of `commit.lua`.

A command is its name, its key and its words. Besides the server's own there are `add` (entries), `extend` (the last),
`wait` (moves a game between the due lists), `leave` and `list` (move it between the lists of listed games), and, of a
seat or a game, `forget` (deletes notices), `unwait` (takes them off a list) and `bury` (deletes dead letters).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from service.connections.raw import Command
from service.connections.scripts import Script
from service.gamelog.store.errors import NoSuchGame, StoreUnavailable, TokenVoid
from service.gamelog.store.keys import GameKeys
from service.gamelog.store.reader import StoreReader
from service.gamelog.store.replies import ReadReply, parse_reply
from service.signing.tokens import SeatToken

load_script: Final = partial(Script.load, room="service.gamelog.store")
_COMMIT: Final = load_script("feed.lua", "commit.lua")
Word: TypeAlias = Literal["void", "repeat", "changed", "listed", "missing", "exists", "conflict", "damaged"]
"""Why nothing was written: the token is revoked, the idempotency key was used, a field has another value, a list has
the member, the game isn't there, a key is there, the game has another version, hash or number of erasures, or its
stream doesn't end with the entry that the header names."""


class Expect(NamedTuple):
    """What must hold at the moment of a write, judged in this order; what isn't named may be as it is."""

    token: SeatToken | None = None
    """That which asks, which must be its seat's valid one."""
    unused: bytes = b""
    """Digest of an idempotency key of the game."""
    fields: Sequence[tuple[str, Any, Any]] = ()
    """Key, field and value; empty: none is stored."""
    unlisted: Sequence[tuple[str, Any]] = ()
    """Sorted sets and members that they lack."""
    exists: bool = False
    """Whether the game must have a header."""
    absent: Sequence[str] = ()
    """Keys that must not be there."""
    version: int | None = None
    """Of the game's last event; so are `hash` and `erasures`."""
    hash: bytes = b""
    erasures: int | None = None
    """How often words were erased from the log. Where it is named, the stream must end with the header's entry."""


def _pack(
    game_keys: GameKeys, expected: Expect, writes: Sequence[Command], after: int | None
) -> tuple[list[str], list[Any]]:
    """KEYS and ARGV of `commit.lua`. `after`: the version after which a refusal has the entries; None: it has none."""
    token, unused, fields, unlisted, exists, absent, version, last_hash, erasures = expected
    head = game_keys.head
    keys = dict.fromkeys((head, game_keys.stream, game_keys.due, game_keys.turns, game_keys.bots))
    words: list[Any] = [
        "" if after is None else after + 1,
        f"token:{token.seat}" if token else "",
        token.generation or "" if token else "",
        # The hash, too: a store that lost its last entries and continued differently is not the one that was judged.
        "" if version is None else version,
        last_hash,
        "" if erasures is None else erasures,
    ]
    # Of each other expectation the word that refuses, the reply, and the command after the number of its words.
    if unused:
        keys[game_keys.idempotency] = None
        words += ("repeat", "", 3, "HGET", game_keys.idempotency, unused)
    for key, field, value in fields:
        keys[key] = None
        words += ("changed", value, 3, "HGET", key, field)
    for key, member in unlisted:
        keys[key] = None
        words += ("listed", "", 3, "ZSCORE", key, member)
    if exists:
        words += ("missing", "1", 2, "EXISTS", head)
    for key in absent:
        keys[key] = None
        words += ("exists", "0", 2, "EXISTS", key)
    words.append("")
    for write in writes:
        keys[write[1]] = None
        words.append(len(write))
        words += write
    return [*keys], words


class Refusal(NamedTuple):
    """Nothing was written."""

    word: Word
    reply: bytes
    """The reply in the place of the expected one."""
    reading: ReadReply
    """The game after the version that was named; empty where none was."""

    @classmethod
    def parse(cls, word: bytes, reply: bytes, header: Any = (), entries: Sequence[Any] = ()) -> "Refusal":
        """From the script's reply. Raises CorruptLog."""
        name: Any = word.decode()
        return cls(name, reply, parse_reply(header, reply if name == "repeat" else b"", entries))


class StoreWriter(StoreReader):
    """All games, for reading, and for writing what depends on how they are."""

    def commit(
        self, game: str, expected: Expect, writes: Sequence[Command], *, after: int | None = None, safely: bool = True
    ) -> Refusal | None:
        """Run commands on keys of the game's shard if all is as expected; None when that is done.

        `after`: the version after which a refusal has the entries; `safely`: it is done when enough replicas have it on
        disk, too. Raises StoreUnavailable, and CorruptLog. Sent again, it finds its own writes.
        """
        run = self.scripts.run_safely if safely else self.scripts.run
        keys, words = _pack(self.keys(game), expected, writes, after)
        word, *refusal = self.with_retries(lambda: run(_COMMIT, keys, *words), keys[0])
        return None if word == b"done" else Refusal.parse(word, *refusal)

    def confirm(self, game: str, key: bytes = b"", record: bytes = b"") -> None:
        """Wait until enough replicas have on disk what was written to the game before this call: one round trip.

        Without replicas nothing is asked. `key`: the digest of an idempotency key, whose record must be there still.
        Raises StoreUnavailable.
        """
        if not self.replicas:
            return
        keys = self.keys(game)
        kept = [(keys.idempotency, key, record)] if key else ()
        # WAITAOF waits for the last write of its own connection alone, so after this one, which changes nothing, it
        # waits for all that was written to the shard before.
        if self.commit(game, Expect(fields=kept, exists=True), [("HINCRBY", keys.head, "version", 0)]):
            raise StoreUnavailable("the store has lost what this answer was about")

    def exchange(self, game: str, write: Command, expected: Expect, *, safely: bool) -> bool:
        """Set or delete what a seat keeps beside the log; False if all isn't as expected, or by a resend.

        A worker may just be carrying out a step of old orders. Its append has passed, and then the game is at another
        version; or it finds that they are stored no longer. Raises TokenVoid; NoSuchGame where something would be
        written for a game that isn't there; and StoreUnavailable.
        """
        refused = self.commit(game, expected._replace(exists=write[0] == "HSET"), [write], safely=safely)
        if refused and refused.word in ("void", "missing"):
            raise TokenVoid(game) if refused.word == "void" else NoSuchGame(game)
        return not refused

"""The names of the log's keys in the store.

Rule: all keys of a game, and the lists of its shard, carry the shard's hash tag: a cluster keeps them on one node, so
that one script can write them.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias
from zlib import crc32

from service.gamelog.store.form.listing import STATUSES

DueList: TypeAlias = Literal["due", "turns", "bots"]
"""Where a game waits for a worker: a game with people for a round, a deadline or orders; for a bot; a game without
people, and one that waits for a dear bot, which plays when no other game waits."""
MOST_SEATS: Final = 5
MAILS: Final = "{mails}"
"""The tag of all counts of mails: they are on one node of a cluster, so that one script can write them."""
SET_BACK: Final = "reibach:set-back"
"""There for a day once a process has remembered more than the store."""
_MOST_GAMES: Final = 2000
"""Whose keys are kept, as many as a process keeps games: to make them takes 1 % of an action's time."""
_LONGEST_ID: Final = 64
"""Characters of a game's id. A request may name any longer one, of a game that can't be; its keys aren't kept."""


class GameKeys(NamedTuple):
    stream: str
    """Also the channel on which the game's new versions are published."""
    head: str
    """Its header: `version` and `hash` of the last event, where its `archive` is, how many `erasures` there were,
    of each seat whose token was revoked `token:<seat>`, the valid one's generation, and of each whose person was
    forgotten `forgotten:<seat>`, when, in ms since 1970."""
    idempotency: str
    feed: str
    """Of the shard, like the next four."""
    due: str
    """Games with people, by the time at which a round is scored, a turn times out or orders begin."""
    turns: str
    """Games with people that wait for a bot's turn; `bots` are those that only bots play, whatever they wait for, and
    those that wait for a dear bot's."""
    bots: str
    quiet: str
    archive: str
    summaries: str
    """What the list of games shows of those of the shard."""
    listed: Mapping[str, str]
    """By status the list of the shard's listed games."""
    due_lists: Mapping[DueList, str]


class KeyNames:
    def __init__(self, shards: int) -> None:
        """`shards` is fixed when a deployment is created."""
        self.shards = shards
        self._kept_keys: Callable[[str], GameKeys] = lru_cache(_MOST_GAMES)(self._make_keys)

    def tag(self, game: str) -> str:
        return f"{{s{self.shard(game):02d}}}"

    def shard(self, game: str) -> int:
        return crc32(game.encode()) % self.shards

    def stream(self, game: str) -> str:
        """The game's stream; also the channel on which its new versions are published."""
        return f"{self.tag(game)}:game:{game}"

    def keys(self, game: str) -> GameKeys:
        return self._kept_keys(game) if len(game) <= _LONGEST_ID else self._make_keys(game)

    def _make_keys(self, game: str) -> GameKeys:
        tag = self.tag(game)
        keys = f"{tag}:game:{game}", f"{tag}:head:{game}", f"{tag}:keys:{game}"
        due, turns, bots = f"{tag}:due", f"{tag}:turns", f"{tag}:bots"
        others = f"{tag}:quiet", f"{tag}:archive:{game}", f"{tag}:summaries"
        listed = {status: f"{tag}:listed:{status}" for status in STATUSES}
        lists: dict[DueList, str] = {"due": due, "turns": turns, "bots": bots}
        return GameKeys(*keys, f"{tag}:feed", due, turns, bots, *others, listed, lists)

    def post(self, game: str) -> str:
        """The subscriptions of the game's players."""
        return f"{self.tag(game)}:post:{game}"

    def orders(self, game: str) -> str:
        return f"{self.tag(game)}:orders:{game}"

    def notes(self, game: str) -> str:
        """What the game's players note for themselves."""
        return f"{self.tag(game)}:notes:{game}"

    def analysis(self, game: str) -> tuple[str, str]:
        """The game's analysis, and the shard's list of games with one that is under way."""
        return f"{self.tag(game)}:analysis:{game}", f"{self.tag(game)}:analyses"

    def outbox(self, game: str) -> str:
        """The game's notices that wait, and those that were sent to its players."""
        return f"{self.tag(game)}:outbox:{game}"

    def lanes(self, game: str) -> tuple[str, str, str]:
        """Of the shard: notices that wait for their first attempt, and for others; dead letters."""
        tag = self.tag(game)
        return f"{tag}:sending", f"{tag}:retries", f"{tag}:dead"

    def deliveries(self, game: str, seat: int) -> str:
        """The last attempts to deliver a seat's notices."""
        return f"{self.tag(game)}:deliveries:{game}:{seat}"

    def mails(self, game: str, seat: int) -> tuple[str, str]:
        """Digests of the mails that a seat has sent, and answers to them that are not handed over yet."""
        tag = self.tag(game)
        return f"{tag}:mails:{game}:{seat}", f"{tag}:answers:{game}:{seat}"

    def watching(self, game: str, seat: int) -> str:
        """The live streams that a seat holds open."""
        return f"{self.tag(game)}:watching:{game}:{seat}"

    def side_keys(self, game: str) -> tuple[str, ...]:
        """Keys beside the log that go when the game is deleted, or archived after its end."""
        deliveries = (self.deliveries(game, seat) for seat in range(MOST_SEATS))
        return self.post(game), self.orders(game), self.outbox(game), *deliveries

    def shard_keys(self, kind: str) -> list[str]:
        """The keys of a kind, such as `feed`, `due` or `quiet`, of all shards."""
        return [f"{{s{shard:02d}}}:{kind}" for shard in range(self.shards)]

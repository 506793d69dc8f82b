"""The names of the log's keys in the store.

Rule: all keys of a game, and the lists of its shard, carry the shard's hash tag: a cluster keeps them on one node, so
that one script can write them.
"""

from typing import NamedTuple
from zlib import crc32


class GameKeys(NamedTuple):
    """The keys that concern one game."""

    stream: str
    """Also the channel on which the game's new versions are published."""
    head: str
    """Its header: version and hash of the last event, and where its archive is."""
    idempotency: str
    feed: str
    """Of the shard, like the next three."""
    due: str
    """Games that wait for a worker; `bots` those that only bots play."""
    bots: str
    quiet: str
    archive: str


class KeyNames:
    """The key names of a deployment."""

    def __init__(self, shards: int) -> None:
        """`shards` is fixed when a deployment is created."""
        self.shards = shards

    def tag(self, game: str) -> str:
        """The hash tag of the game's shard."""
        return f"{{s{crc32(game.encode()) % self.shards:02d}}}"

    def stream(self, game: str) -> str:
        """The game's stream; also the channel on which its new versions are published."""
        return f"{self.tag(game)}:game:{game}"

    def keys(self, game: str) -> GameKeys:
        """All keys that concern the game."""
        tag = self.tag(game)
        own = f"{tag}:game:{game}", f"{tag}:head:{game}", f"{tag}:keys:{game}"
        return GameKeys(*own, f"{tag}:feed", f"{tag}:due", f"{tag}:bots", f"{tag}:quiet", f"{tag}:archive:{game}")

    def shard_keys(self, kind: str) -> list[str]:
        """The `feed`, `due`, `bots` or `quiet` keys of all shards."""
        return [f"{{s{shard:02d}}}:{kind}" for shard in range(self.shards)]

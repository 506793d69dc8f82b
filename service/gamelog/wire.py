"""Lua scripts on a short wire: redis-py's connections without the layers that its client puts around each command.

Those layers (retries, filters, hooks) took as long as sending a script and reading its answer, on the one path that
every request goes. Clusters, fakeredis and clients that tests wrap keep the client's own way.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Any

import redis
from redis.exceptions import NoScriptError, ResponseError

Client = Any  # redis.Redis, RedisCluster or fakeredis: redis-py's own types can't tell sync from async answers


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script; called by its hash, which saves sending it."""

    text: str
    sha: str

    @classmethod
    def read(cls, name: str) -> "Script":
        """The script in the file of that name beside this one."""
        text = files("service.gamelog").joinpath(name).read_text("utf-8")
        return cls(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


class Wire:
    """Runs scripts. Safe for threads; opened connections are kept for the next call."""

    def __init__(self, client: Client) -> None:
        """Connects like `client`, when first called."""
        self._client = client
        self._direct = type(client) is redis.Redis
        self._idle: deque[Any] = deque()

    def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> list[Any]:
        """The script's answer, a list. Raises redis-py's errors; after one of connection the script may have run."""
        try:
            return list(self._evalsha(script.sha, len(keys), *keys, *arguments))
        except NoScriptError:  # a restarted store has no scripts
            return list(self._client.eval(script.text, len(keys), *keys, *arguments))

    def _evalsha(self, *words: Any) -> Any:
        if not self._direct:
            return self._client.evalsha(*words)
        try:
            connection = self._idle.pop()
        except IndexError:
            # Not by the pool: it counts what it makes, and after a hundred lost connections it would make no more.
            pool = self._client.connection_pool
            connection = pool.connection_class(**pool.connection_kwargs)
        try:
            connection.send_command("EVALSHA", *words)
            answer = connection.read_response()
        except ResponseError:
            self._idle.append(connection)
            raise
        except BaseException:
            # The store is gone, and with it the other end of all that wait here.
            connection.disconnect()
            while self._idle:
                self._idle.pop().disconnect()
            raise
        self._idle.append(connection)
        return answer

"""A runner of Lua scripts on raw connections: redis-py's, without the layers that its client puts around a command.

Those layers (retries, filters, hooks) take half of the processor time of a call, 18 of 36 us with the 15 arguments of
an append, and every request makes one. Clusters, fakeredis and wrapped clients are called as usual.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from math import inf
from typing import Any, Final

import hiredis
import redis
from redis.exceptions import (
    ExecAbortError,
    NoScriptError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
    ResponseError,
)

Client = Any  # redis.Redis, RedisCluster or fakeredis: redis-py's own types can't tell sync from async answers
STORE_ERRORS: Final = (RedisError, RedisClusterException, OSError)
"""What a client raises where the store can't be reached, or refuses: a cluster's error is no RedisError."""

_FULL_S: Final = 1.0
"""Seconds after which a server that had no memory left is asked by a transaction again."""
_READ_ALL: Final = """
-- KEYS the key of each command   ARGV of each command the number of its words, and these
local replies, at = {}, 1
for number = 1, #KEYS do
  local words = tonumber(ARGV[at])
  replies[number] = redis.call(unpack(ARGV, at + 1, at + words))
  at = at + words + 1
end
return replies
"""


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script. It is called by its hash, which saves sending its text."""

    text: str
    sha: str

    @classmethod
    def load(cls, *names: str, room: str = "service.gamelog.store") -> "Script":
        """The script in the files of those names in a room's folder, one after the other."""
        folder = files(room)
        text = "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)
        return cls(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


class ScriptRunner:
    """Runs scripts and reading transactions. Safe for threads; connections are kept for the next call."""

    def __init__(self, client: Client) -> None:
        """Connects with the settings of `client`, at the first call."""
        self._client = client
        self._direct = type(client) is redis.Redis
        self._idle: deque[Any] = deque()
        self._full_until = -inf

    def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> list[Any]:
        """The script's reply, a list. Raises redis-py's errors; after a connection error the script may have run."""
        command = (script.sha, len(keys), *keys, *arguments)
        try:
            if not self._direct:
                return list(self._client.evalsha(*command))
            return list(self._exchange([("EVALSHA", *command)]))
        except NoScriptError:  # a restarted store has no scripts
            return list(self._client.eval(script.text, *command[1:]))

    def run_transaction(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The replies of several reading commands at one moment, in one round trip.

        The reply to an XRANGE: [[id, fields], …]. Raises redis-py's errors.
        """
        if time.monotonic() < self._full_until:
            return self._run_in_script(commands)
        try:
            return self._run_transaction(commands)
        except (OutOfMemoryError, ExecAbortError):
            self._full_until = time.monotonic() + _FULL_S
            return self._run_in_script(commands)

    def _run_in_script(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The same by a script, which Redis also runs when it has no memory left: then it refuses transactions."""
        keys = [command[1] for command in commands]
        words = [word for command in commands for word in (len(command), *command)]
        return list(self._client.eval(_READ_ALL, len(keys), *keys, *words))

    def _run_transaction(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self._direct:
            replies = list(self._exchange([("MULTI",), *commands, ("EXEC",)]))
        else:
            pipeline = self._client.pipeline(transaction=True)
            for command in commands:
                pipeline.execute_command(*command)
            replies = pipeline.execute()
            replies = [
                [[name, _flat(fields)] for name, fields in reply] if command[0] == "XRANGE" else reply
                for command, reply in zip(commands, replies, strict=True)
            ]
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return replies

    def _exchange(self, commands: Sequence[tuple[Any, ...]]) -> Any:
        """Send the commands in one packet; the reply to the last."""
        try:
            connection = self._idle.pop()
        except IndexError:
            # Not from the pool: it counts its connections, and after a hundred lost ones it would make no more.
            pool = self._client.connection_pool
            connection = pool.connection_class(**pool.connection_kwargs)
        try:
            connection.send_packed_command([pack_commands(commands)])
            for _ in commands[:-1]:
                connection.read_response()
            reply = connection.read_response()
        except NoScriptError:
            self._idle.append(connection)
            raise
        except BaseException:
            # The store has closed all of its connections; or replies of this one are left unread.
            connection.disconnect()
            while self._idle:
                self._idle.pop().disconnect()
            raise
        self._idle.append(connection)
        return reply


def pack_commands(commands: Sequence[tuple[Any, ...]]) -> bytes:
    """The commands as redis-py packs them, which goes over their words three times more."""
    return b"".join([hiredis.pack_command(command) for command in commands])


def _flat(fields: Any) -> list[Any]:
    """An entry's fields as the server sends them; redis-py turns them into a dictionary, but not on a cluster."""
    return [word for pair in fields.items() for word in pair] if isinstance(fields, dict) else fields

"""Lua scripts on a short wire: redis-py's connections without the layers that its client puts around each command.

Those layers (retries, filters, hooks) took 5 to 10 of 35 us of processor time a call, on the one path that
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
    def load(cls, *names: str) -> "Script":
        """The script in the files of those names beside this one, one after the other."""
        folder = files("service.gamelog.store")
        text = "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)
        return cls(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


class ScriptRunner:
    """Runs scripts. Safe for threads; opened connections are kept for the next call."""

    def __init__(self, client: Client) -> None:
        """Connects like `client`, when first called."""
        self._client = client
        self._direct = type(client) is redis.Redis
        self._idle: deque[Any] = deque()

    def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> list[Any]:
        """The script's answer, a list. Raises redis-py's errors; after one of connection the script may have run."""
        words = (script.sha, len(keys), *keys, *arguments)
        try:
            if not self._direct:
                return list(self._client.evalsha(*words))
            return list(self._exchange([("EVALSHA", *words)]))
        except NoScriptError:  # a restarted store has no scripts
            return list(self._client.eval(script.text, *words[1:]))

    def run_transaction(self, *commands: tuple[Any, ...]) -> list[Any]:
        """What several reading commands answer at one moment, in one trip; the last is an XRANGE: [[id, fields], …]."""
        if self._direct:
            answers = list(self._exchange([("MULTI",), *commands, ("EXEC",)]))
        else:
            pipeline = self._client.pipeline(transaction=True)
            for command in commands:
                pipeline.execute_command(*command)
            answers = pipeline.execute()
            answers[-1] = [[name, _flat(fields)] for name, fields in answers[-1]]
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers

    def _exchange(self, commands: Sequence[tuple[Any, ...]]) -> Any:
        """Send the commands in one go; the answer to the last."""
        try:
            connection = self._idle.pop()
        except IndexError:
            # Not by the pool: it counts what it makes, and after a hundred lost connections it would make no more.
            pool = self._client.connection_pool
            connection = pool.connection_class(**pool.connection_kwargs)
        try:
            connection.send_packed_command(connection.pack_commands(commands))
            for _ in commands[:-1]:
                connection.read_response()
            answer = connection.read_response()
        except NoScriptError:
            self._idle.append(connection)
            raise
        except BaseException:
            # The store is gone, and with it the other end of all that wait here; or answers are left unread.
            connection.disconnect()
            while self._idle:
                self._idle.pop().disconnect()
            raise
        self._idle.append(connection)
        return answer


def _flat(fields: Any) -> list[Any]:
    """An entry's fields as the server sends them; redis-py makes a dictionary of them, but not on a cluster."""
    return [word for pair in fields.items() for word in pair] if isinstance(fields, dict) else fields

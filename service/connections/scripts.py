"""The one place that runs Lua scripts, by their hash: the text is sent where the server lacks it.

`ScriptRunner` runs one script on raw connections, and reading transactions: the path of an action. `call_each` runs
scripts among other commands of any shards, on raw connections only of one server: those of a cluster have one shard.
A call in both is `script, keys, *arguments`.

With replicas a script that writes for a player counts as done when so many of them have it on disk: the wait goes in
the same packet, so it costs no round trip of this process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final

import redis
from redis.exceptions import ExecAbortError, NoScriptError, OutOfMemoryError, ResponseError

from service.connections.clients import Client
from service.connections.raw import Command, ServerConnections, open_raw

_WAIT_MS: Final = 1000
_WAIT_FOR_DISK_MS: Final = 2500
"""Together less than a connection waits for an answer. Replicas that sync once a second may need two of them."""


class TooFewReplicas(redis.RedisError):
    """A script has written, and too few replicas have it on disk. The message says how many."""


@dataclass(frozen=True, slots=True)
class Script:
    text: str
    sha: str

    @classmethod
    def load(cls, *names: str, room: str) -> "Script":
        """The script in the files of those names in a room's folder, one after the other."""
        folder = files(room)
        return cls.of("\n".join(folder.joinpath(name).read_text("utf-8") for name in names))

    @classmethod
    def of(cls, text: str) -> "Script":
        return cls(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


_READ_ALL: Final = Script.load("read_all.lua", room="service.connections")


def call_each(client: Client | ServerConnections, *commands: Command) -> list[Any]:
    """The replies to commands and scripts (`script, keys, *arguments`), on keys of any shards: one round trip.

    Scripts that a server lacks run after all else, in one more. Raises redis-py's errors.
    """
    replies = _send(client, commands, by_hash=True)
    lacked = [place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
    if lacked:
        again = _send(client, [commands[place] for place in lacked], by_hash=False)
        for place, reply in zip(lacked, again, strict=True):
            replies[place] = reply
    if error := next((reply for reply in replies if isinstance(reply, Exception)), None):
        raise error
    return replies


def _send(client: Client | ServerConnections, commands: Sequence[Command], *, by_hash: bool) -> list[Any]:
    calls = [_call_of(*command, by_hash=by_hash) if isinstance(command[0], Script) else command for command in commands]
    if isinstance(client, ServerConnections):
        return client.exchange("", calls)
    pipeline = client.pipeline(transaction=False)
    for call in calls:
        pipeline.execute_command(*call)
    return list(pipeline.execute(raise_on_error=False))


def _call_of(script: Script, keys: Sequence[str], *words: Any, by_hash: bool) -> Command:
    return (*(("EVALSHA", script.sha) if by_hash else ("EVAL", script.text)), len(keys), *keys, *words)


class ScriptRunner:
    """Runs scripts and reading transactions. Safe for threads; connections are kept for the next call.

    Other clients than those of real servers are called as usual.
    """

    def __init__(self, client: Client, replicas: int = 0) -> None:
        """Connects with the settings of `client`, at the first call; `replicas`: those that `run_safely` waits for."""
        self._client = client
        self._raw = open_raw(client)
        # A replica acknowledges what it has read, then syncs it: it tells that at the next question only, or after a
        # second. WAIT makes the first question, WAITAOF the next one.
        self._waits: list[Command] = []
        self._replicas = replicas
        if replicas:
            self._waits = [("WAIT", replicas, _WAIT_MS), ("WAITAOF", 1, replicas, _WAIT_FOR_DISK_MS)]

    def disconnect(self) -> None:
        """Close the connections that are kept: each next call makes one."""
        if self._raw is not None:
            self._raw.disconnect()

    def call_each(self, *commands: Command) -> list[Any]:
        """The replies to commands and scripts on keys of any shards: one round trip. Raises redis-py's errors."""
        return call_each(self._raw if isinstance(self._raw, ServerConnections) else self._client, *commands)

    def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The script's reply. Raises redis-py's errors; after a connection error the script may have run."""
        return self._run(script, keys, arguments, [])

    def run_safely(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The same, once its writes are on disk, at replicas, too. Raises TooFewReplicas."""
        return self._run(script, keys, arguments, self._waits)

    def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[Any], waits: list[Command]) -> Any:
        if self._raw is None:
            try:
                return self._client.evalsha(script.sha, len(keys), *keys, *arguments)
            except NoScriptError:
                return self._client.eval(script.text, len(keys), *keys, *arguments)
        call = "EVALSHA", script.sha, len(keys), *keys, *arguments
        reply, *waited = self._raw.exchange(keys[0], [call, *waits])
        if isinstance(reply, NoScriptError):  # a restarted store, or a replica in its place, has no scripts
            reply, *waited = self._raw.exchange(keys[0], [("EVAL", script.text, *call[2:]), *waits])
        if isinstance(reply, ResponseError):
            raise reply
        if waited:
            self._check_replicas(waited[-1])
        return reply

    def _check_replicas(self, reply: Any) -> None:
        """Raise an error unless the reply to WAITAOF names enough disks."""
        if isinstance(reply, ResponseError):
            if str(reply).startswith("UNBLOCKED"):  # the server has just become a replica
                raise redis.ConnectionError(str(reply)) from None
            raise reply
        here, there = reply
        if not here or there < self._replicas:
            raise TooFewReplicas(f"{there} of {self._replicas} replicas have the events on disk")

    def run_transaction(self, *commands: Command) -> list[Any]:
        """The replies of several reading commands at one moment, in one round trip. All keys are of one shard.

        The reply to an XRANGE: [[id, fields], …]. Raises redis-py's errors.
        """
        try:
            return self._run_transaction(commands)
        except (OutOfMemoryError, ExecAbortError):  # without memory left, Redis still runs scripts that read
            keys = [command[1] for command in commands]
            words = [word for command in commands for word in (len(command), *command)]
            return list(self.run(_READ_ALL, keys, *words))

    def _run_transaction(self, commands: Sequence[Command]) -> list[Any]:
        if self._raw and len(commands) == 1:
            replies = self._raw.exchange(str(commands[0][1]), commands)
        elif self._raw:
            queued = self._raw.exchange(str(commands[0][1]), [("MULTI",), *commands, ("EXEC",)])
            if error := next((reply for reply in queued if isinstance(reply, ResponseError)), None):
                raise error
            replies = list(queued[-1])
        else:
            pipeline = self._client.pipeline(transaction=True)
            for command in commands:
                pipeline.execute_command(*command)
            replies = [
                [[name, _flat(fields)] for name, fields in reply] if command[0] == "XRANGE" else reply
                for command, reply in zip(commands, pipeline.execute(), strict=True)
            ]
        for reply in replies:
            if isinstance(reply, ResponseError):
                raise reply
        return replies


def _flat(fields: Any) -> list[Any]:
    """An entry's fields as the server sends them; redis-py turns them into a dictionary."""
    return [word for pair in fields.items() for word in pair] if isinstance(fields, dict) else fields

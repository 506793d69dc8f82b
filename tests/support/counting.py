"""A client of the store that counts round trips, but those that find that a server lacks a script."""

from typing import Any

from redis.exceptions import NoScriptError

from service.connections.clients import Client


class CountingClient:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.trips = 0

    def __getattr__(self, name: str) -> Any:
        """A command: one round trip."""
        call = getattr(self._client, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            reply = call(*arguments, **options)  # which raises NoScriptError
            self.trips += 1
            return reply

        return counted if callable(call) else call

    def pipeline(self, **options: Any) -> Any:
        """Several commands: one round trip when they are executed."""
        pipeline = self._client.pipeline(**options)
        execute = pipeline.execute

        def counted(**options: Any) -> Any:
            replies = execute(**options)
            self.trips += not any(isinstance(reply, NoScriptError) for reply in replies)
            return replies

        pipeline.execute = counted
        return pipeline

"""A client of the store that counts round trips."""

from typing import Any

from service.connections.clients import Client


class CountingClient:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.trips = 0

    def __getattr__(self, name: str) -> Any:
        """A command: one round trip."""
        call = getattr(self._client, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            self.trips += 1
            return call(*arguments, **options)

        return counted if callable(call) else call

    def pipeline(self, **options: Any) -> Any:
        """Several commands: one round trip when they are executed."""
        pipeline = self._client.pipeline(**options)
        execute = pipeline.execute

        def counted() -> Any:
            self.trips += 1
            return execute()

        pipeline.execute = counted
        return pipeline

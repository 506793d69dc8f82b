"""Stores that lose their past: an older copy takes the place of what a store holds."""

from service.connections.clients import Client


class OlderCopy:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._kept = {key: client.dump(key) for key in client.scan_iter()}

    def restore(self) -> None:
        """Put them in the place of what the store holds by now. No connection notices."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.flushdb()
        for key, value in self._kept.items():
            pipeline.restore(key, 0, value)
        pipeline.execute()

"""Places for requests that hold a thread for long: those that wait for a game, and those whose body is being read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Final

from config.settings import Settings
from domain.words.refusals.sentences import Sentence
from service.api.limits.rates import ClientLimits, Tally
from service.api.problems.problem import Problem
from service.api.wsgi import current_request
from service.gamelog.store.breaker import MOST_WAITING

_BODY_PATIENCE: Final = 0.1
"""Seconds that a request waits for a place to be read. Longer, and the waiting would hold the threads."""
_FREE_PART: Final = 8
"""This part of the threads reads no body, one at least, unless there is no other."""
_CLIENTS_PART: Final = 8
"""One client may send this part of the bodies that are read at once."""
_LEAST_ROOM: Final = 8
_STREAM_OPENINGS: Final = 4
"""Event streams that a process opens at once: each of these needs a connection to the store."""


class Places:
    """The places of a process, and those of each client.

    Long polls, event streams and replays may take `poll_limit`, for which the web server has as many threads more,
    those of one client `client_polls`. The web server has no time limit for a body, so a body that is being read needs
    a place, too; all of them leave a part of the other threads free, for requests without a body and to refuse the
    rest.
    """

    def __init__(self, settings: Settings, limits: ClientLimits) -> None:
        self.limits = limits
        self._threads = settings.web_threads
        self._most_waiting = settings.poll_limit
        self._most_reading = max(1, settings.web_threads - max(1, settings.web_threads // _FREE_PART))
        self._most_bodies = max(1, self._most_reading // _CLIENTS_PART) if limits.are_on else self._most_reading
        self._most_of_client = settings.client_polls if limits.are_on else 0
        self._tally = Tally(self._most_of_client or inf)
        self._waiting = 0
        self._holders: set[int] = set()
        """The threads of requests that wait."""
        self._bodies: dict[int, int] = {}
        """Bodies that are being read, by client."""
        self._reading = 0
        self._changed = threading.Condition()
        self.stream_openings = threading.BoundedSemaphore(_STREAM_OPENINGS)

    @contextmanager
    def hold_waiting(self, advice: Sentence) -> Iterator[None]:
        """Hold a place for a request that waits. `advice`: what a refused client can do.

        Raises Problem `too-many-requests` where the client holds its share, and `too-many-waiting` where all are held.
        """
        thread = threading.get_ident()
        if self.limits.are_on:
            self.limits.end_read(current_request())
        with self._share_of_client():
            with self._changed:
                if self._waiting >= self._most_waiting:
                    raise Problem("too-many-waiting", advice, headers={"Retry-After": "5"})
                self._waiting += 1
            self._holders.add(thread)
            try:
                yield
            finally:
                with self._changed:
                    self._waiting -= 1
                    self._holders.discard(thread)

    def holds_waiting(self) -> bool:
        """Whether the calling thread is that of a request that waits: it holds up none of the others."""
        return threading.get_ident() in self._holders

    def take_body(self, patience: float = _BODY_PATIENCE) -> int:
        """Take a place for a request whose body is read, waiting for one for `patience` seconds; what frees it.

        Raises Problem `too-many-waiting`. Every action passes here, hence no context manager, which makes more calls.
        """
        client = self.limits.client
        with self._changed:
            if not self._has_free_reading(client) and not self._changed.wait_for(
                lambda: self._has_free_reading(client), patience
            ):
                raise Problem("too-many-waiting", Sentence("too-many-waiting.bodies"), headers={"Retry-After": "1"})
            self._reading += 1
            self._bodies[client] = self._bodies.get(client, 0) + 1
        return client

    def free_body(self, client: int) -> None:
        with self._changed:
            self._reading -= 1
            if self._bodies[client] == 1:
                del self._bodies[client]
            else:
                self._bodies[client] -= 1
            self._changed.notify_all()

    def room_for_store(self) -> int:
        """How many threads may wait for the store at once: a third of those that bodies leave."""
        return max(_LEAST_ROOM, min(MOST_WAITING, (self._threads - self._reading) // 3))

    def _has_free_reading(self, client: int) -> bool:
        return self._reading < self._most_reading and self._bodies.get(client, 0) < self._most_bodies

    @contextmanager
    def _share_of_client(self) -> Iterator[None]:
        client = self.limits.client
        if not self._tally.add(client):
            detail = Sentence("too-many-requests.waiting", {"most": self._most_of_client})
            raise Problem("too-many-requests", detail, headers={"Retry-After": "5"})
        try:
            yield
        finally:
            self._tally.remove(client)

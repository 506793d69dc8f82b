"""Limits for one client, counted by all web processes of a machine together: requests a second, new games a minute.

A request counts by its weight, which its route declares: as many times as it costs what an action costs. What it has
cost beyond that is counted when it is answered: the client's next requests wait. All limits are off where the one of
requests is 0.
"""

import math
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2s
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from threading import Condition, Lock
from typing import Final

from flask import Response

from config.settings import Settings
from domain.bots import BOTS
from domain.commands import SeatPlan
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import Problem
from service.api.wsgi import Check, HeaderPairs, Request, current_request
from service.runtime.shared import shared_folder, shared_memory, shared_secret

_UNCOUNTED: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_SECOND: Final = 1_000_000_000
_MINUTE: Final = 60 * _SECOND
_DAY: Final = 24 * 60 * _MINUTE
_ACTION: Final = 500_000
"""Processor time in ns of a request that counts as one: more than an action takes."""
_MOST_READS: Final = 16
"""Reads and pages of one client that a process answers at once; those that wait for a game not counted."""
_READS: Final = frozenset({"GET", "HEAD"})
_TURN_S: Final = 1.0
"""So long they wait for each other at most: a store that hangs ends no read sooner."""
_REST: Final = 3
"""While others of its client wait, a read is followed by a rest of so many times its processor time: an action, which
waits for the interpreter, then finds it free in three of four cases."""
_HOLD_S: Final = 0.2
"""So long a refusal waits: at the speed of a client that asks on, refusals alone would hold up all others."""
_HELD_TOGETHER: Final = 16
"""For each so many that wait, the next one waits as long again: refusals leave at one pace, however many come."""
_ALL: Final = 0
_HELD_PART: Final = 3
"""In at most this part of the threads."""
_EVENTS_OF_ACTION: Final = 50
"""Of a replay, whose lines are made when it has been answered."""
_LOOK_UPS: Final = 20
"""Names a minute that are resolved for one client: a slow one holds a thread until the resolver gives up."""
_WRONG_KEYS: Final = 500
"""Opening keys a day that are wrong."""
_SENTENCES: Final = {
    "look-ups": "too-many-requests.look-ups",
    "new-games": "too-many-requests.new-games",
    "new-games-a-day": "too-many-requests.new-games-a-day",
    "copies": "too-many-requests.copies",
    "new-bot-games": "too-many-requests.new-bot-games",
}
_SLOT: Final = struct.Struct("=QQ")
_SLOTS: Final = 1 << 16
_NEIGHBOURS: Final = 4
"""Slots in which a client's count may be."""
_DIGEST_BYTES: Final = 8


class Buckets:
    """A bucket for each client, which a charge fills and time empties, in memory that the web processes share.

    A slot holds the client's number and the moment at which its bucket is empty, in nanoseconds. A client that finds no
    slot takes the one that is empty first; no client is ever charged for another. Two processes that count at once may
    lose a charge, which is too rare to matter.
    """

    def __init__(self, amount: int, period: int, path: Path | None) -> None:
        """`amount` is what a client may charge in `period` ns, or at once. `path`: the shared file, None for none."""
        self._interval = period // amount
        self._capacity = self._interval * amount
        self._slots = shared_memory(path, _SLOTS * _SLOT.size)

    def charge(self, client: int, now: int, weight: int = 1, *, must_fit: bool = True) -> int:
        """Charge the client at `now` ns; 0, or the ns after which it would fit: then nothing is charged.

        Not `must_fit`: charge it in any case, so that the next charge has to wait.
        """
        place, empty_at = self._find(client)
        # A charge of more than the whole bucket fits an empty one: every request can be made at some time.
        filled_until = max(empty_at, now) + min(weight * self._interval, self._capacity)
        wait = filled_until - now - self._capacity
        if wait > 0 and must_fit:
            return wait
        _SLOT.pack_into(self._slots, place, client, filled_until)
        return 0

    def standing(self, client: int, now: int) -> tuple[int, int]:
        """What the client may still charge at `now` ns, and the ns after which its bucket is empty."""
        full = max(0, self._find(client)[1] - now)
        return max(0, (self._capacity - full) // self._interval), full

    def _find(self, client: int) -> tuple[int, int]:
        """The offset of the client's slot, and when its bucket is empty."""
        first = client % _SLOTS
        best = best_at = -1
        for step in range(_NEIGHBOURS):
            place = (first + step) % _SLOTS * _SLOT.size
            holder, empty_at = _SLOT.unpack_from(self._slots, place)
            if holder == client:
                return place, empty_at
            if best < 0 or empty_at < best_at:
                best, best_at = place, empty_at
        return best, 0


class Tally:
    """How many things of a kind each client holds in this process. Safe for threads."""

    def __init__(self, most: float) -> None:
        """`most`: that one client may hold."""
        self._most = most
        self._lock = Lock()
        self.held: Counter[int] = Counter()
        """By client; none that holds nothing."""

    def add(self, client: int) -> bool:
        """Count one more, unless the client holds as many as it may."""
        with self._lock:
            if self.held[client] >= self._most:
                return False
            self.held[client] += 1
            return True

    def remove(self, client: int) -> None:
        with self._lock:
            self.held[client] -= 1
            if not self.held[client]:
                del self.held[client]


@lru_cache(maxsize=1024)
def number_of(address: str, secret: bytes) -> int:
    """What tells clients apart: the address, as a number that can't be chosen.

    A client is an IPv4 address, or the first 64 bits of an IPv6 address: those are what one household or machine gets.
    The number is a keyed digest: no client finds an address that shares a place with another one's.
    `secret`: 32 bytes, the same in all processes that count together.
    """
    digest = blake2s(_network(address), key=secret, digest_size=_DIGEST_BYTES)
    return int.from_bytes(digest.digest(), "big")


def _network(address: str) -> bytes:
    try:
        parsed = ip_address(address)
    except ValueError:  # a unix socket, say
        return address.encode(errors="replace")[:64]
    if isinstance(parsed, IPv6Address):
        return parsed.ipv4_mapped.packed if parsed.ipv4_mapped else parsed.packed[:8]
    return parsed.packed


class ClientLimits:
    """What one client may do. Methods raise Problem `too-many-requests` where it has done too much."""

    def __init__(self, settings: Settings, clock: Callable[[], int] = time.monotonic_ns) -> None:
        """`clock`: nanoseconds, the same for all processes of the machine."""
        self._clock = clock
        self._processor_time: Callable[[], int] = time.thread_time_ns
        self.are_on = settings.rate_limit > 0
        folder = shared_folder()
        self._secret = shared_secret(folder)
        self._policy = ("RateLimit-Policy", f'"requests";q={settings.rate_limit};w=1')
        self._reads = Tally(_MOST_READS)
        """Reads and pages that are being answered."""
        self._turn = Condition()
        self._running = Counter[int]()
        """By client: reads that don't wait for their turn; one, unless it hangs."""
        self._rests: dict[int, int] = {}
        """By client: until when its next read waits, where one does."""
        self._holds = Tally(settings.web_threads // _HELD_PART)
        """Refusals that wait, of all clients together."""

        most = {
            "requests": (settings.rate_limit, _SECOND),
            "look-ups": (_LOOK_UPS, _MINUTE),
            "new-games": (settings.new_games, _MINUTE),
            "new-games-a-day": (settings.new_games_a_day, _DAY),
            "copies": (settings.copies_a_day, _DAY),  # bytes
            "new-bot-games": (settings.bot_games, _MINUTE),
            "wrong-keys": (_WRONG_KEYS, _DAY),
            "key-holders": (1, 30 * _DAY),  # not to be limited: who has sent the right key in so many days
        }
        self._buckets = {
            name: Buckets(amount, period, folder and folder / name)
            for name, (amount, period) in most.items()
            if self.are_on and amount
        }
        self._requests = self._buckets.get("requests")

    @property
    def client(self) -> int:
        """The number of the client that has sent the present request."""
        return number_of(current_request().environ.get("REMOTE_ADDR") or "", self._secret)

    def charge(self, what: str, weight: int = 1) -> None:
        """Count `requests` (also what one costs besides), `look-ups` of names, or the bytes of `copies`."""
        if (buckets := self._buckets.get(what)) and (wait := buckets.charge(self.client, self._clock(), weight)):
            headers = {"Retry-After": str(math.ceil(wait / _SECOND))}
            raise Problem("too-many-requests", Sentence(_SENTENCES.get(what, "too-many-requests")), headers=headers)

    def begin_read(self, request: Request) -> None:
        """Count a read, or a page, as one that is being answered."""
        client = self.client
        if not self._reads.add(client):
            detail = Sentence("too-many-requests.at-once", {"most": _MOST_READS})
            raise Problem("too-many-requests", detail, headers={"Retry-After": "1"})
        request.reader = client
        with self._turn:
            self._turn.wait_for(lambda: not self._running[client], _TURN_S)
            self._running[client] += 1
            rest = self._rests.pop(client, 0) - self._clock()
        if rest > 0:
            time.sleep(min(rest / _SECOND, _TURN_S))

    def end_read(self, request: Request) -> None:
        """Count it no longer: it is answered, or waits for a game in a place of its own."""
        client, request.reader = request.reader, None
        if client is not None:
            self._reads.remove(client)
            with self._turn:
                self._running[client] -= 1
                if not self._running[client]:
                    del self._running[client]
                if client in self._reads.held:
                    self._rests[client] = self._clock() + _REST * (self._processor_time() - request.used)
                else:
                    self._rests.pop(client, None)
                self._turn.notify_all()

    def hold_back(self) -> bool:
        """Let a client wait for its refusal; False where no thread can be spared."""
        if not self._holds.add(_ALL):
            return False
        try:
            time.sleep(_HOLD_S * (1 + self._holds.held[_ALL] // _HELD_TOGETHER))
        finally:
            self._holds.remove(_ALL)
        return True

    def charge_lines(self, events: int) -> None:
        """Count what it will cost to send so many events of a replay. Raises nothing."""
        if self._requests and events > _EVENTS_OF_ACTION:
            self._requests.charge(self.client, self._clock(), events // _EVENTS_OF_ACTION, must_fit=False)

    def finish(self, request: Request, _answer: Response) -> HeaderPairs:
        """Count what an answered request has cost besides; what is left to its client, as the IETF's draft says it."""
        self.end_read(request)
        if request.path in _UNCOUNTED or self._requests is None:
            return ()
        client, now = self.client, self._clock()
        if (weight := (self._processor_time() - request.used) // _ACTION - request.weight) > 0:
            self._requests.charge(client, now, weight, must_fit=False)
        if not request.path.startswith("/v1/"):
            return ()
        left, full = self._requests.standing(client, now)
        return (self._policy, ("RateLimit", f'"requests";r={left};t={-(-full // _SECOND)}'))

    def charge_new_game(self, seats: Sequence[SeatPlan]) -> None:
        """Count a game that is about to be created: each seat of a dear bot as a game between bots."""
        sharks = sum(seat.bot is not None and BOTS[seat.bot].is_dear for seat in seats)
        if cost := max(sharks, all(seat.bot for seat in seats)):
            self.charge("new-bot-games", cost)
        self.charge("new-games")
        self.charge("new-games-a-day")

    def charge_key(self, *, is_right: bool) -> None:
        """Count an opening key that was sent, so that it can't be guessed.

        When an address has sent too many wrong ones, all are refused: a right one that isn't would end the guessing.
        But where the right one has come from the address of late, it is taken: others there don't lock it out.
        """
        if not self.are_on:
            return
        client, now, holders = self.client, self._clock(), self._buckets["key-holders"]
        if is_right and (holders.standing(client, now)[1] or self._buckets["wrong-keys"].standing(client, now)[0]):
            holders.charge(client, now)
        else:
            self.charge("wrong-keys")


def make_check(limits: ClientLimits, weights: Mapping[str, int]) -> Check:
    """A check that refuses a client's requests above the limit. `weights`: endpoint -> weight; 1 if it is missing."""

    def charge(request: Request) -> None:
        if request.path not in _UNCOUNTED:
            reads = request.method != "OPTIONS"  # which has the endpoint of another method, and reads nothing
            request.weight = weights.get(request.endpoint or "", 1) if reads else 1
            try:
                limits.charge("requests", request.weight)
                # No action or message: they may wait for their turn in the game, with those of others at one address.
                if request.method in _READS or (reads and not request.path.startswith("/v1/")):
                    limits.begin_read(request)
            except Problem as refusal:
                if not limits.hold_back():  # to connect again takes the client longer than us
                    refusal.headers = {**refusal.headers, "Connection": "close"}
                raise

    return charge
